"""The compiled kernels compared with naive counting record by record."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.base import cell_kernels

seeds = st.integers(0, 10_000)


def cells(seed, axes=3, count=40, codes=6):
    rng = np.random.default_rng(seed)
    return rng.integers(0, codes, (axes, count)).astype(np.int32), rng.integers(1, 5, count), rng


@examples(30)
@given(seeds)
def test_a_histogram_counts_records(seed):
    _, weight, rng = cells(seed)
    group, value = rng.integers(0, 4, 40).astype(np.int32), rng.integers(0, 3, 40).astype(np.int32)
    counted = [[int(weight[(group == g) & (value == v)].sum()) for v in range(3)] for g in range(4)]
    assert cell_kernels.histogram(group, value, weight, 4, 3).tolist() == counted


@examples(30)
@given(seeds)
def test_ranges_are_the_lowest_and_highest_codes(seed):
    quasi, _, rng = cells(seed)
    group, cell = np.arange(25, dtype=np.int32) % 5, rng.integers(0, 40, 25).astype(np.int32)
    low, high = cell_kernels.ranges(group, cell, quasi, 5)
    for g in range(5):
        mine = quasi[:, cell[group == g]]
        assert low[g].tolist() == mine.min(axis=1).tolist() and high[g].tolist() == mine.max(axis=1).tolist()


@pytest.mark.parametrize("codes", [5, 3000], ids=["counted on the axis", "by bisection"])
@examples(120)
@given(seed=seeds, strict=st.booleans(), even=st.booleans(), floor=st.integers(1, 20))
def test_a_proposal_is_the_median_of_the_widest_axis_that_leaves_enough_on_both_sides(codes, seed, strict, even, floor):
    quasi, weight, _ = cells(seed, axes=2, count=12, codes=codes)
    quasi[1] //= 2  # narrower
    order, n = np.arange(12, dtype=np.int32), int(weight.sum())
    edge = np.tile(np.arange(codes, dtype=float), (2, 1))
    low, high = np.zeros((1, 2), np.int32), np.full((1, 2), codes - 1, np.int32)
    one = np.ones(1, np.int64)
    node, axis, cut, quota, sides = cell_kernels.propose(
        0 * one, order, 0 * one, 12 * one, quasi, weight, edge, np.full(2, codes - 1.0), n * one, low, high,
        np.zeros((1, 2), bool), np.zeros((1, 2), bool), strict, strict and even, floor,
    )  # fmt: skip
    proposed = list(zip(node, axis, cut, quota, sides.tolist(), strict=True))
    widths = np.ptp(quasi, axis=1)
    for a in sorted(range(2), key=lambda a: -widths[a]):
        records = np.sort(np.repeat(quasi[a], weight))
        if strict:
            median = records[(n - 1) // 2]
            median = records[records < median].max(initial=-1) if median == records[-1] else median
            left, ties = int((records <= median).sum()), -1
            fewer = int((records < median).sum())
            if even and fewer and abs(n - 2 * fewer) < abs(n - 2 * left):
                median, left = records[records < median].max(), fewer
        else:
            median, left = records[n // 2 - 1], n // 2
            ties = left - (records < median).sum()
        if widths[a] and min(left, n - left) >= floor:
            assert proposed == [(0, a, median, ties, [left, n - left])]
            return
    assert proposed == []


def divided(quasi, cuts, quota, order):
    one = np.ones(1, np.int64)
    begins = cell_kernels.divide(
        0 * one, order, 0 * one, len(order) * one, quasi, np.zeros(1, np.int32), np.array(cuts, np.int32),
        np.array([0, len(cuts)]), np.array([quota]),
    )  # fmt: skip
    return [part.tolist() for part in np.split(order, begins[1:])]


def test_cells_are_divided_at_every_cut_and_keep_their_order():
    quasi = np.array([[3, 0, 2, 1, 3, 0]], np.int32)
    assert divided(quasi, [0, 2], -1, np.arange(6, dtype=np.int32)) == [[1, 5], [2, 3], [0, 4]]


@examples(30)
@given(seeds, st.integers(1, 19))
def test_each_cell_is_in_its_part_for_any_number_of_cuts(seed, cuts):
    quasi, _, rng = cells(seed, axes=1, count=60, codes=20)
    order, at = rng.permutation(60).astype(np.int32), np.sort(rng.choice(19, cuts, replace=False))
    part = np.searchsorted(at, quasi[0][order])
    assert divided(quasi, at, -1, order.copy()) == [order[part == p].tolist() for p in range(cuts + 1)]


def test_parts_have_their_ranges_of_codes():
    nodes, low, high = np.array([1, 0]), np.array([[0, 0], [0, 2]], np.int32), np.array([[9, 9], [9, 8]], np.int32)
    exact = np.array([[False, True], [True, True]])
    cuts, first, axis = np.array([4, 6, 5], np.int32), np.array([0, 2, 3]), np.array([1, 0], np.int32)
    found = cell_kernels.bounds(nodes, low, high, exact, axis, cuts, first, np.array([-1, 3]))
    assert found[0].tolist() == [[0, 2], [0, 5], [0, 7], [0, 0], [5, 0]]  # ties at 5 are dealt to both sides
    assert found[1].tolist() == [[9, 4], [9, 6], [9, 8], [5, 9], [9, 9]]
    assert found[2].tolist() == [[False, True], [False, False], [False, False], [False, False], [False, False]]


@pytest.mark.parametrize("quota", [0, 1, 2, 4])
def test_ties_at_the_cut_go_left_until_the_quota_is_full(quota):
    quasi = np.array([[1, 0, 1, 2, 1, 1]], np.int32)
    left, right = divided(quasi, [1], quota, np.arange(6, dtype=np.int32))
    ties = [0, 2, 4, 5]
    assert left == sorted([1, *ties[:quota]]) and right == sorted([3, *ties[quota:]])


@examples(30)
@given(seeds, st.integers(-1, 6))
def test_a_model_checks_the_halves_that_are_made(seed, quota):
    quasi, _, rng = cells(seed, axes=1, count=30)
    value, weight, one = rng.integers(0, 3, 30).astype(np.int32), np.ones(30, np.int64), np.ones(1, np.int64)
    order, cut = rng.permutation(30).astype(np.int32), np.array([2], np.int32)
    counts = cell_kernels.halves(
        0 * one, order, 0 * one, 30 * one, quasi, weight, value, 3, np.zeros(1, np.int32), cut, np.array([quota])
    )
    parts = divided(quasi, [2], quota, order)
    assert counts.tolist() == [np.bincount(value[np.array(part, int)], minlength=3).tolist() for part in parts]


def populations(rng, axes, codes, count=15):
    runs = np.sort(rng.integers(0, codes, (count, axes, 2)), axis=2).astype(np.int32)
    runs[1::2, 0] = runs[::2, 0][: len(runs[1::2])]  # some share their first attribute with the one before
    same = np.append([0], np.cumprod((runs[1:] == runs[:-1]).all(axis=2), axis=1).sum(axis=1))
    return runs, same.astype(np.int64)


@examples(30)
@given(seeds)
def test_coverage_spreads_each_class_evenly_over_its_run(seed):
    rng = np.random.default_rng(seed)
    runs, same = populations(rng, 3, 6)
    bounds = np.sort(rng.integers(0, 6, (8, 3, 2)), axis=2).astype(np.int32)
    low, high, histogram = bounds[:, :, 0], bounds[:, :, 1], rng.integers(0, 9, (8, 2))
    left = np.cumsum(rng.integers(1, 4, (3, 6)), axis=1).astype(float)
    right = left + 1
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    found = cell_kernels.coverage(runs, low, high, left, right, histogram, same)
    expected = np.zeros((15, 2))
    for p, c in np.ndindex(15, 8):
        share = 1.0
        for a in range(3):
            begin, end = left[a, low[c, a]], right[a, high[c, a]]
            inside = min(end, right[a, runs[p, a, 1]]) - max(begin, left[a, runs[p, a, 0]])
            share *= max(inside, 0) / (end - begin)
        expected[p] += share * histogram[c]
    assert found == pytest.approx(expected)
    with patch.object(cell_kernels, "STEPS", 1):  # interrupted after each population
        assert (cell_kernels.coverage(runs, low, high, left, right, histogram, same) == found).all()


@examples(30)
@given(seeds)
def test_reach_counts_records_and_uses_the_distribution_of_their_class(seed):
    quasi, weight, rng = cells(seed)
    runs, same = populations(rng, 3, 6)
    group, belief = rng.integers(0, 4, 40).astype(np.int32), rng.dirichlet([1, 1], 4)
    found = cell_kernels.reach(runs, quasi, weight, group, belief, same)
    for p in range(15):
        low, high = runs[p].T[:, :, None]
        inside = ((low <= quasi) & (quasi <= high)).all(axis=0)
        assert found[p] == pytest.approx((weight[inside, None] * belief[group[inside]]).sum(axis=0))
    with patch.object(cell_kernels, "STEPS", 1):
        assert (cell_kernels.reach(runs, quasi, weight, group, belief, same) == found).all()
