"""Releases written by Spark, and features of files only."""

import pandas as pd
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity

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
    from workbench.releases import spark_export

    honest = spark_export.released
    monkeypatch.setattr(spark_export, "released", lambda *given: honest(*given).limit(23))
    with pytest.raises(BadInput, match="the table has changed since it was read"):
        release.export(f"spark:{tmp_path}/out.parquet")
    assert list(tmp_path.iterdir()) == []
