"""Geometric loss: leaves of the hierarchy as it was given, nodes and other runs, records that are left out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Columns
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
    """A release in which a record shows the age run of its class."""
    cells = table.cells()
    group = np.searchsorted([high for _, high in runs], cells.quasi[0]).astype(np.int32)
    release = kind(table, cells, group, runs=np.array([[run, (0, 1)] for run in runs]))
    return release.without(np.arange(left_out)) if left_out else release


def loss(age, sex):
    return ((1 + age) * (1 + sex)) ** 0.5 - 1


def test_a_node_counts_the_leaves_that_the_data_lack(table):
    found = GeometricLoss()(released(table, [(0, 2), (3, 3)]))
    age = (4 / 6 * 5 / 100 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    assert found.value == pytest.approx(loss(age, 1.0))
    assert found.detail["per_attribute"] == pytest.approx({"age": age, "sex": 1.0})
    assert found.sentence == (
        "Of the other values of its column, a released value may be any of, on average: age 2.69 %, sex 100 %."
    )


def test_a_run_that_is_no_node_counts_its_values(table):
    age = (2 / 6 * 1 / 100 + 4 / 6 * 3 / 100 - 1 / 100) / (1 - 1 / 100)
    assert GeometricLoss()(released(table, [(0, 0), (1, 3)])).value == pytest.approx(loss(age, 1.0))


def test_who_is_left_out_may_have_any_leaf(table):
    age = (4 / 6 * 1 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    assert GeometricLoss()(released(table, [(0, 2), (3, 3)], left_out=1)).value == pytest.approx(loss(age, 1.0))


def test_values_that_are_published_unchanged_lose_nothing(table):
    assert GeometricLoss()(Keep()(table)).value == GeometricLoss()(released(table, [(0, 3)], Bucketized)).value == 0


def test_leaves_are_remembered_when_records_go_and_are_part_of_what_a_table_is(table):
    fewer = table.only({"ill": "a"}).columns["age"]
    assert fewer.whole == 100 and fewer.hierarchy.below(0).tolist() == [5, 5]
    short = table.with_hierarchies({"age": Columns([row for row in AGES if row[0] in ("21", "23", "24", "40")])})
    assert short.fingerprint != table.fingerprint
    assert (
        short.fingerprint
        == replace(table, _memory={})
        .with_hierarchies({"age": Columns([row for row in AGES if row[0] in ("21", "23", "24", "40")])})
        .fingerprint
    )


def test_a_column_may_count_more_than_another(table):
    age = (4 / 6 * 5 / 100 + 2 / 6 * 1 / 100 - 1 / 100) / (1 - 1 / 100)
    heavy = table.with_importance({"age": 3})
    assert GeometricLoss()(released(heavy, [(0, 2), (3, 3)])).value == pytest.approx(((1 + age) ** 3 * 2) ** 0.25 - 1)
    width = 4 / 6 * 3 / 19
    assert InformationLoss()(released(heavy, [(0, 2), (3, 3)])).value == pytest.approx((3 * width + 1) / 4)


def test_missing_is_a_leaf_more():
    frame = pd.DataFrame({"age": [21, 23, None, 40], "ill": list("abab")}).astype({"age": "Int64"})
    column = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Columns(AGES)}).columns["age"]
    assert column.whole == 101
    low, high = np.array([0, 0, 0, 3, 2]), np.array([1, 2, 3, 3, 3])
    assert column.leaves(low, high).tolist() == [5, 100, 101, 1, 2]
    assert column.leaves(np.array([2, 3]), np.array([2, 3]), 1).tolist() == [5, 1], "40 is released as 40-44"
