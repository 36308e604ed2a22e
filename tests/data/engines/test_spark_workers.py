"""Queries to Spark's workers; test_spark.py compares their results with those of this process."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.engines import spark_servers
from tests.releases.parted import with_cells_outside_memory
from workbench.data.engines import spark_workers
from workbench.data.engines.spark_session import Session
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.methods.mondrian import out_of_core as first_cuts
from workbench.models import KAnonymity


@pytest.fixture
def session():
    """Return a session that has not checked its workers."""
    made = spark_servers.session(spark_servers.sail())
    yield Session(made)
    made.stop()


def people(session):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.poisson(40, 300), "zip": rng.integers(0, 50, 300)})
    frame["ill"] = np.where(frame["age"] > 45, "gout", rng.choice(["flu", "none"], 300))
    given = session.spark.createDataFrame(pa.Table.from_pandas(frame))
    return with_cells_outside_memory(Table.read(given, quasi=["age", "zip"], sensitive="ill"))


def queries(monkeypatch, session):
    """Record the queries to workers during the test."""
    found, sent = [], spark_workers.classes
    monkeypatch.setattr(spark_workers, "classes", lambda *given: found.append(given) or sent(*given))
    return found


def test_workers_with_this_package_cut_parts_as_the_table_states(monkeypatch, session):
    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = people(session), queries(monkeypatch, session)
    assert "the others by Spark's workers>" in repr(table.engine)
    assert len(Mondrian()(table, KAnonymity(4)).classes) > 20 and len(found) == 1


@pytest.mark.parametrize("wrong", ["raises", "another version"])
def test_parts_are_cut_in_this_process_otherwise_and_the_table_gives_the_reason(monkeypatch, session, wrong):
    def digest(rows):
        if wrong == "raises":
            raise ModuleNotFoundError("No module named 'workbench'")
        return pa.table({"digest": ["of another version"]})

    monkeypatch.setattr(spark_workers, "_digest", digest)
    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = people(session), queries(monkeypatch, session)
    assert "here, because Spark's workers do not have this version of the workbench (run pip install" in repr(
        table.engine
    )
    assert len(Mondrian()(table, KAnonymity(4)).classes) > 20 and found == []


def test_a_model_of_a_notebook_is_not_sent_to_workers(monkeypatch, session):
    class Mine(KAnonymity):
        pass

    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = people(session), queries(monkeypatch, session)
    same = Mondrian()(table, KAnonymity(4))
    assert (Mondrian()(table, Mine(4)).classes.sizes == same.classes.sizes).all() and len(found) == 1


def test_no_value_of_the_data_is_sent_to_workers(session):
    finish = first_cuts.Finish.from_table(people(session), KAnonymity(4), even=False)
    assert {label for seen in finish.sensitive.values() for label in seen.labels} == {""}
    assert finish.travels and len(finish.sensitive["ill"]) == 3


def test_an_unknown_value_is_reported_as_a_class_of_size_0(session):
    rows = pa.table({"part": [3, 3], "k0": [0, -2], "k1": [1, 1], "count": [5, 6]})
    assert spark_workers._cells(rows, ["k0", "k1"], 1, ["ill"]) == (3, None)
    part, cells = spark_workers._cells(rows.slice(0, 1), ["k0", "k1"], 1, ["ill"])
    assert part == 3 and cells.quasi.tolist() == [[0]] and cells.weight.tolist() == [5]
