"""Attacks that recovered counts from earlier versions recover none, from one publication or several."""

import pytest

from tests.attacks.past_attacks import (
    ATTACKS,
    FEW,
    count_certain_people,
    feasible_by_secret,
    recover_counts,
    whole_and_other_wards,
)


@pytest.mark.parametrize(("read", "counts"), ATTACKS.values(), ids=ATTACKS)
def test_no_hidden_count_is_recovered(read, counts):
    assert recover_counts(read, counts) == []


@pytest.mark.slow
def test_the_difference_of_the_whole_and_the_other_wards_has_several_feasible_counts():
    """The attacker knows the code and all records except those of one ward, but not the secret of the rounding.

    Pages do not promise protection against that much: the total of a table is rounded to the nearest multiple.
    """
    counts = range(1, 2 * FEW)
    feasible = feasible_by_secret(whole_and_other_wards, counts)
    assert all(len(feasible[count]) >= 3 for count in range(1, FEW)), (
        "the total discloses much: it is rounded without the secret"
    )


def test_a_page_states_how_many_people_its_tables_disclose_with_certainty():
    tables, promised = count_certain_people()
    assert 0 < tables <= promised
