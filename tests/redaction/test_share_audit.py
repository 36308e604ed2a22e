"""The audit of shares of nested groups, compared with the feasible counts of their difference."""

import numpy as np

from workbench.redaction.share_audit import Share, shares_to_drop

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
