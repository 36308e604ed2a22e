"""The picture on the chart: nothing jumps, and no line changes its hue."""

import json
import re
from dataclasses import replace

import pytest

from tests.widgets.frontier.recording import MEASURES, point, points, replies
from widgets.frontier.picture import table
from workbench.charts.scene import Scene
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity


def test_a_line_keeps_its_hue(chart):
    hues = {row["line"]: row["hue"] for row in replies(chart, "hello")["picture"]["legend"]}
    chart.frontier = Frontier(points()[::-1], MEASURES)
    assert {row["line"]: row["hue"] for row in chart.sent[-1]["legend"]} == hues


def test_axes_fit_the_points_that_come_after_the_first(chart):
    """The ends come first: one point has no range, and must not leave one behind."""
    some = [points()[i] for i in (1, 0, 2, 3)]
    chart.frontier, chart.total = None, 4
    replies(chart, "hello")
    for n in (1, 2, 3):
        chart.frontier = Frontier(some[:n], MEASURES, complete=False)
    high = [cap["domain"][1] for cap in chart.sent[-1]["caps"]]
    assert high[0] == pytest.approx(0.7 * 1.075) and high[1] == pytest.approx(0.05 * 1.075)


def hues(drawn):
    """Hue by line, as a spec has it."""
    text = json.dumps(drawn["layer"])
    found = re.findall(r'"scale": {"domain": (\[[^\]]*\]), "range": (\["(?:#|rgba)[^\]]*\])}', text)
    return [dict(zip(*map(json.loads, pair), strict=True)) for pair in found]


def test_every_line_has_the_same_hue_wherever_it_is_drawn(chart):
    """Points came in another order than they have at the end, and other ones are pinned."""
    first = [points()[i] for i in (0, 1, 4)]
    chart.frontier = Frontier(first, MEASURES, complete=False)
    chart.frontier = chart.pinned = Frontier(points(), MEASURES)
    legend = {row["line"]: row["hue"] for row in replies(chart, "hello")["picture"]["legend"]}
    assert len(legend) == 4 and legend["t-closeness (mondrian)"] == "#009E73"
    shown = chart.sent[0]["spec"]
    for drawn in (
        shown,
        chart.altair().to_dict(),
        chart.frontier.chart().to_dict(),
        Frontier(first, MEASURES).chart().to_dict(),
    ):
        assert hues(drawn)
        assert all(legend[line] == hue for scale in hues(drawn) for line, hue in scale.items())
    chart.view = "parallel"
    assert all(legend[line] == hue for scale in hues(chart.altair().to_dict()) for line, hue in scale.items())


def test_the_altair_chart_is_what_is_shown(chart):
    replies(chart, "cap", field="cap-privacy", key="P_loss", value="0.3")
    chart.selected, chart.pinned = 4, chart.frontier
    chart.moving = point(Recipe(Mondrian(), KAnonymity(k=7)), 1.4, 0.02)  # beyond the other points
    chart.moving = point(Recipe(Mondrian(), KAnonymity(k=7)), 1.0, 0.02)
    shown = replies(chart, "hello")["picture"]
    drawn = chart.altair().to_dict()
    rows = drawn["datasets"]
    for name in ("points", "pinned", "stairs", "pinned_stairs", "chosen", "best", "moving"):
        own = [{key: row.get(key) for key in ("x", "y", "recipe", "efficient")} for row in rows[name]]
        assert own == [{key: row.get(key) for key in ("x", "y", "recipe", "efficient")} for row in shown["rows"][name]]
    domains = [
        set(re.findall(r'"domain": \[(-?[\d.e-]+, [\d.e-]+)\]', json.dumps(spec))) for spec in (drawn, shown["spec"])
    ]
    assert domains[0] == domains[1] and len(domains[0]) == 2
    assert "1.505" in str(domains[0])  # the page kept the longer axis, and so does the picture
    assert len(rows["chosen"]) == len(rows["best"]) == len(rows["cap_x"]) == 1 and rows["pinned"] and not rows["cap_y"]
    assert rows["points"][2]["why"].startswith("Efficient")


def test_an_axis_is_logarithmic_where_there_is_anything_above_zero(chart):
    replies(chart, "hello")
    picture = replies(chart, "scale", side="privacy", on=True)["picture"]
    assert (
        chart.log == ["P_loss"]
        and picture["spec"] is not None
        and [cap["log"] for cap in picture["caps"]] == [True, False]
    )
    assert all(row["x"] > 0 for row in picture["rows"]["points"])
    assert replies(chart, "scale", side="privacy", on=False)["picture"]["caps"][0]["log"] is False and chart.log == []
    assert (
        "there is no axis of" in replies(chart, "scale", field="axis-privacy", side="depth", on=True)["problem"]["text"]
    )
    zero = [point(Recipe(Mondrian(), KAnonymity(k=k)), 0.0, 0.1) for k in (2, 3)]
    chart.frontier = Frontier(zero, MEASURES)
    told = replies(chart, "scale", field="axis-privacy", side="privacy", on=True)["problem"]["text"]
    assert told == "no point has a value above 0 on P_loss, so it has no logarithmic axis" and chart.log == []


def test_where_an_estimated_value_lies_is_in_the_table_of_points():
    lost = replace(points()[2], intervals={"U_loss": (0.008, 0.012)})
    row = table(Scene(Frontier([lost], MEASURES)))[0]
    assert row["intervals"] == ["", " (0.008 to 0.012)", "", "", ""] and row["values"][1] == 0.01


def test_nothing_is_marked_on_axes_of_which_there_is_no_picture_yet(chart):
    """Another axis is drawn after a pause; a point that is chosen or moves meanwhile waits for it."""
    replies(chart, "hello")
    frontier = Frontier(points(), MEASURES)
    scene, picture = Scene(frontier), chart._picture
    assert picture.marked(scene) and picture.fits(replace(scene, moving=points()[0]))
    del picture._axes["frontier", frontier.axes[1]]
    assert picture.marked(scene) == {} and not picture.fits(replace(scene, moving=points()[0]))
