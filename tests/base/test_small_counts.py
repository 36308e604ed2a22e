"""Numbers of people rounded to the threshold."""

import numpy as np

from workbench.base.small_counts import describe_count as counted
from workbench.base.small_counts import (
    describe_part,
    describe_range,
    lower_bound,
    may_be_named,
    round_average,
    round_count,
    round_share,
    share_resolution,
    small_limit,
)


def test_numbers_of_people_are_rounded_to_the_threshold():
    assert counted(1, 10) == counted(14, 10) == "fewer than 15 people" and counted(15, 10) == "about 20 people"
    assert counted(0, 10) == "nobody" and counted(1, 1) == "1 person" and counted(12, 0) == "12 people"
    assert [round_count(n, 10) for n in (0, 1, 14, 15, 24, 45_222)] == [0, 10, 10, 20, 20, 45_220]
    for smallest in range(1, 12):
        told = [round_count(n, smallest) for n in range(1, 100)]
        assert all(told.count(one) >= smallest for one in set(told) if one < 90)
        assert all(lower_bound(n, smallest) == told.index(round_count(n, smallest)) + 1 for n in range(1, 100))
        assert small_limit(smallest) == next(n for n in range(1, 100) if told[n - 1] > told[0])
    assert describe_part(590, 600, 10) == "about 590 of about 600 people" and describe_part(0, 600, 10) == "nobody"
    assert describe_part(597, 600, 10) == "all or nearly all of about 600 people"


def test_steps_of_shares_contain_as_many_people_as_the_threshold():
    assert [share_resolution(n, 10) for n in (30, 40, 95, 200, 1000)] == [2, 4, 10, 20, 100]
    assert round_share(199, 200, 10) == 1
    assert describe_range(0.5, 0.64) == "50–64 %" and describe_range(0.0, 0.2) == "under 20 %"


def test_averages_have_two_digits_and_are_never_too_good():
    assert round_average(0.02275) == 0.023 and round_average(0.02275, better="higher") == 0.022
    assert round_average(0.0123, 20 / 600) == 0.04, "3 of 600 and 4 of 600 give the same share"
    assert round_average(float("inf")) == float("inf") and round_average(0.0, 0.1) == 0


def test_rare_values_are_not_named():
    """A name discloses that the value occurs, and a rare value would have a narrower range of counts."""
    assert may_be_named(np.array([50, 3, 5, 7, 8, 0]), 5).tolist() == [True, False, False, False, True, False]
    assert may_be_named(np.array([0, 1]), 1).tolist() == may_be_named(np.array([0, 1]), 0).tolist() == [False, True]
