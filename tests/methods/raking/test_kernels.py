""""""

import numpy as np
import pytest

from workbench.methods.raking import kernels
from workbench.queries.populations import shared_prefix


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    ends = np.sort(rng.integers(0, 6, (40, 3, 2)), axis=2).astype(np.int32)
    return ends[np.lexsort(ends.reshape(40, -1).T[::-1])]


def test_members_are_the_atoms_inside_all_runs(runs):
    codes = np.random.default_rng(1).integers(0, 6, (3, 50)).astype(np.int32)
    start = np.zeros(len(runs) + 1, np.int64)
    kernels.members(runs, shared_prefix(runs), codes, start, np.empty(0, np.int32))
    found = np.empty(start[-1], np.int32)
    kernels.members(runs, shared_prefix(runs), codes, start, found)
    for p, (low, high) in enumerate(np.moveaxis(runs, 2, 1)):
        inside = ((low[:, None] <= codes) & (codes <= high[:, None])).all(axis=0)
        assert found[start[p] : start[p + 1]].tolist() == np.flatnonzero(inside).tolist()


def test_raking_multiplies_beliefs_by_the_root_of_the_missing_share():
    beliefs, weight = np.array([[0.5, 0.5], [0.8, 0.2], [0.3, 0.7]]), np.array([1.0, 3.0, 2.0])
    truth = np.array([[0.9, 0.1]])
    now = (1 * beliefs[0] + 3 * beliefs[1]) / 4
    factor = np.sqrt((truth[0] + 1e-5) / (now + 1e-5))
    expected = beliefs[:2] * factor / (beliefs[:2] * factor).sum(axis=1, keepdims=True)
    kernels.rake(beliefs, weight, np.array([0, 2]), np.array([0, 1], np.int32), truth)
    assert beliefs[:2] == pytest.approx(expected)
    assert beliefs[2].tolist() == [0.3, 0.7]  # in no population


def test_counts_are_filled_in_order_and_then_in_free_buckets():
    seats, rows, columns = np.zeros((2, 2), np.int64), np.array([1, 2]), np.array([2, 1])
    kernels.seat(seats, np.array([1, 0]), rows, columns)  # the first bucket's second value is wanted most
    assert seats.tolist() == [[0, 1], [2, 0]]
    assert not rows.any() and not columns.any()


def test_excess_counts_are_removed_in_order():
    seats, rows, columns = np.array([[2, 0], [1, 1]]), np.array([0, 0]), np.array([-1, 1])
    kernels.unseat(seats, np.array([2, 0, 1, 3]), rows, columns)
    assert seats.tolist() == [[2, 0], [0, 1]] and rows.tolist() == [0, 1] and columns.tolist() == [0, 1]
    seats, rows, columns = np.array([[5, 0], [1, 1]]), np.array([0, 0]), np.array([-4, 4])
    kernels.unseat(seats, np.array([2, 0, 1, 3]), rows, columns)
    assert seats.tolist() == [[2, 0], [0, 1]] and rows.tolist() == [3, 1] and columns.tolist() == [0, 4]


def test_the_gain_of_a_swap_is_the_change_of_loss():
    rng = np.random.default_rng(2)
    slope, seen = rng.normal(size=(4, 3)), rng.random((5, 3))
    atom, bucket = np.array([0, 1, 2, 3]), np.array([0, 4, 2, 2])
    found = kernels.gains(np.array([0, 2]), np.array([1, 3]), atom, bucket, slope, seen)
    before = slope[0] @ seen[0] + slope[1] @ seen[4]
    after = slope[0] @ seen[4] + slope[1] @ seen[0]
    assert found == pytest.approx([before - after, 0])  # the other two are in one bucket
