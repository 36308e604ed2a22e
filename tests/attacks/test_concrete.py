"""Attacks that recovered counts from an earlier version recover none, from what leaves alone or together."""

import pytest

from tests.attacks.concrete import (
    ATTACKS,
    FEW,
    certain_by_the_tables,
    possible_by_secrets,
    recovered,
    the_other_wards,
)


@pytest.mark.parametrize(("read", "counts"), ATTACKS.values(), ids=ATTACKS)
def test_no_count_is_read_like_no_other(read, counts):
    assert recovered(read, counts) == []


def test_the_whole_less_the_other_wards_leaves_several_counts():
    """She knows all records but those of one ward, and the code, but not the secret of the rounding.

    That is more than the pages are made for: the total of a table is rounded to the nearest multiple by itself.
    """
    counts = range(1, 2 * FEW)
    possible = possible_by_secrets(the_other_wards, counts)
    assert all(len(possible[count]) >= 3 for count in range(1, FEW)), "the total gives much away: it has no secret"


def test_a_page_says_of_how_many_its_tables_make_certain():
    tables, promised = certain_by_the_tables()
    assert 0 < tables <= promised
