"""One family, of which the loss is a formula: where the caps are touched, and what it says of itself."""

import math

import pytest

from tests.frontier.points import P, U
from tests.methods.raking.tables import table
from workbench.frontier.families import Family
from workbench.frontier.family_search import FamilySearch, Objective
from workbench.frontier.recipe import Point
from workbench.methods import Mondrian
from workbench.models import KAnonymity, TCloseness

MEASURES = {"P": P, "U": U}
UNDER_P, UNDER_U = Objective(MEASURES, {"P": 0.1}, "U"), Objective(MEASURES, {"U": 0.5}, "P")


def made(family, place, private=None):
    """The privacy loss is t, and utility loss falls with it."""
    value = family.value(place)
    p = value if private is None else private(value)
    return Point(family.recipe(place), {"P": p, "U": 0.05 / p})


def touched(aim, model=TCloseness, guess=0.5, private=None, most=25):
    track = FamilySearch(Family(Mondrian(), model(), table()))
    while (place := track.next(aim, guess)) is not None:
        assert place not in track.tried and len(track.tried) < most
        track.tried[place] = made(track.family, place, private)
    return track


@pytest.mark.parametrize("guess", [0, 0.5, 0.9, 1])
def test_a_cap_on_privacy_is_touched_from_within(guess):
    track = touched(UNDER_P, guess=guess, most=12)
    assert 0.0985 <= track.best(UNDER_P).values["P"] <= 0.1


def test_a_cap_on_utility_is_touched_from_the_other_side():
    track = touched(UNDER_U, most=12)
    assert 0.1 <= track.best(UNDER_U).values["P"] <= 0.102


def test_steps_are_bisected():
    def stairs(t):
        return 0.02 if t < 0.03 else 0.07 if t < 0.3 else 0.6

    track = touched(UNDER_P, private=stairs, most=20)
    assert track.best(UNDER_P).values["P"] == 0.07
    assert track.bracket(UNDER_P)[1] - track.bracket(UNDER_P)[0] <= 0.01


def test_a_cap_is_touched_where_the_least_private_recipes_are_within_it_again():
    """As with buckets that are too few to be mixed: beyond t = .4 there is another release."""

    def over_the_top(t):
        return t if t < 0.4 else 0.06

    track = touched(UNDER_P, guess=0.6, private=over_the_top, most=20)
    assert 0.0985 <= track.best(UNDER_P).values["P"] <= 0.1


def test_whole_parameters_end_between_two_neighbours():
    track = touched(UNDER_P, KAnonymity, private=lambda k: 3.3 / k)
    assert track.best(UNDER_P).recipe.model.k == 33


@pytest.mark.parametrize(("private", "end"), [(lambda t: 0.01, 1), (lambda t: 0.5, 0)])
def test_where_all_is_on_one_side_the_end_is_tried(private, end):
    track = touched(UNDER_P, private=private, most=5)
    assert end in track.tried


def test_a_position_without_a_release_is_on_the_private_side():
    track = FamilySearch(Family(Mondrian(), TCloseness(), table()))
    while (place := track.next(UNDER_P, 0.5)) is not None:
        point = made(track.family, place)
        track.tried[place] = point if point.values["P"] > 0.05 else Point(point.recipe, {}, {"P": "none", "U": "none"})
    assert track.best(UNDER_P).values["P"] >= 0.0985
    assert not track.undefined


def test_what_is_hoped_for_is_never_worse_than_what_is_there_nor_much_better_than_what_lies_beyond():
    track = FamilySearch(Family(Mondrian(), TCloseness(), table()))
    for place in (0.3, 0.9):
        track.tried[place] = made(track.family, place)
    inside, beyond = (UNDER_P.loss(track.tried[place]) for place in (0.3, 0.9))
    assert beyond * 0.5 < track.hoped(UNDER_P) < inside
    assert FamilySearch(track.family).hoped(UNDER_P) == 0


def test_other_positions_around_where_the_cap_is_touched():
    track = touched(UNDER_P)
    near = [track.around(UNDER_P) for _ in range(6)]
    assert len(set(near)) == 6 and not set(near) & set(track.tried)
    values = [track.family.value(place) for place in near]
    assert 0.08 < min(values) < 0.1 < max(values) < 0.105


def test_how_far_beyond_caps_a_point_is():
    high = type(P)("H", "utility", "higher", 1.0)
    aim = Objective({**MEASURES, "H": high}, {"P": 0.2, "H": 0.5}, "U")
    recipe = made(FamilySearch(Family(Mondrian(), TCloseness(), table())).family, 0).recipe
    assert aim.within(Point(recipe, {"P": 0.2, "U": 1, "H": 0.5})) and aim.rising
    assert not aim.within(Point(recipe, {"P": 0.2, "U": 1, "H": 0.4}))
    assert not aim.within(Point(recipe, {"P": 0.1, "H": 1})), "without a value of what is sought"
    assert aim.beyond(Point(recipe, {"P": 0.3, "H": 1})) == pytest.approx(1.5)
    assert aim.beyond(Point(recipe, {"P": math.inf})) == math.inf and aim.beyond(Point(recipe, {})) == 0
    only_utility = Objective(aim.measures, {"H": 0.5}, "P")
    assert only_utility.beyond(Point(recipe, {"H": 0.25})) == 2 and not only_utility.rising


def test_it_says_what_was_tried():
    track = touched(UNDER_P)
    track.given_up = "it is beaten"
    text = track.said(UNDER_P)
    assert text.startswith(f"t-closeness (mondrian): {len(track.tried)} points, t from ")
    assert "within the caps at best U 0.5" in text and text.endswith("given up: it is beaten.")
    assert FamilySearch(track.family, {0.5: made(track.family, 0.5)}).said(None) == "t-closeness (mondrian): 1 point."
