"""Bounds by subtraction of sums contain all feasible counts and often equal their range."""

from itertools import product

import numpy as np
import pytest

from tests.examples import seeds
from workbench.base.convergence import collect_fits
from workbench.disclosure import subtraction
from workbench.disclosure.subtraction import Sums, propagate_bounds


def ways(sums, parts, most):
    """Yield all counts of the parts that add up to the sums."""
    found = []
    for numbers in product(range(most + 1), repeat=parts):
        of_parts = np.array(numbers)
        if all((np.bincount(one.of, of_parts[one.parts], len(one.total)) == one.total).all() for one in sums):
            found.append(numbers)
    return np.array(found)


def test_two_sums_are_subtracted():
    """Two of three people have x, and the last two have one x and one y, so the first has x."""
    people, value = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    of_people = Sums.from_keys(np.arange(4), people, np.array([1, 2]))
    of_all = Sums.from_keys(np.arange(4), value, np.array([2, 1]))
    of_last = Sums.from_keys(np.array([2, 3]), value[2:], np.array([1, 1]))
    least, most = propagate_bounds(4, [of_people, of_all, of_last])
    assert least.tolist() == most.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("seed", seeds(20, fast=4))
def test_no_feasible_count_is_excluded(seed):
    """Intersect two files with three classes each: six groups with two values each."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, (5, 2))
    group, value = np.repeat(np.arange(5), 2), np.tile(np.arange(2), 5)
    keys = [group, *(2 * rng.integers(0, 3, 5)[group] + value for _ in range(2))]
    sums = [Sums.from_keys(np.arange(10), key, np.bincount(key, true.ravel(), 10)) for key in keys]
    least, most = propagate_bounds(10, sums)
    every = ways(sums, 10, 2) if most.max() <= 2 else np.array([true.ravel()])
    assert (least <= every.min(axis=0)).all() and (every.max(axis=0) <= most).all()


def test_the_result_reports_whether_the_bounds_still_change(monkeypatch):
    """A chain of sums is tightened link by link in both directions."""
    pairs = [Sums(np.array([i, i + 1]), np.array([0, 0]), np.array([1])) for i in reversed(range(8))]
    sums = [*pairs, Sums(np.array([0]), np.array([0]), np.array([1]))]
    with collect_fits() as fits:
        least, most = propagate_bounds(9, sums)
    assert least.tolist() == most.tolist() == [1, 0, 1, 0, 1, 0, 1, 0, 1]
    assert fits[0].converged and fits[0].residual == 0 and fits[0].rounds > 3
    monkeypatch.setattr(subtraction, "ROUNDS", 3)
    with collect_fits() as fits:
        propagate_bounds(9, sums)
    assert not fits[0].converged and fits[0].residual > 0 and fits[0].rounds == 3
