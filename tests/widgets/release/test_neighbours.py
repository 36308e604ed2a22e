"""What lies near a release."""

from tests.widgets.release.stand import MEASURES
from widgets.release.neighbours import (
    NOTICEABLE,
    expected,
    most_worthwhile,
    neighbours,
    own_losses,
    small_changes,
    spans,
)
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import point_of
from workbench.methods import Mondrian
from workbench.models import AlphaK, BetaLikeness, KAnonymity


def test_neighbours_are_efficient_and_on_either_side(table, frontier):
    recipe = Recipe(Mondrian(), KAnonymity(4))
    point = point_of(recipe, recipe.release(table), MEASURES)
    found = neighbours(frontier, point)
    efficient = [frontier.measured[int(i)] for i in frontier.efficient.index]
    assert all(any(one.point is other for other in efficient) for one in found)
    own, unit = own_losses(frontier, point), spans(frontier)
    for why, side in (("more private", 0), ("more useful", 1)):
        for one in found:
            if one.why == why:
                assert ((own - own_losses(frontier, one.point)) / unit)[side] > NOTICEABLE
    assert len({id(one.point) for one in found}) == len(found)


def test_the_small_change_that_is_most_worthwhile(stand, table, frontier):
    stand.send("rest")
    assert stand.last("change") is not None
    found = []
    for name, before, after, recipe in small_changes(stand.card.recipe, table):
        assert (name, before) == ("k", 5)
        assert after in (4, 6)
        point = point_of(recipe, recipe.release(table), MEASURES)
        found.append(((own_losses(frontier, stand.card.point) - own_losses(frontier, point)) / spans(frontier), after))
    gains = {after: max(gain) / -min(min(gain), -1e-300) for gain, after in found if max(gain) > 0}
    best = max(gains, key=gains.get, default=None)
    if best is not None and gains[best] > 1:
        assert stand.last("change")["take"] == f"k 5 → {best}"
        stand.send("take", field="asked", take="k 5 → 77")  # of an older picture
        assert stand.card.recipe.model == KAnonymity(5)
        stand.send("take", field="asked", take=f"k 5 → {best}")
        assert stand.card.recipe.model == KAnonymity(best)
    else:
        assert stand.last("change")["take"] == ""


def test_a_change_that_loses_more_than_it_gains_is_not_praised(frontier):
    assert most_worthwhile(frontier, frontier.measured[0], []) is None


def test_small_changes_keep_to_the_bounds(table):
    found = small_changes(Recipe(Mondrian(), AlphaK(alpha=1.0, k=1)), table)
    assert [(name, after) for name, _, after, _ in found] == [("alpha", 0.9), ("k", 2)]


def test_where_a_point_is_expected_lies_between_its_measured_neighbours(frontier):
    known = {p.recipe.model: p.values for p in frontier.measured if p.recipe.model is not None}
    found = expected(frontier, Recipe(Mondrian(), KAnonymity(7)), 0, "k")
    assert found.why == "between k = 5 and 10" and found.point.recipe == Recipe(Mondrian(), KAnonymity(7))
    for key, value in found.point.values.items():
        low, high = sorted((known[KAnonymity(5)][key], known[KAnonymity(10)][key]))
        assert low <= value <= high
    assert expected(frontier, Recipe(Mondrian(), KAnonymity(10)), 0, "k").point.values == known[KAnonymity(10)]
    beyond = expected(frontier, Recipe(Mondrian(), KAnonymity(50)), 0, "k")
    assert beyond.why == "as for k = 20" and beyond.point.values == known[KAnonymity(20)]
    for other in (Recipe(Mondrian(), BetaLikeness(2)), Recipe(Mondrian(strict=False), KAnonymity(7))):
        assert expected(frontier, other, 0, next(iter(type(other.model).parameters()))) is None
    assert expected(None, Recipe(Mondrian(), KAnonymity(7)), 0, "k") is None
