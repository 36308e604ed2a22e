import pytest

from tests.frontier.points import P, U
from tests.methods.raking.tables import table
from workbench.frontier.families import Family
from workbench.frontier.family_search import FamilySearch
from workbench.frontier.frontier import Frontier
from workbench.frontier.gaps import find_widest_gap
from workbench.frontier.recipe import Point
from workbench.methods import Mondrian
from workbench.models import KAnonymity, TCloseness


def family_search(losses, model=None):
    """Return the search of a family with these losses at these positions."""
    family = Family(Mondrian(), model or TCloseness(), table())
    points = {at: Point(family.recipe(at), {"P": p, "U": u}) for at, (p, u) in losses.items()}
    return FamilySearch(family, points)


def widest_gap(*searches):
    points = [point for one in searches for point in one.tried.values()]
    return find_widest_gap(Frontier(points, [P, U]), searches)


def test_the_widest_gap_is_halved_by_the_adjacent_family():
    one = family_search({0.2: (0.1, 0.9), 0.3: (0.2, 0.8), 0.7: (0.8, 0.1)})
    assert widest_gap(one) == (one, pytest.approx(0.5))


def test_the_next_gap_is_chosen_if_there_is_no_new_recipe():
    one = family_search({0.0: (0.1, 0.9), 0.001: (0.2, 0.3), 0.6: (0.9, 0.1)})
    assert widest_gap(one) == (one, pytest.approx(0.3005))


def test_a_point_next_to_another_family_is_left_to_that_family():
    near = family_search({0.2: (0.1, 0.9), 0.6: (0.15, 0.85)}, KAnonymity())
    far = family_search({0.3: (0.6, 0.2), 0.5: (0.65, 0.15)})
    assert widest_gap(near, far) == (near, 1.0), "the end of its range"
    near.tried[1.0] = Point(near.family.recipe(1.0), {"P": 0.9, "U": 0.05})
    found, place = widest_gap(near, far)
    assert found is near and place == pytest.approx(0.8)


def test_a_gap_is_measured_on_both_axes_and_similar_points_have_none():
    """The steep gap has the larger area, but half of the range of privacy would stay empty."""
    one = family_search({0.0: (0.0, 1.0), 0.2: (0.1, 0.6), 0.4: (0.2, 0.1), 0.8: (0.9, 0.05), 1.0: (1.0, 0.0)})
    assert widest_gap(one)[1] == pytest.approx(0.6)
    flat = family_search({0.0: (0.0, 1.0), 0.5: (0.999, 0.0), 1.0: (1.0, 0.0)})
    assert widest_gap(flat)[1] == pytest.approx(0.25)


def test_dominated_points_are_skipped_and_no_points_give_no_gap():
    one = family_search({0.2: (0.1, 0.9), 0.4: (0.85, 0.95), 0.8: (0.8, 0.1)})
    assert widest_gap(one)[1] == pytest.approx(0.3)
    assert find_widest_gap(Frontier([], [P, U]), []) is None
