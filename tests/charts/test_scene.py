"""The description of a chart."""

import re

from tests.charts.drawn import frontier, made
from workbench import charts
from workbench.base.figures import format_interval
from workbench.charts import offline
from workbench.frontier.recipe import Point, Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity


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
