"""Files of a release have different names, and replace others only if allowed."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.releases.codebook import Entry
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.writing import is_folder, is_text, quoted, whole, write_files


def rows():
    return Rows.shuffled([CodedColumn("a", pd.Series([1, 2]), np.array([0, 1, 1]))])


def test_each_table_has_a_file_of_its_name(tmp_path):
    given = {"records": rows(), "a b": rows(), "a_b": rows()}
    found = write_files(tmp_path / "out.csv", given, [], defuse=False, overwrite=True)
    assert [path.name for path in found] == ["out-records.csv", "out-a_b.csv", "out-a_b_.csv"]
    assert all(len(pd.read_csv(path)) == 3 for path in found)
    sensitive = {"records": rows(), "codebook": rows(), "Sex": rows(), "sex": rows()}
    book = [Entry("sex", "exchanged", "", "", missing=False)]
    *tables, csv, _ = write_files(tmp_path / "two.csv", sensitive, book, defuse=False, overwrite=True)
    assert [path.name for path in tables] == ["two-records.csv", "two-codebook_.csv", "two-Sex.csv", "two-sex_.csv"]
    assert csv.name == "two-codebook.csv" and "exchanged" in csv.read_text("utf-8")
    alone = write_files(tmp_path / "one.parquet", {"release": rows()}, [], defuse=False, overwrite=True)
    assert [path.name for path in alone] == ["one.parquet"]


def test_existing_files_are_only_replaced_if_allowed(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("mine")
    with pytest.raises(BadInput, match="already exists"):
        write_files(path, {"release": rows()}, [], defuse=False, overwrite=False)
    assert path.read_text() == "mine"
    with pytest.raises(BadInput, match="defuse is for CSV"):
        write_files(tmp_path / "out.parquet", {"release": rows()}, [], defuse=True, overwrite=True)


def test_the_codebook_of_a_replaced_release_is_removed(tmp_path):
    book, out = [Entry("age", "young", "20", "29", missing=False)], tmp_path / "out.csv"

    def written(path, *labels):
        write_files(path, {"release": rows()}, labels, defuse=False, overwrite=True)
        return sorted(one.name for one in tmp_path.iterdir())

    assert written(out, *book) == ["out-codebook.csv", "out-codebook.json", "out.csv"]
    assert written(out) == ["out.csv"]
    written(out, *book)
    assert "out-codebook.csv" in written(tmp_path / "out.parquet"), "the codebook belongs to the other file"
    (tmp_path / "out.parquet").unlink()
    (tmp_path / "out-codebook.csv").write_text("column,mine\n")
    (tmp_path / "out-codebook.json").write_text('{"columns": {"mine": [{"name": 1}]}}')
    assert written(out) == ["out-codebook.csv", "out-codebook.json", "out.csv"], "not a file of the release"


def test_a_release_without_columns_is_not_written(tmp_path):
    nothing = {"release": Rows.ordered([], np.arange(3))}
    with pytest.raises(BadInput, match="no column to write"):
        write_files(tmp_path / "out.csv", nothing, [], defuse=False, overwrite=True)
    assert list(tmp_path.iterdir()) == []


# Releases written by Spark, and features of files only.

FRAME = pd.DataFrame({"age": [30, 30, 40, 40, 50, 50] * 4, "ill": ["flu", "=1+1", None] * 8})


@pytest.fixture(scope="module")
def spark():
    found = spark_servers.session(spark_servers.sail())
    yield found
    found.stop()


@pytest.fixture
def release(spark):
    return Mondrian()(Table.read(spark.createDataFrame(pa.Table.from_pandas(FRAME)), ["age"], "ill"), KAnonymity(12))


def test_only_records_in_spark_are_written_to_spark():
    with pytest.raises(BadInput, match="only a release of records in Spark"):
        Keep()(Table.from_frame(FRAME, ["age"], "ill")).export("spark:default.people")


def test_stars_and_formulas_are_for_files(tmp_path, release):
    with pytest.raises(BadInput, match="rows of \\* are only written to files"):
        release.export(f"spark:{tmp_path}/out.csv", stars=True)
    with pytest.raises(BadInput, match="only CSV"):
        release.export(f"spark:{tmp_path}/out.parquet", defuse=True)
    release.export(f"spark:{tmp_path}/out.csv", defuse=True)
    parts = [pd.read_csv(path, dtype=str) for path in (tmp_path / "out.csv").glob("*.csv")]
    assert "'=1+1" in set(pd.concat(parts)["ill"])


def test_spark_files_have_a_codebook_and_the_counts_of_classes(tmp_path, release):
    found = [str(one).removeprefix("spark:") for one in release.export(f"spark:{tmp_path}/out.parquet")]
    assert found == [f"{tmp_path}/out.parquet", f"{tmp_path}/out-codebook.parquet"]
    written = pd.read_parquet(found[0])
    sizes = written.groupby("age").size()
    assert sorted(sizes) == sorted(release.classes.sizes) and sizes.min() >= 12
    assert set(pd.read_parquet(found[1])["label"]) == set(written["age"])


def test_a_wrong_file_never_gets_its_name(tmp_path, release, monkeypatch):
    from workbench.releases import writing

    honest = writing.released
    monkeypatch.setattr(writing, "released", lambda *given: honest(*given).limit(23))
    with pytest.raises(BadInput, match="the table has changed since it was read"):
        release.export(f"spark:{tmp_path}/out.parquet")
    assert list(tmp_path.iterdir()) == []


# Tables and folders that are written completely or not at all, and names of tables in SQL.


def test_a_name_with_a_slash_is_a_folder_and_others_are_quoted_tables():
    assert [is_folder(name) for name in ("a.b.people", "/tmp/people.parquet", "./people.csv")] == [False, True, True]
    assert is_text("/tmp/people.csv") and not is_text("people.csv") and not is_text("/tmp/people.parquet")
    assert quoted("my catalog.db.people") == "`my catalog`.`db`.`people`" == quoted("`my catalog`.`db`.`people`")


@pytest.fixture(scope="module")
def session():
    return Session.opened(spark_servers.sail())


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_folder_gets_its_name_when_it_is_complete(tmp_path, session, ending):
    rows = session.upload(pa.table({"a": ["x", 'say "it"\nand more', None]}))
    with whole(session, f"{tmp_path}/people.{ending}") as aside:
        aside.write(rows)
        assert session.ask(aside.read()).num_rows == 3 and not (tmp_path / f"people.{ending}").exists()
    assert [path.name for path in tmp_path.iterdir()] == [f"people.{ending}"]
    with pytest.raises(BadInput, match="already exists"), whole(session, f"{tmp_path}/people.{ending}"):
        pass


def test_nothing_is_left_after_a_failure(tmp_path, session):
    with pytest.raises(RuntimeError), whole(session, f"{tmp_path}/people.parquet") as aside:
        aside.write(session.upload(pa.table({"a": [1]})))
        raise RuntimeError
    with pytest.raises(BadInput, match="unsupported file type"), whole(session, f"{tmp_path}/people"):
        pass
    with pytest.raises(BadInput, match="does not exist here"), whole(session, f"{tmp_path}/no/people.csv"):
        pass
    sees = pytest.raises(BadInput, match="which this process cannot see")
    with sees, whole(session, f"{tmp_path}/people.parquet"):
        pass
    assert list(tmp_path.iterdir()) == []
