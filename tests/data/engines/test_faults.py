"""Failures in the middle: no wrong figure, no partial release, and finished results are not computed again."""

import gc
import resource
import threading
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base.errors import BadInput
from workbench.data.engines import spark_session
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity

RECORDS = 200_000
QUASI = ["age", "place"]


def people(records=RECORDS):
    rng = np.random.default_rng(0)
    age = rng.poisson(40, records)
    place = [f"place number {n}" for n in rng.geometric(0.05, records)]
    return pd.DataFrame(
        {"age": age, "place": place, "ill": np.where(age + rng.poisson(9, records) > 55, "gout", "flu")}
    )


@contextmanager
def disk_of(size):
    """Limit the size of files that this process can write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- the disk is full


def test_a_full_disk_during_reading_is_reported_and_nothing_is_left(tmp_path):
    with disk_of(300_000), pytest.raises(BadInput, match="the disk is full"):
        Table.read(people(), QUASI, "ill", engine="duckdb", temp_directory=tmp_path)
    gc.collect()  # the error knew where it came from
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk_during_writing_leaves_no_partial_release(tmp_path, ending):
    kept, out = tmp_path / "kept", tmp_path / "out"
    kept.mkdir(), out.mkdir()
    table = Table.read(people(), QUASI, "ill", engine="duckdb", temp_directory=kept)
    release = Mondrian()(table, KAnonymity(10))
    (folder,) = kept.iterdir()
    beside = {path.name for path in folder.iterdir()}
    with disk_of(100_000), pytest.raises(BadInput, match="the disk is full") as caught:
        release.export(out / f"out.{ending}")
    assert "place number" not in str(caught.value) and list(out.iterdir()) == []
    assert {path.name for path in folder.iterdir()} == beside
    release.export(out / f"out.{ending}")  # when there is room again
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    assert len(read(out / f"out.{ending}")) == RECORDS


@pytest.mark.slow
def test_a_full_disk_of_spark_leaves_no_partial_release(tmp_path):
    spark = spark_session.Session.opened(spark_servers.sail()).spark
    table = Table.read(spark.createDataFrame(pa.Table.from_pandas(people())), QUASI, "ill")
    release = Mondrian()(table, KAnonymity(10))
    with disk_of(20_000), pytest.raises(BadInput, match="Spark cannot run this query"):
        release.export(f"spark:{tmp_path}/out.parquet")
    assert list(tmp_path.iterdir()) == []
    release.export(f"spark:{tmp_path}/out.parquet")
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == RECORDS


# --- the server, or one of its workers, is gone


@pytest.fixture
def servers(monkeypatch):
    """Return a function that starts a server at the same address, and returns a session and the process."""
    monkeypatch.setitem(spark_session.PATIENCE, "max_retries", 1)
    sessions, ports = [], [None]

    def started():
        remote, process = spark_servers.sail_elsewhere(ports[-1])
        ports.append(int(remote.rpartition(":")[2]))
        sessions.append((spark_servers.session(remote), process))
        return sessions[-1]

    yield started
    for spark, process in sessions:
        process.kill()
        spark.client.set_retry_policies([])  # nothing waits for it
        spark.stop()


def test_a_sweep_resumes_from_its_store_when_the_server_is_back(tmp_path, monkeypatch, servers):
    path, store, made = tmp_path / "people.parquet", Store(tmp_path / "store"), []
    people(3000).to_parquet(path)
    honest = Mondrian.release
    monkeypatch.setattr(Mondrian, "release", lambda *given: made.append(given[2].k) or honest(*given))
    recipes, measures = [Recipe(Mondrian(), KAnonymity(k)) for k in (5, 10, 20, 40)], [PrivacyLoss(), UtilityLoss()]

    def table(spark):
        return Table.read(spark.read.parquet(str(path)), QUASI, "ill")

    spark, process = servers()
    sweep(table(spark), recipes[:2], measures, store)
    unswept = table(spark)
    process.kill()
    process.wait()
    with pytest.raises(BadInput, match="the connection is lost; finished results are kept"):
        sweep(unswept, recipes, measures, store)
    assert sorted(made) == [5, 10]
    spark, _ = servers()
    found = sweep(table(spark), recipes, measures, store)
    assert sorted(made) == [5, 10, 20, 40]
    here = sweep(Table.read(path, QUASI, "ill"), recipes, measures)
    assert [point.values for point in found.measured] == [point.values for point in here.measured]


def executors(remote):
    """Return the worker processes of a server on this machine."""
    port = int(remote.rpartition(":")[2])
    (server,) = {one.pid for one in psutil.net_connections("tcp") if one.status == "LISTEN" and one.laddr.port == port}
    among = {one.pid for one in psutil.Process(server).children(recursive=True)}
    running = psutil.process_iter(["cmdline"])  # None for one that ends meanwhile, as a server's helpers do
    return [one for one in running if one.pid in among and "CoarseGrainedExecutorBackend" in str(one.info["cmdline"])]


@pytest.mark.slow
def test_a_killed_worker_changes_no_figure(tmp_path):
    remote = spark_servers.apache()
    spark = spark_session.Session.opened(remote).spark
    path = tmp_path / "people.parquet"
    people().to_parquet(path)
    many = spark.read.parquet(str(path)).crossJoin(spark.range(8)).drop("id")
    killed = []

    def kill():
        while not (found := executors(remote)):
            time.sleep(0.05)
        found[0].kill()
        killed.append(found[0])

    table = Table.read(many, QUASI, "ill")
    timer = threading.Timer(0.5, kill)
    timer.start()
    release = Mondrian()(table, KAnonymity(300))
    release.export(f"spark:{tmp_path}/out.parquet")
    assert killed  # before it ended
    killed[0].wait(10)
    memory = Table.from_frame(pd.concat([people()] * 8), QUASI, "ill")
    expected = Mondrian()(memory, KAnonymity(300))
    assert (expected.classes.histograms["ill"] == release.classes.histograms["ill"]).all()
    found = pd.read_parquet(tmp_path / "out.parquet").groupby(QUASI).size()
    assert sorted(found) == sorted(expected.frame().groupby(QUASI).size())
