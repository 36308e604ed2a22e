"""The files of releases that are published."""

import pandas as pd
import pyarrow.parquet as pq

from tests.planted import RARE_TOWN, people
from tests.publication.published import carried, everything_but_releases
from workbench.publication.details import Groups, exposures
from workbench.publication.publish import publish
from workbench.publication.reader import Published


def test_a_rare_quasi_value_stands_only_where_the_release_has_it(whole):
    for name, text in everything_but_releases(whole.folder).items():
        if RARE_TOWN in text:
            assert name.endswith("disclosure.parquet")
    for index in carried(whole):
        file, *_ = whole.files(index)
        released = pd.read_csv(file, dtype=str)
        shown = pq.read_table(file.parent / "disclosure.parquet").to_pandas()
        for name in ("age", "town", "sex"):
            assert set(shown[name].dropna()) <= set(released[name])


def test_files_are_in_random_order(study, table):
    release = study.candidates()[0].release(table)
    first, second = (exposures(Groups(release, 10))["who"].to_pylist() for _ in range(2))
    assert first != second and sorted(first) == sorted(second)


def test_a_column_that_gives_the_release_away_stops_its_file_alone(study, tmp_path):
    frame = people()
    frame["decade"] = frame["age"] // 10
    read = Published(publish(study.with_(data={"given": "people"}), tmp_path / "out", given=frame))
    refused = [point["opened"]["refused"] for point in read.points if point["opened"]]
    assert all("decade reveals age" in why for why in refused) and len(refused) > 3
    assert not list(read.folder.rglob("*.csv")) and read.results["carried"] == []
    assert read.exposures(read.efficient[0])[0] > 0


def test_without_releases_no_file_is_written(study, tmp_path):
    read = Published(publish(study, tmp_path / "out", releases=False))
    assert read.files(read.efficient[0]) == [] and "without its releases" in read.opened(read.efficient[0])["refused"]
