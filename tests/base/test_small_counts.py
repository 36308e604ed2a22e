"""Numbers of people as coarse as the threshold."""

import numpy as np

from workbench.base.small_counts import about_share, averaged, between, coarse, few, least, named, parts, share, some_of
from workbench.base.small_counts import people as counted


def test_numbers_of_people_are_as_coarse_as_the_threshold():
    assert counted(1, 10) == counted(14, 10) == "fewer than 15 people" and counted(15, 10) == "about 20 people"
    assert counted(0, 10) == "nobody" and counted(1, 1) == "1 person" and counted(12, 0) == "12 people"
    assert [coarse(n, 10) for n in (0, 1, 14, 15, 24, 45_222)] == [0, 10, 10, 20, 20, 45_220]
    for smallest in range(1, 12):
        told = [coarse(n, smallest) for n in range(1, 100)]
        assert all(told.count(one) >= smallest for one in set(told) if one < 90)
        assert all(least(n, smallest) == told.index(coarse(n, smallest)) + 1 for n in range(1, 100))
        assert few(smallest) == next(n for n in range(1, 100) if told[n - 1] > told[0])
    assert some_of(590, 600, 10) == "about 590 of about 600 people" and some_of(0, 600, 10) == "nobody"
    assert some_of(597, 600, 10) == "all or nearly all of about 600 people"


def test_shares_are_told_in_parts_of_as_many_people_as_the_threshold():
    assert [parts(n, 10) for n in (30, 95, 200, 1000)] == [4, 10, 20, 100]
    assert share(199, 200, 10) == 1 and about_share(7, 9, 10) == "over 75 %"
    assert [about_share(n, 20, 10) for n in (4, 5, 10, 20)] == [
        "under 25 %",
        "25–50 %",
        "50–75 %",
        "over 75 %",
    ]
    assert between(0.5, 0.64) == "50–64 %" and between(0.0, 0.2) == "under 20 %"


def test_averages_have_two_figures_and_never_flatter():
    assert averaged(0.02275) == 0.023 and averaged(0.02275, better="higher") == 0.022
    assert averaged(0.0123, 20 / 600) == 0.04, "3 of 600 and 4 of 600 are told alike"
    assert averaged(float("inf")) == float("inf") and averaged(0.0, 0.1) == 0


def test_values_that_few_have_are_not_named():
    """A name says that there are some: a value of so few that they are told as few would have a range of its own."""
    assert named(np.array([50, 3, 5, 7, 8, 0]), 5).tolist() == [True, False, False, False, True, False]
    assert named(np.array([0, 1]), 1).tolist() == named(np.array([0, 1]), 0).tolist() == [False, True]
