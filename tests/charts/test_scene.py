"""The content of a frontier chart: descriptions, intervals, curves, and the region that no release can reach."""

import re

import pytest

from tests.charts.drawn import frontier, made, two_parameters, words_of
from workbench import charts
from workbench.base.figures import format_interval
from workbench.charts import frontier_chart, offline
from workbench.charts.axis import Axis
from workbench.charts.labels import PlotArea
from workbench.charts.scene import Scene, short_recipe_text, strands, unreachable_label, unreachable_region
from workbench.frontier.lower_bounds import Line, LowerBounds
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Laplace, Mondrian, RandomizedResponse
from workbench.models import KAnonymity

STRAIGHT = LowerBounds(((Line(0.04, 0.2),),))


def test_the_description_for_screen_readers():
    own = frontier()
    other = frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    drawn = charts.frontier_chart(own, pinned=other, moving=own.measured[0], caps={"P_loss": 0.3}, selected=2)
    lost = Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1})
    for chart in (drawn, charts.parallel_chart(frontier(lost), selected=1), charts.heat_chart(frontier(lost))):
        heard = re.findall(r'aria-label="([^"]*)"', offline.svg(chart.to_dict()))
        assert len(heard) > 5 and not [label for label in heard if re.search("undefined;|null|NaN|datum", label)]
    heard = re.findall(r'aria-label="([^"]*)"', offline.svg(drawn.to_dict()))
    assert "k-anonymity, k = 5 (mondrian): P_loss 0.5, U_loss 0.01" in heard
    assert "pinned: everything kept: P_loss 0.69, U_loss 0" in heard


def test_intervals_are_drawn_and_described():
    recipe = Recipe(Mondrian(), KAnonymity(k=7))
    lost = Point(recipe, {"P_loss": 0.3, "U_loss": 0.02}, intervals={"U_loss": (0.015, 0.025)})
    drawn = charts.frontier_chart(frontier(lost)).to_dict()
    assert drawn["datasets"]["intervals"] == [{"x": 0.3, "x2": 0.3, "y": 0.015, "y2": 0.025}]
    row = next(row for row in drawn["datasets"]["points"] if row["recipe"] == str(recipe))
    assert row["said"].endswith("P_loss 0.3, U_loss 0.02 (0.015 to 0.025)") and row["m1"] == "0.02 (0.015 to 0.025)"
    assert not charts.frontier_chart(frontier()).to_dict()["datasets"]["intervals"] and format_interval(None) == ""
    far = Point(recipe, {"P_loss": 0.3, "U_loss": 0.02}, intervals={"P_loss": (0.3, 5.0)})
    whole = charts.frontier_chart(frontier(far)).to_dict()
    assert whole["datasets"]["intervals"] == [{"x": 0.3, "x2": 5.0, "y": 0.02, "y2": 0.02}], (
        "the interval does not end at an edge"
    )
    points = frontier(lost).points
    assert points["U_loss low"].tolist()[-1] == 0.015 and points["U_loss high"].tolist()[:1] == [0.01]
    assert "U_loss low" not in frontier().points


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


def axes(log=False):
    return Axis.from_values(PrivacyLoss(), [0.02, 0.6]), Axis.from_values(UtilityLoss(), [0.001, 0.05], log=log)


@pytest.mark.parametrize("log", [False, True])
def test_the_region_is_between_the_bound_and_the_end_of_the_axis(log):
    x, y = axes(log)
    rows = unreachable_region([STRAIGHT], x, y)
    assert rows[0]["x"] == pytest.approx(x.domain[0]) and rows[-1]["x"] == pytest.approx(x.domain[1])
    for row in rows:
        assert row["y2"] == y.domain[0]
        assert row["y"] == pytest.approx(max(y.domain[0], 0.04 - 0.2 * max(row["x"], 0), 0))


def test_two_regions_are_both_drawn():
    x, y = axes()
    assert {row["region"] for row in unreachable_region([STRAIGHT, STRAIGHT], x, y)} == {0, 1}


def area_of(*marks):
    return PlotArea((360, 350), marks, [])


@pytest.mark.parametrize("log", [False, True])
def test_the_label_is_inside_the_first_region_or_omitted(log):
    x, y = axes(log)
    (word,) = unreachable_label([STRAIGHT, STRAIGHT], x, y, area_of())
    assert word["word"] == "not possible\nin classes"
    left, middle = x.share(word["x"]) * 360, y.share(word["y"]) * 350
    for right in (left, left + 78):
        at = x.domain[0] + right / 360 * (x.domain[1] - x.domain[0])
        assert middle + 16 <= y.share(STRAIGHT.value_at(max(at, 0.0))) * 350 + 1e-6
    assert unreachable_label([STRAIGHT], x, y, area_of((left + 30, 350 - middle))) == [], "a point is in its place"
    steep = LowerBounds(((Line(0.04, 0.8),),))  # high at the left alone
    assert unreachable_label([steep], x, y, area_of()) == [] == unreachable_label([], x, y, area_of())


def test_the_chart_has_a_region_only_if_given():
    assert "in classes" in words_of(frontier_chart(frontier(), possible=[STRAIGHT]))
    assert "in classes" not in words_of(frontier_chart(frontier()))
