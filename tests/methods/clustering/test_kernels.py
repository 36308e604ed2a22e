"""Prices are looked up, ties go to the first of the cheapest entries, and remaining entries are compacted in order."""

import numpy as np
import pytest

from workbench.methods.clustering.kernels import (
    NODES,
    VALUES,
    WIDTH,
    _cheapest,
    add_rows,
    compact,
    find_gain,
    highest_score,
    price_of,
    take_nearest,
)

PRICES = (
    np.array([WIDTH, NODES, VALUES], np.int8),
    np.array([3, 4, 2], np.int32),
    np.array([0, 0, 0, *range(4), 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0], np.int32),
    np.array([0, 2, 9, 1, 1, 1, 1, 5, 5, 5, 5, 8, 8, 8, 8, 0, 3, 6], np.int32),
    np.array([[0, 0, 0], [3, 7, 11], [15, 0, 0]]),
)


def test_the_price_includes_widths_nodes_and_values():
    assert [price_of(0, low, high, 0, PRICES) for low, high in ((0, 0), (0, 1), (1, 2))] == [0, 2, 7]
    assert [price_of(1, low, high, 0, PRICES) for low, high in ((2, 2), (2, 3), (0, 1), (1, 2))] == [1, 5, 5, 8]
    assert [price_of(2, 0, 1, count, PRICES) for count in (0, 1, 2)] == [0, 3, 6]


def test_ties_go_to_the_first_of_the_cheapest_and_most_expensive_entries():
    rng = np.random.default_rng(0)
    for records in (3, 700, 2000):
        score, left = rng.integers(0, 50, records).astype(np.int32), rng.integers(0, 2, records)
        left[0] = 1
        there = np.flatnonzero(left)
        nothing, rows = np.zeros((0, records), np.int32), np.zeros((0, 0), np.int32)
        assert _cheapest(0, records, nothing, left, score, rows, -1) == (
            there[score[there].argmin()],
            score[there].min(),
        )
        assert highest_score(0, records, left, score) == there[score[there].argmax()]
        value, row = rng.integers(0, 3, (1, records)).astype(np.int32), np.array([[5, 0, 9]], np.int32)
        cost = score + row[0][value[0]]
        assert _cheapest(0, records, value, left, score, row, -1) == (there[cost[there].argmin()], cost[there].min())
        assert _cheapest(0, records, nothing, np.zeros_like(left), score, rows, -1)[0] == -1


def test_entries_with_remaining_records_are_compacted():
    codes, values = np.arange(12, dtype=np.int32).reshape(2, 6), np.zeros((0, 6), np.int32)
    left, origin = np.array([0, 2, 0, 1, 1, 0]), np.arange(6, dtype=np.int32)
    assert compact(0, 6, (codes, values, left, origin)) == 3
    assert origin[:3].tolist() == [1, 3, 4] and left.tolist() == [2, 1, 1, 0, 0, 0]
    assert codes[:, :3].tolist() == [[1, 3, 4], [7, 9, 10]]


def test_the_nearest_entries_are_taken_in_order_with_stable_ties():
    codes = np.array([[0, 1, 2, 1, 0]], np.int32)
    score, left, taken = np.zeros(5, np.int32), np.array([2, 1, 1, 0, 3]), np.empty(5, np.int32)
    add_rows(5, codes, np.array([[7, 3, 9]], np.int32), score)
    assert score.tolist() == [7, 3, 9, 3, 7]
    assert take_nearest(5, 5, codes, left, score, taken) == 5
    assert taken.tolist() == [1, 0, 0, 4, 4] and left.tolist() == [0, 0, 1, 0, 1]
    assert take_nearest(5, 5, codes, left, score, taken) == 2 and taken[:2].tolist() == [4, 2]


# The gain of protection by a record equals the difference of S-diversities; see also tests of `placing`.


def test_gains_are_differences_of_s_diversity():
    rng = np.random.default_rng(1)
    pc, held = rng.random((1, 4, 4)), [0, 0, 3, 1]
    pc = np.maximum(pc, pc.transpose(0, 2, 1))
    pc[0, range(4), range(4)] = 1
    near = pc[:, :, held].sum(axis=2)[None]
    pairs, size, gain = np.array([[pc[0][np.ix_(held, held)].sum()]]), np.array([4]), np.zeros((1, 4, 1), np.int64)
    find_gain(0, np.array([2.0**30]), gain, (near, pairs), size)
    for v in range(4):
        after = pc[0][np.ix_([*held, v], [*held, v])].sum() / 25
        before = pairs[0, 0] / 16
        assert gain[0, v, 0] / 2**30 == pytest.approx(5 * after - 4 * before, abs=1e-7)
