"""The best point under caps, or the nearest one."""

import pytest

from tests.frontier.points import Fake, P, U, frontier
from workbench.base.errors import BadInput


def test_the_best_point_under_caps():
    found = frontier((2, 4), (5, 1), (4, 4), (9, 1))
    assert found.best({"P": 4}) is found.measured[0]  # (4, 4) is as useful but less private
    assert found.best({P: 9}, minimise=U) is found.measured[1]
    assert found.best({"U": 4}, minimise="P") is found.measured[0]
    assert found.best() is found.measured[1]  # never a baseline, though keeping everything has the best U


def test_a_cap_is_a_minimum_if_higher_is_better():
    found = frontier((2, 4), (5, 1), measures=(Fake("P", "privacy", "higher", 10.0), U))
    assert found.best({"P": 3}) is found.measured[1]
    assert found.best(minimise="P") is found.measured[1]
    with pytest.raises(BadInput, match="no point has P at least 6; the highest P is 5"):
        found.best({"P": 6})


def test_the_error_of_caps_that_exclude_every_point_names_the_nearest_value():
    found = frontier((2, 4), (5, 1.23456))
    with pytest.raises(BadInput, match=r"no point has U at most 1; the lowest U is 1\.24"):
        found.best({"U": 1, "P": 5})
    assert found.best({"U": 1.24})
    together = (
        "no point has P at most 3 and U at most 2, though some have each; within the other caps the lowest P is 5, "
    )
    with pytest.raises(BadInput, match=together + "or within the other caps the lowest U is 4"):
        found.best({"P": 3, "U": 2})
    with pytest.raises(BadInput, match="cap on P is 'low'; give a number"):
        found.best({"P": "low"})
    with pytest.raises(BadInput, match="there are P, U"):
        found.best(minimise="Q")
    with pytest.raises(BadInput, match="no point but the baselines has a value on P and U"):
        frontier().best({"P": 3})
    with pytest.raises(BadInput, match=r"^no point has a value on P and U"):
        frontier(ends=False).best({"P": 3})
