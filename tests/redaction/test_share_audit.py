"""The audit of shares of nested groups, compared with the feasible counts of their difference."""

from itertools import product

import numpy as np
import pytest

from workbench.redaction.share_audit import (
    Share,
    Statements,
    possible_range,
    shares_to_drop,
    too_certain,
    values_by_moves,
)

# cells: the two ages of people who have the value; a coarse release has both in one group, a fine one has two groups
GROUPS = np.array([[0, 0], [0, 1]])


def test_a_difference_of_few_people_is_found_although_neither_share_is_narrow():
    """Two shares of nested groups: at most 11 people of 23 or 24, at least 8 of them 24, leave at most 3 of 23."""
    records = np.array([1, 9])
    shares = [Share(0, 0, 4.0, 11.0, 10), Share(1, 1, 8.0, 13.0, 9)]
    assert shares_to_drop(GROUPS, records, shares, 5) == {1}
    assert shares_to_drop(GROUPS, records, [shares[0]], 5) == set()
    assert shares_to_drop(GROUPS, records, [shares[1]], 5) == set()


def test_wide_shares_are_kept():
    records = np.array([1, 9])
    shares = [Share(0, 0, 4.0, 20.0, 10), Share(1, 1, 5.0, 13.0, 9)]
    assert shares_to_drop(GROUPS, records, shares, 5) == set()


def test_a_small_count_of_one_group_needs_as_many_feasible_values_as_the_threshold():
    records = np.array([2, 40])
    assert shares_to_drop(GROUPS, records, [Share(1, 0, 1.0, 3.0, 2)], 5) == {0}
    assert shares_to_drop(GROUPS, records, [Share(1, 0, 0.0, 4.0, 2)], 5) == set()
    assert shares_to_drop(GROUPS, records, [Share(1, 1, 39.0, 41.0, 40)], 5) == set(), (
        "40 people are above the threshold"
    )


def test_the_share_of_equal_groups_in_two_releases_is_dropped_in_both():
    groups, records = np.array([[0, 1], [0, 1]]), np.array([2, 40])
    shares = [Share(0, 0, 0.0, 5.0, 2), Share(1, 0, 1.0, 3.0, 2)]
    assert shares_to_drop(groups, records, shares, 5) == {0, 1}


# The audit's smallest and largest values, against counting every solution, and its shortcut against the programs.

MOST = 12  # as many of each count, in the enumeration


def random_statements(rng: np.random.Generator) -> tuple[Statements, np.ndarray]:
    """Return statements about sums and shares that some counts satisfy."""
    unknowns = int(rng.integers(2, 4))
    truth = rng.integers(0, 5, unknowns)
    found = Statements(unknowns)
    found.sum_of(range(unknowns), 0, MOST)
    for i in range(int(rng.integers(1, 4))):
        cells = np.flatnonzero(rng.random(unknowns) < 0.6)
        if len(cells):
            total = int(truth[cells].sum())
            found.sum_of(cells, total - int(rng.integers(0, 4)), total + int(rng.integers(0, 4)), f"row {i}")
    if truth.sum():
        share = truth[0] / truth.sum()
        found.share_of([0], range(unknowns), max(share - 0.2, 0), min(share + 0.2, 1), "share")
    return found, truth


def solutions(statements: Statements) -> np.ndarray:
    every = np.array(list(product(range(MOST + 1), repeat=statements.unknowns)))
    sums = every @ statements.matrix.toarray().T
    fits = (sums >= np.array(statements.low) - 1e-9) & (sums <= np.array(statements.high) + 1e-9)
    return every[fits.all(axis=1)]


@pytest.mark.parametrize("seed", range(40))
def test_the_bounds_are_those_of_all_solutions(seed):
    statements, truth = random_statements(np.random.default_rng(seed))
    every = solutions(statements)
    for cell in range(statements.unknowns):
        low, high = possible_range(statements, {cell: 1.0})
        assert (round(low), round(high)) == (every[:, cell].min(), every[:, cell].max())
        relaxed = possible_range(statements, {cell: 1.0}, relaxed=True)
        assert relaxed[0] <= low + 1e-6 and relaxed[1] >= high - 1e-6
    if statements.unknowns > 1:
        difference = every[:, 0] - every[:, 1]
        low, high = possible_range(statements, {0: 1.0, 1: -1.0})
        assert (round(low), round(high)) == (difference.min(), difference.max())
    sure = values_by_moves(statements, truth)
    assert all(sure[cell] <= len(np.unique(every[:, cell])) for cell in range(statements.unknowns))


def test_three_independently_rounded_numbers_have_one_solution():
    """The published counts at threshold 5 are 305 in all, 205, 105 and 5 ("fewer than 8")."""
    statements = Statements(3)
    statements.sum_of(range(3), 303, 307, "total")
    for cell, (low, high) in enumerate([(203, 207), (103, 107), (1, 7)]):
        statements.sum_of([cell], low, high, f"row {cell}")
    (found,) = too_certain(statements, [[2]], 5)
    assert found.target == (2,) and (found.low, found.high) == (1, 1)
    assert too_certain(statements.without("total"), [[2]], 5) == []


def test_jointly_rounded_sums_leave_as_many_feasible_values_as_the_threshold():
    statements = Statements(3)
    published = np.array([205, 100, 0])
    statements.sum_of(range(3), 303, 307)
    for cell, count in enumerate(published.tolist()):
        statements.rounded([cell], count, 5)
    assert too_certain(statements, [[0], [1], [2]], 5, published) == []


def test_infeasible_statements_are_refused():
    statements = Statements(1)
    statements.sum_of([0], 3, 4)
    statements.sum_of([0], 6, 9)
    assert values_by_moves(statements, np.array([3])).tolist() == [1]
    with pytest.raises(ValueError, match="no counts fit"):
        possible_range(statements, {0: 1.0})
