"""Attacks that recovered counts from an earlier version recover none, from what leaves alone or together."""

import pytest

from tests.attacks.concrete import ATTACKS, certain_by_the_tables, recovered


@pytest.mark.parametrize(("read", "counts"), ATTACKS.values(), ids=ATTACKS)
def test_no_count_is_read_like_no_other(read, counts):
    assert recovered(read, counts) == []


def test_a_page_says_of_how_many_its_tables_make_certain():
    tables, promised = certain_by_the_tables()
    assert 0 < tables <= promised
