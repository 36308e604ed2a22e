"""Geometric loss: leaves of the hierarchy as specified, nodes and other runs, suppressed records."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.base.result_cache import ResultCache
from workbench.data.hierarchies.builders import Columns
from workbench.data.records import fingerprint
from workbench.measures import GeometricLoss, InformationLoss
from workbench.methods import Keep
from workbench.releases.partition import Bucketized, Partition

AGES = [[str(age), f"{age // 5 * 5}-{age // 5 * 5 + 4}", "any"] for age in range(100)]


@pytest.fixture
def table():
    """Ages 21, 23, 24 and 40 under a hierarchy of 100 leaves, and a sex without a hierarchy."""
    frame = pd.DataFrame({"age": [21, 23, 24, 40, 40, 21], "sex": list("FMFMFM"), "ill": list("abcabc")})
    return Table.from_frame(frame, ["age", "sex"], "ill", hierarchies={"age": Columns(AGES)})


def released(table, runs, kind=Partition, left_out=0):
    """Return a release in which a record shows the age range of its class."""
    cells = table.cells()
    group = np.searchsorted([high for _, high in runs], cells.quasi[0]).astype(np.int32)
    release = kind(table, cells, group, runs=np.array([[run, (0, 1)] for run in runs]))
    return release.without(np.arange(left_out)) if left_out else release


def loss(age, sex):
    return ((1 + age) * (1 + sex)) ** 0.5 - 1


def test_a_node_counts_leaves_that_are_not_in_the_data(table):
    found = GeometricLoss()(released(table, [(0, 2), (3, 3)]))
    age = (4 / 6 * 5 / 100 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    assert found.value == pytest.approx(loss(age, 1.0))
    assert found.detail["per_attribute"] == pytest.approx({"age": age, "sex": 1.0})
    assert found.sentence == (
        "On average a released value may be any of this share of the column's other values: age 2.69 %, sex 100 %."
    )


def test_a_run_that_is_not_a_node_counts_its_values(table):
    age = (2 / 6 * 1 / 100 + 4 / 6 * 3 / 100 - 1 / 100) / (1 - 1 / 100)
    assert GeometricLoss()(released(table, [(0, 0), (1, 3)])).value == pytest.approx(loss(age, 1.0))


def test_a_suppressed_record_may_have_any_leaf(table):
    age = (4 / 6 * 1 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    assert GeometricLoss()(released(table, [(0, 2), (3, 3)], left_out=1)).value == pytest.approx(loss(age, 1.0))


def test_values_published_unchanged_lose_nothing(table):
    assert GeometricLoss()(Keep()(table)).value == GeometricLoss()(released(table, [(0, 3)], Bucketized)).value == 0


def test_leaves_survive_a_selection_of_records_and_identify_the_table(table):
    fewer = table.only({"ill": "a"}).columns["age"]
    assert fewer.whole == 100 and fewer.hierarchy.below(0).tolist() == [5, 5]
    short = table.with_hierarchies({"age": Columns([row for row in AGES if row[0] in ("21", "23", "24", "40")])})
    assert fingerprint(short) != fingerprint(table)
    assert fingerprint(short) == fingerprint(
        replace(table, remember=ResultCache()).with_hierarchies(
            {"age": Columns([row for row in AGES if row[0] in ("21", "23", "24", "40")])}
        )
    )


def test_columns_may_have_different_importance(table):
    age = (4 / 6 * 5 / 100 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    heavy = table.with_settings(importance={"age": 3})
    assert GeometricLoss()(released(heavy, [(0, 2), (3, 3)])).value == pytest.approx(((1 + age) ** 3 * 2) ** 0.25 - 1)
    width = 4 / 6 * 3 / 19
    assert InformationLoss()(released(heavy, [(0, 2), (3, 3)])).value == pytest.approx((3 * width + 1) / 4)


def test_missing_is_one_more_leaf():
    frame = pd.DataFrame({"age": [21, 23, None, 40], "ill": list("abab")}).astype({"age": "Int64"})
    column = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Columns(AGES)}).columns["age"]
    assert column.whole == 101
    low, high = np.array([0, 0, 0, 3, 2]), np.array([1, 2, 3, 3, 3])
    assert column.leaves(low, high).tolist() == [5, 100, 101, 1, 2]
    assert column.leaves(np.array([2, 3]), np.array([2, 3]), 1).tolist() == [5, 1], "40 is released as 40-44"
