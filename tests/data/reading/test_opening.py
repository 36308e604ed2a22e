"""Choice of a source, and its options."""

import gzip

import pandas as pd
import pytest

from tests.data.reading.files import message_of
from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source, require_options
from workbench.data.reading.source import CsvSource, FrameSource
from workbench.data.table import Table


def test_a_path_and_a_frame_are_sources_of_their_kind(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    frame = pd.DataFrame({"a": [1]})
    for data, kind in ((path, CsvSource), (str(path), CsvSource), (frame, FrameSource)):
        source = open_source(data)
        assert isinstance(source, kind) and source.engine == "memory"
        source.close()
    with pytest.raises(BadInput, match="a frame of pandas or Spark, an Arrow table or a Query, got int"):
        open_source(3)


def test_an_unknown_option_is_refused():
    require_options(["delimiter", "remote"])
    with pytest.raises(BadInput, match="no option 'delimeter'; did you mean 'delimiter'"):
        require_options(["delimeter"])


# Folders and patterns of files as one table.

FRAME = pd.DataFrame({"age": range(90), "town": ["Ayr", "Ely", "Ems"] * 30})


def parts(folder, ending):
    folder.mkdir(parents=True)
    for i in range(3):
        part, path = FRAME.iloc[30 * i : 30 * i + 30], folder / f"part-{i}.{ending}"
        if ending == "parquet":
            part.to_parquet(path, index=False)
        else:
            text = part.to_csv(index=False, sep="\t" if "tsv" in ending else ",").encode()
            path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.crc").touch()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "csv.gz"])
def test_a_folder_and_a_pattern_are_read(tmp_path, ending, engine):
    folder = parts(tmp_path / "people", ending)
    for path in (folder, f"{folder}/part-*.{ending}", tmp_path / "*" / f"*.{ending}"):
        table = Table.without_roles(path, engine=engine)
        assert table.records == 90 and table.columns["age"].values.tolist() == [*range(90)]
        if engine is None:
            assert table.frame["age"].tolist() == [*range(90)], "in the order of the names of the files"
    assert Table.without_roles(f"{folder}/part-[01].{ending}").records == 60


def test_folders_of_partitions_are_columns(tmp_path):
    for year in (2023, 2024):
        parts(tmp_path / "people" / f"year={year}", "parquet")
    table = Table.without_roles(tmp_path / "people")
    assert table.records == 180 and table.columns["year"].values.tolist() == [2023, 2024]


def test_a_file_name_with_brackets_is_not_a_pattern(tmp_path):
    FRAME.to_csv(tmp_path / "people[1].csv", index=False)
    assert Table.without_roles(tmp_path / "people[1].csv").records == 90


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_parts_with_other_columns_are_refused(tmp_path, ending):
    folder = parts(tmp_path / "people", ending)
    other = FRAME.rename(columns={"town": "city"})
    other.to_parquet(folder / "part-9.parquet") if ending == "parquet" else other.to_csv(
        folder / "part-9.csv", index=False
    )
    with pytest.raises(BadInput, match=r"part-9\.\w+: .*columns.* differ.? from those of .*part-0"):
        Table.without_roles(folder)


def test_columns_may_be_in_another_order(tmp_path):
    folder = parts(tmp_path / "people", "csv")
    FRAME[["town", "age"]].to_csv(folder / "part-9.csv", index=False)
    assert Table.without_roles(folder).columns["town"].labels == ("Ayr", "Ely", "Ems")


def test_other_content_is_refused(tmp_path):
    folder = parts(tmp_path / "people", "csv")
    assert "no data file matches this pattern" in message_of(lambda: open_source(f"{folder}/*.xml"))
    FRAME.to_parquet(folder / "d.parquet")
    message = message_of(lambda: open_source(folder))
    assert "several formats (csv, parquet); use a pattern such as *.csv" in message
    assert Table.without_roles(f"{folder}/*.csv").records == 90, "the advice works"
    FRAME.to_json(folder / "d.json", orient="records")
    assert "only Parquet, CSV and TSV" in message_of(lambda: open_source(f"{folder}/*.json"))
    assert "this is 3; leave it out" in message_of(lambda: open_source(f"{folder}/*.csv", table="a"))
