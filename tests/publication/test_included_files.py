"""The published files of releases."""

import pandas as pd
import pyarrow.parquet as pq

from tests.planted import RARE_TOWN, people
from tests.publication.published import included_files, texts_except_releases
from workbench.publication.details import Groups, exposures
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published


def test_a_rare_quasi_identifier_value_occurs_only_where_the_release_publishes_it(whole):
    for name, text in texts_except_releases(whole.folder).items():
        if RARE_TOWN in text:
            assert name.endswith("disclosure.parquet")
    for index in included_files(whole):
        file, *_ = whole.files(index)
        released = pd.read_csv(file, dtype=str)
        shown = pq.read_table(file.parent / "disclosure.parquet").to_pandas()
        for name in ("age", "town", "sex"):
            assert set(shown[name].dropna()) <= set(released[name])


def test_files_are_in_random_order(study, table):
    release = study.candidates()[0].release(table)
    first, second = (exposures(Groups(release, 10))["who"].to_pylist() for _ in range(2))
    assert first != second and sorted(first) == sorted(second)


def test_a_revealing_column_stops_only_the_file_of_its_release(study, tmp_path):
    frame = people()
    frame["decade"] = frame["age"] // 10
    read = Published(publish(study.with_(data={"given": "people"}), tmp_path / "out", given=frame))
    refused = [point["opened"]["refused"] for point in read.points if point["opened"]]
    assert all("decade reveals age" in why for why in refused) and len(refused) > 3
    assert not list(read.folder.rglob("*.csv")) and read.results["carried"] == []
    assert read.exposures(read.efficient[0])[0] > 0


def test_no_file_is_written_without_releases(study, tmp_path):
    read = Published(publish(study, tmp_path / "out", releases=False))
    assert read.files(read.efficient[0]) == [] and "without its releases" in read.opened(read.efficient[0])["refused"]
