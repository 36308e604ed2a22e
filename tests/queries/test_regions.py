"""Regions of a column and conditions; test_answers.py counts their codes."""

import numpy as np

from tests.queries.queried import factor, table
from workbench.queries.conditions import Conditions
from workbench.queries.regions import Regions


def test_distinct_regions_are_numbered():
    column = table(0).columns["age"]
    regions, number = Regions.distinct(column, np.array([0, 2, 0]), np.array([3, 2, 3]), None)
    assert len(regions) == 2 and number.tolist() == [0, 1, 0] and regions.sizes.tolist() == [4, 1]
    held = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0]], bool)
    sets, number = Regions.distinct(table(0).columns["city"], np.array([0, 1, 0]), np.array([2, 1, 2]), held)
    assert len(sets) == 2 and number.tolist() == [0, 1, 0] and sets.sizes.tolist() == [2, 1]


def test_shares_and_numbers_of_runs_and_of_the_same_as_sets():
    for name in ("age", "dose", "wage"):
        column = table(0).columns[name]
        rng = np.random.default_rng(4)
        met = rng.random((20, column.size)) < 0.5
        packed, numbers = Conditions.packed([{name: row} for row in met]), np.append(column.values.astype(float), 0.0)
        low, high = (side.ravel() for side in np.triu_indices(column.size))
        runs = Regions(column, low.astype(np.int32), high.astype(np.int32))
        shares, values = (
            runs.shares(packed.bits, packed.at[:, 0]),
            runs.values(packed.bits, packed.at[:, 0], numbers[: column.size]),
        )
        held = np.array(
            [(np.arange(column.size) >= a) & (np.arange(column.size) <= b) for a, b in zip(low, high, strict=True)]
        )
        sets, _ = Regions.distinct(column, low, high, held)
        counted = sets.values(packed.bits, packed.at[:, 0], numbers[: column.size])
        for q, row in enumerate(met):
            for r, (a, b) in enumerate(zip(low, high, strict=True)):
                codes = [*range(a, b + 1)]
                if name != "wage":
                    assert np.isclose(shares[r, q], factor(column, codes, row, False))
                    assert np.isclose(values[r, q], factor(column, codes, row, True))
                assert (shares[r, q] == 1) == row[codes].all() and (shares[r, q] == 0) == (not row[codes].any())
                assert np.isclose(counted[r, q], (row[codes] * numbers[codes]).sum() / len(codes))


def test_nodes_and_the_whole_are_regions():
    column = table(0).columns["ill"]
    nodes = Regions.nodes(column, 1)
    assert [(a, b) for a, b in zip(nodes.low, nodes.high, strict=True)] == [(0, 2), (3, 3), (4, 4)]
    assert Regions.whole(column).sizes.tolist() == [5] and len(Regions.nodes(column, 0)) == 5
