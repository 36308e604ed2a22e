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


def track(losses, model=None):
    """A family whose points at these positions have these losses."""
    family = Family(Mondrian(), model or TCloseness(), table())
    points = {at: Point(family.recipe(at), {"P": p, "U": u}) for at, (p, u) in losses.items()}
    return FamilySearch(family, points)


def asked(*tracks):
    points = [point for one in tracks for point in one.tried.values()]
    return find_widest_gap(Frontier(points, [P, U]), tracks)


def test_the_widest_gap_is_halved_by_the_family_beside_it():
    one = track({0.2: (0.1, 0.9), 0.3: (0.2, 0.8), 0.7: (0.8, 0.1)})
    assert asked(one) == (one, pytest.approx(0.5))


def test_where_there_is_no_new_recipe_the_next_gap_is_taken():
    one = track({0.0: (0.1, 0.9), 0.001: (0.2, 0.3), 0.6: (0.9, 0.1)})
    assert asked(one) == (one, pytest.approx(0.3005))


def test_the_neighbour_of_another_family_is_left_to_it():
    near = track({0.2: (0.1, 0.9), 0.6: (0.15, 0.85)}, KAnonymity())
    far = track({0.3: (0.6, 0.2), 0.5: (0.65, 0.15)})
    assert asked(near, far) == (near, 1.0), "its end, after its last point"
    near.tried[1.0] = Point(near.family.recipe(1.0), {"P": 0.9, "U": 0.05})
    found, place = asked(near, far)
    assert found is near and place == pytest.approx(0.8)


def test_a_gap_is_as_long_on_either_side_and_between_points_that_are_alike_is_none():
    """By its area the steep one would come first; a slider of privacy would find nothing for half of its way."""
    one = track({0.0: (0.0, 1.0), 0.2: (0.1, 0.6), 0.4: (0.2, 0.1), 0.8: (0.9, 0.05), 1.0: (1.0, 0.0)})
    assert asked(one)[1] == pytest.approx(0.6)
    flat = track({0.0: (0.0, 1.0), 0.5: (0.999, 0.0), 1.0: (1.0, 0.0)})
    assert asked(flat)[1] == pytest.approx(0.25)


def test_a_dominated_point_is_no_neighbour_and_without_points_there_is_nothing():
    one = track({0.2: (0.1, 0.9), 0.4: (0.85, 0.95), 0.8: (0.8, 0.1)})
    assert asked(one)[1] == pytest.approx(0.3)
    assert find_widest_gap(Frontier([], [P, U]), []) is None
