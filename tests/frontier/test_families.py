""""""

import math

import pytest

from tests.frontier.points import P, U
from tests.methods.raking.tables import table
from workbench.base.errors import BadInput
from workbench.frontier.families import Family, FamilySearch, Objective, default_families, families_from_recipes
from workbench.frontier.recipe import Point, Recipe, parse_recipe
from workbench.methods import Mondrian
from workbench.models import BetaLikeness, KAnonymity, ProbabilisticLDiversity, TCloseness


@pytest.mark.parametrize(
    ("model", "most_private", "least_private"),
    [
        (KAnonymity(), 1500, 1),
        (TCloseness(distance="js"), 0.002, 1),
        (ProbabilisticLDiversity(), 4, 1),
        (BetaLikeness(), 0.04, 20),
    ],
)
def test_positions_run_from_the_most_to_the_least_private_recipe(model, most_private, least_private):
    family = Family(Mondrian(), model, table())
    assert (family.value(0), family.value(1)) == (most_private, least_private)
    values = [family.value(place / 20) for place in range(21)]
    assert values == sorted(values, reverse=model.at_least)
    for place in (0, 0.37, 1):
        recipe = family.recipe(place)
        assert recipe.model.settings() == {**model.settings(), model.figure: family.value(place)}
        assert parse_recipe(str(recipe)) == (recipe.model, recipe.method), "the printed recipe can be read back"


def test_wide_ranges_are_logarithmic_and_integer_parameters_integers():
    family = Family(Mondrian(), KAnonymity(), table())
    assert [family.value(place) for place in (0, 0.5, 1)] == [1500, 39, 1]
    assert all(isinstance(family.value(place / 10), int) for place in range(11))


def test_default_families_differ_and_cover_every_sensitive_column():
    families = default_families(table(0, ("illness", "wage")), seed=3)
    assert len({str(one) for one in families}) == len(families)
    targets = [getattr(one.method, "target", None) for one in families]
    assert targets.count("illness") == targets.count("wage") == 2
    assert {one.recipe(0.5).seed for one in families} == {3}


def test_families_are_written_like_recipes():
    (family,) = families_from_recipes(table(), ["t-closeness, t=0.4, distance=js (mondrian, publish=bucketized)"])
    assert (family.model, family.method) == (TCloseness(0.4, "js"), Mondrian(publish="bucketized"))
    (family,) = families_from_recipes(table(), Recipe(Mondrian(), KAnonymity(7)))
    assert family.recipe(1).model == KAnonymity(1)


def test_a_combined_model_is_satisfied_too():
    family = Family(Mondrian(), TCloseness(distance="js"), table(), also_requires=KAnonymity(9))
    assert family.recipe(1).model == TCloseness(1, "js") & KAnonymity(9)
    assert str(family) == "t-closeness, distance = js & k-anonymity, k = 9 (mondrian)"


@pytest.mark.parametrize("wrong", ["k-anonymity", "mondrian", "k-anonymity, k=2 & t-closeness (mondrian)", 5])
def test_invalid_families_are_refused(wrong):
    with pytest.raises(BadInput, match=r"families|is not a model and a method"):
        list(families_from_recipes(table(), [wrong]))


# The search of one family whose loss is a formula: the position at the cap, and the notes.

MEASURES = {"P": P, "U": U}
UNDER_P, UNDER_U = Objective(MEASURES, {"P": 0.1}, "U"), Objective(MEASURES, {"U": 0.5}, "P")


def make_point(family, place, private=None):
    """Return a point whose privacy loss is t and whose utility loss falls with t."""
    value = family.value(place)
    p = value if private is None else private(value)
    return Point(family.recipe(place), {"P": p, "U": 0.05 / p})


def run_family_search(aim, model=TCloseness, guess=0.5, private=None, most=25):
    searched = FamilySearch(Family(Mondrian(), model(), table()))
    while (place := searched.next(aim, guess)) is not None:
        assert place not in searched.tried and len(searched.tried) < most
        searched.tried[place] = make_point(searched.family, place, private)
    return searched


@pytest.mark.parametrize("guess", [0, 0.5, 0.9, 1])
def test_a_cap_on_privacy_is_approached_from_within(guess):
    searched = run_family_search(UNDER_P, guess=guess, most=12)
    assert 0.0985 <= searched.best(UNDER_P).values["P"] <= 0.1


def test_a_cap_on_utility_is_approached_from_the_other_side():
    searched = run_family_search(UNDER_U, most=12)
    assert 0.1 <= searched.best(UNDER_U).values["P"] <= 0.102


