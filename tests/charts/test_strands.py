"""Lines of points with two parameters."""

import re

from tests.charts.drawn import frontier, made, two_parameters
from workbench import charts
from workbench.charts.scene import Scene, short_recipe_text
from workbench.charts.strands import strands
from workbench.frontier.recipe import Recipe
from workbench.methods import Laplace, Mondrian, RandomizedResponse
from workbench.models import KAnonymity


def test_one_kind_of_noise_is_one_curve():
    drawn = [made(Recipe(RandomizedResponse(keep)), 0.3, keep) for keep in (0.2, 0.5, 0.8)]
    other = made(Recipe(Laplace(1, bounds="age: 0..9")), 0.1, 0.1)
    *_, first, second, third, last = strands(frontier(*drawn, other))
    assert first == second == third != last
    assert short_recipe_text(other.recipe) == "laplace, epsilon = 1"


def test_a_series_with_two_parameters_is_several_curves():
    scene = Scene(two_parameters())
    rows = [row for row in scene.rows(scene.axis("P_loss"), scene.axis("U_loss"))["points"] if not row["baseline"]]
    assert len({row["line"] for row in rows}) == 1
    curves = {}
    for row in rows:
        curves.setdefault(row["strand"], []).append((row["recipe"], row["x"], row["y"]))
    assert len(curves) == 4
    for curve in curves.values():
        assert len(curve) == 5 and len({re.search("alpha = [^,]+", recipe)[0] for recipe, _, _ in curve}) == 1
        assert [y for _, _, y in sorted(curve, key=lambda one: one[1])] == sorted((y for *_, y in curve), reverse=True)
    one = strands(frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02)))
    assert one[0] == one[1] == one[5] != one[2]  # of one parameter: one curve
    drawn = charts.frontier_chart(two_parameters()).to_dict()
    assert [
        one
        for one in drawn["layer"]
        if one["mark"].get("type") == "line" and "strand" in str(one["encoding"].get("detail"))
    ]
