"""True answers, counted record by record, in both engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import queries, table
from workbench.data.table import Table
from workbench.queries.exact import denominators, largest_change
from workbench.queries.query import Query
from workbench.queries.workload import Workload

seeds = st.integers(0, 60)


def answer(asking, workload, q):
    weight = asking.weight
    each = asking.columns[weight].values[asking.codes[weight]] if weight else np.ones(asking.records)
    for name in workload.columns:
        met = workload.condition(q, name)
        each = each * (1 if met is None else met[asking.codes[name]])
    if workload.summed[q] < 0:
        return each.sum()
    column = asking.columns[workload.columns[workload.summed[q]]]
    codes = asking.codes[column.name]
    there = codes < len(column.values)
    total = (each[there] * column.values[codes[there]]).sum()
    if workload.aggregate[q] == 1:
        return total
    return total / each[there].sum() if each[there].sum() else np.nan


@examples(40)
@given(seeds, seeds, st.booleans())
def test_answers_are_those_of_the_records(seed, asked, weighted):
    asking = table(seed, weighted)
    workload = queries(asking, asked)
    expected = [answer(asking, workload, q) for q in range(len(workload))]
    assert workload.truth == pytest.approx(expected, nan_ok=True)


def test_the_other_engine_gives_the_same_answers(small):
    frame, roles = small(1).frame, {"quasi": ["age", "work", "sex"], "sensitive": "disease"}
    here, there = (Table.read(frame, **roles, engine=engine) for engine in ("memory", "duckdb"))
    workload = Workload.random(here, 40, 2)
    assert Workload.random(there, 40, 2).truth.tolist() == workload.truth.tolist() and workload.truth.any()


def test_relative_errors_have_a_minimum_denominator():
    asking = table(0)
    none = np.zeros(asking.columns["age"].size, bool)
    asked = [Query("", kind, of, {"age": none}) for kind, of in (("count", None), ("sum", "wage"), ("avg", "wage"))]
    workload, wage = Workload.from_queries(asking, asked), asking.frame["wage"].abs().mean()
    assert denominators(workload, 3.0) == pytest.approx([3, 3 * wage, 3 * wage / asking.records])
    assert largest_change(workload, 3.0, 10) == np.inf
    assert largest_change(Workload.from_queries(asking, asked[:1]), 4.0, 10) == 2.5


@pytest.mark.parametrize("weighted", [False, True])
def test_queries_about_everybody_need_no_column(weighted, small):
    for asking in (table(0, weighted), Table.read(small(0).frame, ["age"], engine="duckdb")):
        weight = asking.weight
        everybody = asking.frame[weight].sum() if weight else asking.records
        assert Workload.from_texts(asking, ["count", "count"]).truth.tolist() == pytest.approx([everybody] * 2)