def test_steps_are_bisected():
    def stairs(t):
        return 0.02 if t < 0.03 else 0.07 if t < 0.3 else 0.6

    searched = run_family_search(UNDER_P, private=stairs, most=20)
    assert searched.best(UNDER_P).values["P"] == 0.07
    assert searched.bracket(UNDER_P)[1] - searched.bracket(UNDER_P)[0] <= 0.01


def test_a_cap_is_reached_although_the_least_private_recipes_satisfy_it_again():
    """Buckets that are too few to be mixed behave like this: another release beyond t = .4."""

    def over_the_top(t):
        return t if t < 0.4 else 0.06

    searched = run_family_search(UNDER_P, guess=0.6, private=over_the_top, most=20)
    assert 0.0985 <= searched.best(UNDER_P).values["P"] <= 0.1


def test_integer_parameters_end_between_two_adjacent_values():
    searched = run_family_search(UNDER_P, KAnonymity, private=lambda k: 3.3 / k)
    assert searched.best(UNDER_P).recipe.model.k == 33


@pytest.mark.parametrize(("private", "end"), [(lambda t: 0.01, 1), (lambda t: 0.5, 0)])
def test_the_end_of_the_range_is_tried_if_every_position_is_on_one_side(private, end):
    searched = run_family_search(UNDER_P, private=private, most=5)
    assert end in searched.tried


def test_a_position_without_a_release_counts_as_private():
    searched = FamilySearch(Family(Mondrian(), TCloseness(), table()))
    while (place := searched.next(UNDER_P, 0.5)) is not None:
        point = make_point(searched.family, place)
        searched.tried[place] = (
            point if point.values["P"] > 0.05 else Point(point.recipe, {}, {"P": "none", "U": "none"})
        )
    assert searched.best(UNDER_P).values["P"] >= 0.0985
    assert not searched.undefined


def test_the_expected_loss_is_between_the_best_point_and_those_beyond_the_cap():
    searched = FamilySearch(Family(Mondrian(), TCloseness(), table()))
    for place in (0.3, 0.9):
        searched.tried[place] = make_point(searched.family, place)
    inside, beyond = (UNDER_P.loss(searched.tried[place]) for place in (0.3, 0.9))
    assert beyond * 0.5 < searched.hoped(UNDER_P) < inside
    assert FamilySearch(searched.family).hoped(UNDER_P) == 0


def test_more_positions_are_tried_around_the_cap():
    searched = run_family_search(UNDER_P)
    near = [searched.around(UNDER_P) for _ in range(6)]
    assert len(set(near)) == 6 and not set(near) & set(searched.tried)
    values = [searched.family.value(place) for place in near]
    assert 0.08 < min(values) < 0.1 < max(values) < 0.105


def test_the_excess_of_a_point_over_caps():
    high = type(P)("H", "utility", "higher", 1.0)
    aim = Objective({**MEASURES, "H": high}, {"P": 0.2, "H": 0.5}, "U")
    recipe = make_point(FamilySearch(Family(Mondrian(), TCloseness(), table())).family, 0).recipe
    assert aim.within(Point(recipe, {"P": 0.2, "U": 1, "H": 0.5})) and aim.rising
    assert not aim.within(Point(recipe, {"P": 0.2, "U": 1, "H": 0.4}))
    assert not aim.within(Point(recipe, {"P": 0.1, "H": 1})), "without a value of the goal"
    assert aim.beyond(Point(recipe, {"P": 0.3, "H": 1})) == pytest.approx(1.5)
    assert aim.beyond(Point(recipe, {"P": math.inf})) == math.inf and aim.beyond(Point(recipe, {})) == 0
    only_utility = Objective(aim.measures, {"H": 0.5}, "P")
    assert only_utility.beyond(Point(recipe, {"H": 0.25})) == 2 and not only_utility.rising


def test_the_notes_describe_the_tried_positions():
    searched = run_family_search(UNDER_P)
    searched.abandoned_because = "it is beaten"
    text = searched.summarize(UNDER_P)
    assert text.startswith(f"t-closeness (mondrian): {len(searched.tried)} points, t from ")
    assert "within the caps at best U 0.5" in text and text.endswith("abandoned: it is beaten.")
    assert (
        FamilySearch(searched.family, {0.5: make_point(searched.family, 0.5)}).summarize(None)
        == "t-closeness (mondrian): 1 point."
    )
