"""Random queries have the declared numbers of columns, values and records, and never change."""

import math

import numpy as np
import pytest

from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Groups
from workbench.queries.workload import Workload

NAMES = ("age", "work", "sex", "disease")


@pytest.mark.parametrize(("rule", "share"), [("values", 0.2 ** (1 / 3)), ("literal", 0.2)])
def test_each_condition_has_its_share_of_the_values(small, rule, share):
    table = small(1)
    workload = Workload.random(table, 200, 2, 0.2, rule)
    assert len(workload) == 200 and set(workload.columns) == set(NAMES) and (workload.dimension == 3).all()
    for q in range(200):
        met = {name: workload.condition(q, name) for name in NAMES}
        assert met["disease"] is not None and sum(codes is not None for codes in met.values()) == 3
        for name, codes in met.items():
            assert codes is None or codes.sum() == math.ceil(table.columns[name].size * share)
    used = [workload.has_condition[:, workload.columns.index(name)].mean() for name in NAMES[:3]]
    assert used == pytest.approx([2 / 3] * 3, abs=0.15)


def test_each_query_has_one_sensitive_column(small):
    table = small(2, ("disease", "wage"))
    workload = Workload.random(table, 100, 1)
    asked = np.array([workload.has_condition[:, workload.columns.index(name)] for name in ("disease", "wage")])
    assert (asked.sum(axis=0) == 1).all() and asked.sum(axis=1).min() > 25
    assert set(Workload.random(table, 100, 1, sensitive=False).columns) == {"age", "work", "sex"}


def test_the_seed_decides(small):
    same, other = Workload.random(small(1), 30, 2), Workload.random(small(1), 30, 2, seed=1)
    assert same.truth.tolist() == Workload.random(small(1), 30, 2).truth.tolist() != other.truth.tolist()


def test_no_hierarchy_changes_the_queries(small):
    table = small(1)
    other = table.with_hierarchies({"work": Groups(({"x": ("Shop", "Clergy")},))})
    assert table.columns["work"].labels != other.columns["work"].labels
    assert Workload.random(table, 60, 2).truth.tolist() == Workload.random(other, 60, 2).truth.tolist()
    again = [Workload.random(t, 9, rule="equality", columns=("work", "sex")).truth.tolist() for t in (table, other)]
    assert again[0] == again[1]


@pytest.mark.parametrize(("rule", "columns"), [("type 1", 3), ("type 2", 5)])
def test_ranges_contain_hardly_more_than_their_share(adult, rule, columns):
    workload = Workload.random(adult, 60, selectivity=0.02, rule=rule)
    assert workload.columns == adult.quasi[:columns] and (workload.dimension == columns).all()
    assert (workload.truth >= math.ceil(0.02 * adult.records)).all()
    assert np.median(workload.truth) < 0.04 * adult.records
    for q in range(60):
        for name in workload.columns:
            codes = np.flatnonzero(workload.condition(q, name))
            assert (np.diff(codes) == 1).all()


def test_equalities_are_existing_combinations_without_repetition(adult):
    workload = Workload.random(adult, 1000, rule="equality", columns=("education", "sex"))
    assert len(workload) == 32 and workload.truth.min() > 0 and workload.truth.sum() == adult.records
    few = Workload.random(adult, 5, rule="equality", columns=("education",))
    assert len(few) == 5 and all(few.condition(q, "education").sum() == 1 for q in range(5))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0}, "count = 0 must be from 1"),
        ({"count": 2.5}, "count = 2.5 must be a whole number"),
        ({"dimension": 4}, "dimension = 4 must be from 0 to 3, the number of quasi-identifiers"),
        ({"dimension": 0, "sensitive": False}, "no columns for conditions"),
        ({"selectivity": 0}, "selectivity = 0 must be above 0"),
        ({"sensitive": 1}, "sensitive = 1 must be true or false"),
        ({"seed": -1}, "seed = -1 must be at least 0"),
        ({"rule": "type 3"}, "rule = 'type 3' is not one of values, literal"),
        ({"rule": "equality"}, "the rule equality needs columns"),
        ({"columns": ("agee",)}, "no column 'agee'; did you mean 'age'"),
    ],
)
def test_impossible_settings_are_refused_with_a_reason(small, given, message):
    with pytest.raises(BadInput, match=message):
        Workload.random(small(0), **{"dimension": 2, **given})


def test_queries_without_a_sensitive_column(small):
    table = small(0).with_roles(["age", "work"])
    with pytest.raises(BadInput, match="no sensitive column; set sensitive = false"):
        Workload.random(table, dimension=1)
    assert set(Workload.named(table, "random").columns) == {"age", "work"}


def test_settings_may_be_numbers_of_numpy_and_one_column_its_name(small):
    workload = Workload.random(small(0), np.int64(7), np.int32(1), np.float64(0.5), columns="age")
    assert workload.spec == Workload.random(small(0), 7, 1, 0.5, columns=["age"]).spec
    assert type(workload.spec["random"]["count"]) is int


@pytest.mark.parametrize("rule", ["values", "equality", "type 1"])
def test_repeated_columns_are_refused(small, rule):
    with pytest.raises(BadInput, match="random queries: `columns` lists 'age' twice; remove one"):
        Workload.random(small(0), 5, 1, rule=rule, columns=["age", "sex", "age"])
