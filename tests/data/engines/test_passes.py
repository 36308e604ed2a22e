"""Passes of an engine over the records: no more for a hundred recipes than for one."""

import shutil
import threading
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from workbench.base import progress
from workbench.data.engines import duckdb
from workbench.data.engines.spark_session import Session
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import InformationLoss, PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity

RECORDS = 2000
ROLES = {"quasi": ["age", "work"], "sensitive": "ill"}


def people():
    rng = np.random.default_rng(0)
    age = rng.poisson(40, RECORDS)
    work = np.array(["own", "gov", "none"])[np.minimum(rng.geometric(0.6, RECORDS), 3) - 1]
    ill = np.where(age + rng.integers(0, 30, RECORDS) > 60, "gout", "flu")
    return pd.DataFrame({"age": age, "work": work, "ill": ill, "region": rng.geometric(0.3, RECORDS)})


@pytest.fixture
def queries(monkeypatch):
    """Record every query of all threads."""
    found, lock = [], threading.Lock()

    def counting(name, holder):
        honest = getattr(holder, name)

        def counted(*given, **more):
            with lock:
                found.append(name)
            return honest(*given, **more)

        monkeypatch.setattr(holder, name, counted)

    counting("_careful", duckdb)
    counting("ask", Session)
    return found


def read(engine):
    if engine == "duckdb":
        return Table.read(people(), **ROLES, engine="duckdb")
    spark = Session.opened(spark_servers.sail()).spark
    return Table.read(spark.createDataFrame(pa.Table.from_pandas(people())), **ROLES)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "sail"])
def test_a_hundred_recipes_need_as_many_queries_as_one(tmp_path, queries, engine):
    measures = [PrivacyLoss(), UtilityLoss(), InformationLoss(), QueryError("some")]
    passes = []
    for count in (1, 100):
        table = read(engine).with_settings(workloads={"some": {"random": {"count": 30, "dimension": 2}}})
        recipes = [Recipe(Mondrian(), KAnonymity(k)) for k in range(2, 2 + count)]
        queries.clear()
        found = sweep(table, recipes, measures, Store(tmp_path / f"{engine} {count}"))
        assert len(found.measured) == count + 2 and all(len(point.values) == 4 for point in found.measured)
        passes.append(len(queries))
    assert passes[0] == passes[1] and 0 < passes[0] < 8, passes


@pytest.mark.parametrize("engine", ["duckdb", "sail"])
def test_known_results_need_no_query(queries, engine):
    table = read(engine)
    table.cells()
    queries.clear()
    for k in (2, 20):
        release = Mondrian()(table, KAnonymity(k))
        assert release.audit(KAnonymity(k)) and release.codebook()
    assert queries == []


READING = ["values of age", "values of work", "values of ill", "codes of all records", "combinations of values"]
WRITING = {
    "duckdb": ["classes of", "random order of", "counted again"],
    "sail": ["written by Spark", "counted again"],
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "sail"])
def test_every_stage_reports_progress_and_cancellation_leaves_nothing(tmp_path, engine):
    target = f"spark:{tmp_path}/out.parquet" if engine == "sail" else tmp_path / "out.parquet"

    def collect_progress(stop_at=None):
        """Collect progress messages until the end or the cancellation."""
        said, cancel = [], threading.Event()

        def listen(words):
            said.append(words)
            if words == stop_at:
                cancel.set()

        with progress.cancellable(cancel, listen), suppress(progress.Cancelled):
            Mondrian()(read(engine).drop(["region"]), KAnonymity(20)).export(target)
        return said

    said = collect_progress()
    places = [next(i for i, words in enumerate(said) if stage in words) for stage in (*READING, *WRITING[engine])]
    assert places == sorted(places) and len(list(tmp_path.iterdir())) > 1
    for stage in said:
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        assert collect_progress(stage)[-1] == stage
        assert list(tmp_path.iterdir()) == []
