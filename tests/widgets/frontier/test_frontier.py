"""The frontier chart without a browser: what it sends, what it answers, what stays when points stream in."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.widgets.frontier.recording import MEASURES, point, points, replies
from widgets import FrontierChart
from workbench.base.errors import BadInput
from workbench.frontier.frontier import Frontier
from workbench.frontier.lower_bounds import Line, LowerBounds
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import (
    InformationLoss,
    PrivacyLoss,
    ReidentificationRisk,
    UtilityLoss,
)
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity


def test_a_view_that_says_hello_gets_everything(chart):
    picture = replies(chart, "hello")["picture"]
    assert picture["headline"] == "4 points: 2 efficient (filled), 1 dominated (hollow)"
    assert picture["left_out"] == "1 left out" and picture["axes"] == ["P_loss", "U_loss"]
    states = [row["state"] for row in picture["points"]]
    assert states == ["baseline", "baseline", "efficient", "knee, efficient", "dominated", "left out"]
    assert {row["i"] for row in picture["rows"]["points"]} == {0, 1, 2, 3, 4}
    assert set(picture["spec"]["datasets"]) == set(picture["rows"])
    json.dumps(chart.sent, allow_nan=False)
    assert replies(chart, "hello")["picture"]["spec"] == picture["spec"]


def test_no_data_in_a_synced_trait(chart):
    assert not {"frontier", "pinned", "moving"} & set(chart.keys)
    state = chart.get_state(key={"axes", "caps", "selected", "view"})
    assert state == {"axes": [], "caps": {}, "selected": -1, "view": "frontier"}


def test_moving_sends_one_row(chart):
    replies(chart, "hello")
    chart.sent.clear()
    chart.moving = point(Recipe(Mondrian(), KAnonymity(k=7)), 0.4, 0.02)
    (moved,) = chart.sent
    assert list(moved["rows"]) == ["moving"] and len(moved["rows"]["moving"]) == 1
    assert moved["text"].startswith("k-anonymity, k = 7 (mondrian): P_loss 0.4, U_loss 0.02. Dominated by")
    chart.sent.clear()
    chart.moving = point(Recipe(Mondrian(), KAnonymity(k=2)), 2.0, 0.02)  # beyond the axis: it grows
    assert chart.sent[-1]["kind"] == "picture" and chart.sent[-1]["spec"] is not None
    chart.moving = None
    assert chart.sent[-1]["rows"]["moving"] == []


def test_while_points_stream_in_only_rows_are_sent_and_axes_stay(chart):
    replies(chart, "hello")
    chart.sent.clear()
    chart.total = 6
    for n in (4, 5, 6):
        chart.frontier = Frontier(points()[:n], MEASURES, complete=n == 6)
    pictures = [message for message in chart.sent if message["kind"] == "picture"]
    assert all(message["spec"] is None for message in pictures)
    assert "4 of 6 points so far: 2 are efficient" in [message["headline"] for message in pictures]
    domains = [message["caps"][0]["domain"] for message in pictures]
    assert all(domain == domains[0] for domain in domains)


def test_the_selected_recipe_stays_selected(chart):
    replies(chart, "select", index=4)
    assert chart.selected == 4
    chart.frontier = Frontier(points()[2:], MEASURES)
    assert chart.selected == 2
    chart.frontier = Frontier(points()[:3], MEASURES, complete=False)
    assert chart.selected == -1
    chart.frontier = Frontier(points(), MEASURES)
    assert chart.selected == 4
    replies(chart, "select", index=-1)
    chart.frontier = Frontier(points()[1:], MEASURES)
    assert chart.selected == -1
    replies(chart, "select", index=99)
    assert chart.selected == -1


def test_caps_are_typed_dragged_and_refused(chart):
    replies(chart, "hello")
    answer = replies(chart, "cap", field="cap-privacy", key="P_loss", value="0.3")
    assert chart.caps == {"P_loss": 0.3}
    assert answer["capped"]["best"].startswith(
        "Recommended under the cap: number 4, k-anonymity, k = 50 (mondrian): P_loss 0.1, U_loss"
    )
    assert answer["capped"]["best_index"] == 3 and len(answer["rows"]["rows"]["best"]) == 1
    for wrong in ("much", "nan", "inf", "0,3"):
        problem = replies(chart, "cap", field="cap-privacy", key="P_loss", value=wrong)["problem"]
        assert problem["field"] == "cap-privacy" and "enter a number" in problem["text"]
    assert chart.caps == {"P_loss": 0.3}
    answer = replies(chart, "cap", field="cap-utility", key="U_loss", value=0.001)
    assert answer["capped"]["best"].startswith("Nothing is recommended: no point has")
    assert answer["capped"]["best_index"] == -1
    replies(chart, "cap", field="cap-privacy", key="P_loss", value="")
    replies(chart, "cap", field="cap-utility", key="U_loss", value=0.02)
    assert chart.caps == {"U_loss": 0.02} and "k = 50" in chart.sent[-2]["best"]  # the most private of them
    replies(chart, "cap", field="cap-utility", key="U_loss", value=None)
    assert chart.caps == {}


def test_other_axes(chart):
    replies(chart, "axis", field="axis-utility", side="utility", key=MEASURES[-1].key)
    assert chart.axes == ["P_loss", MEASURES[-1].key] and chart.sent[0]["caps"][1]["bound"] == "at least"
    problem = replies(chart, "axis", field="axis-utility", side="utility", key="A_know")["problem"]
    assert "is not a measure of utility" in problem["text"] and chart.axes[1] == MEASURES[-1].key
    chart.frontier = Frontier(points(), MEASURES[:2])  # the chosen measure is no longer there
    assert chart.sent[-1]["axes"] == ["P_loss", "U_loss"]


def test_a_pinned_frontier_is_compared(chart):
    replies(chart, "pin", on=True)
    worse = [point(p.recipe, p.values["P_loss"], p.values["U_loss"] * (1 if p.recipe.baseline else 1.2))
             for p in points()[:5]]  # fmt: skip
    chart.frontier = Frontier(worse, MEASURES)
    picture = chart.sent[-1]
    assert (
        picture["compared"].startswith("Area under the frontier") and "The pinned one is better" in picture["compared"]
    )
    legend = {row["line"]: row for row in picture["legend"]}
    own, pinned = legend["k-anonymity (mondrian)"], legend["pinned: k-anonymity (mondrian)"]
    assert own["shape"] == pinned["shape"] and pinned["hue"].startswith("rgba(") and len(picture["rows"]["pinned"]) == 5
    assert picture["unlike"] == ""
    chart.pinned = Frontier([point(Recipe(Keep()), 0.6, 0.0), *points()[1:]], MEASURES)
    unlike = chart.sent[-1]["unlike"]
    assert "other data, quasi-identifiers" in unlike and "(everything kept: P_loss 0.7, pinned 0.6)" in unlike
    assert chart.sent[-1]["compared"] == ""  # no figure is better
    chart.pinned = Frontier(points(), MEASURES[2:])
    assert chart.sent[-1]["compared"].startswith("The pinned frontier is not drawn: the points were not measured with")
    chart.pinned = Frontier(points()[2:], MEASURES)
    assert "cannot be compared" in chart.sent[-1]["compared"]
    replies(chart, "pin", on=False)
    assert chart.pinned is None and chart.sent[0]["compared"] == ""


def test_why_and_what_is_left_out_on_ask(chart):
    assert replies(chart, "why", index=4)["why"]["text"].startswith("Dominated by k-anonymity, k = 50 (mondrian)")
    assert replies(chart, "left_out")["left_out"]["rows"] == [
        ["t-closeness, t = 0.4 (mondrian)", "U_loss: nobody asked"]
    ]


@pytest.mark.parametrize("view", ["parallel", "heat"])
def test_all_measures_at_once(chart, view):
    picture = replies(chart, "view", view=view)["picture"]
    assert chart.view == view and picture["spec"] is not None
    assert [row["shape"] for row in picture["legend"]] == {"parallel": ["circle", "triangle-up"], "heat": []}[view]
    assert all(row["dash"] == [1, 0] for row in picture["legend"]), "each is the first of its hue"
    assert "is better" in picture["note"]
    chart.sent.clear()
    chart.moving = points()[3]
    assert list(chart.sent[-1]["rows"]) == ["moving"] and len(chart.sent[-1]["rows"]["moving"]) == len(MEASURES)
    chart.selected = 4
    rows = next(message["rows"] for message in chart.sent if message["kind"] == "rows")
    assert rows["chosen"]
    assert chart.altair().to_dict()["datasets"]


@pytest.mark.parametrize(
    ("frontier", "said"),
    [
        (None, "No points yet"),
        (Frontier([], MEASURES), "No points yet"),
        (Frontier(points(), MEASURES[:1]), "No measure of utility was chosen"),
    ],
)
def test_nothing_to_draw_is_a_sentence(frontier, said):
    chart = FrontierChart(frontier)
    chart.sent = []
    chart.send = lambda content, buffers=None: chart.sent.append(content)
    assert replies(chart, "hello")["nothing"]["text"].startswith(said)
    chart.moving, chart.selected, chart.caps = points()[2], 3, {"P_loss": 0.2}
    assert not [message for message in chart.sent if message["kind"] == "problem"]
    with pytest.raises(BadInput, match=said):
        chart.altair()
    chart.total = 5
    assert chart.sent[-1]["text"].startswith("Measuring") == (not frontier or not frontier.measured)


def test_without_a_sensitive_column_the_chart_says_once_what_to_do(small):
    bare = small(1)
    bare = bare.with_roles(bare.quasi)
    frontier = sweep(bare, [Recipe(Mondrian(), KAnonymity(k=k)) for k in (2, 5)], [PrivacyLoss(), UtilityLoss()])
    chart = FrontierChart(frontier)
    chart.sent = []
    chart.send = lambda content, buffers=None: chart.sent.append(content)
    text = replies(chart, "hello")["nothing"]["text"]
    assert text.startswith("No point can be drawn: no column is declared sensitive") and "in Roles" in text
    assert text.count("declared sensitive") == 1
    chart.frontier = sweep(bare, [], [ReidentificationRisk(), InformationLoss()])
    assert "picture" in replies(chart, "hello")


def test_a_question_about_a_point_that_is_gone_is_dropped(chart):
    assert "why" in replies(chart, "why", index=2)
    for index in (len(points()), -1, None, "2"):
        assert replies(chart, "why", index=index) == {}


@pytest.mark.slow
def test_infinity_and_nothing_defined_anywhere():
    endless = point(Recipe(Mondrian(), KAnonymity(k=9)), math.inf, math.inf)
    blank = Point(Recipe(Mondrian(), KAnonymity(k=3)), {})
    for some in ([endless], [blank], [endless, blank, *points()]):
        chart = FrontierChart(Frontier(some, MEASURES))
        for view in ("frontier", "parallel", "heat"):
            chart.view = view
            chart.altair().to_dict()


def test_what_is_sent_is_plain(chart):
    values = {key: np.float64(value) for key, value in points()[2].values.items()}
    chart.frontier = Frontier([Point(Recipe(Mondrian(), KAnonymity(k=5)), values)], MEASURES)
    json.dumps(chart.sent, allow_nan=False)


def test_an_expected_point_is_hollow_and_said_to_be_about(chart):
    replies(chart, "hello")
    chart.sent.clear()
    chart.nearly = "between k = 5 and 10"
    chart.moving = point(Recipe(Mondrian(), KAnonymity(k=7)), 0.4, 0.02)
    moved = chart.sent[-1]
    assert moved["rows"]["moving"][0]["nearly"] and moved["rows"]["moving"][0]["said"].startswith("about ")
    assert moved["text"].startswith(
        "k-anonymity, k = 7 (mondrian): about P_loss 0.4, U_loss 0.02, between k = 5 and 10."
    )
    for view in ("parallel", "heat"):  # where it would look like a measured point
        assert replies(chart, "view", view=view)["picture"]["rows"]["moving"] == []
    replies(chart, "view", view="frontier")
    chart.sent.clear()
    chart.nearly = ""
    assert not chart.sent[-1]["rows"]["moving"][0]["nearly"] and "about" not in chart.sent[-1]["text"]


def test_a_search_is_asked_for_with_a_budget(chart):
    asked = []
    assert "open the workbench" in replies(chart, "find", budget="30 s", field="find")["problem"]["text"]
    chart.find, chart.stop_finding = asked.append, lambda: asked.append("stop")
    assert "use seconds" in replies(chart, "find", budget="soon", field="find")["problem"]["text"]
    replies(chart, "find", budget="2 min", field="find")
    replies(chart, "stop")
    assert asked == ["2 min", "stop"]
    chart.sent.clear()
    chart.finding(True, "3 releases tried")
    assert chart.sent == [{"kind": "finding", "on": True, "text": "3 releases tried", "notes": []}]
    chart.sent.clear()
    chart.show()
    assert chart.sent[-1]["text"] == "3 releases tried", "a page that comes later hears of it too"


def test_intervals_are_asked_for_as_often_as_before(chart):
    chart.intervals = {"over": "records", "times": 50}
    replies(chart, "intervals", over="seeds", field="intervals")
    assert chart.intervals == {"over": "seeds", "times": 50}
    assert (
        "records, seeds, learning" in replies(chart, "intervals", over="people", field="intervals")["problem"]["text"]
    )
    known = [replace(point, intervals={"P_loss": (0.1, 0.2)}) for point in chart.frontier.measured]
    chart.frontier = replace(chart.frontier, measured=known)
    chart.sent.clear()
    chart.show()
    assert (
        chart.sent[0]["note"]
        == "Lines and brackets: the range of a figure in 95 % of 50 runs with other seeds and draws."
    )
    replies(chart, "intervals", over="learning", field="intervals")
    assert chart.intervals == {"over": "learning"}, "nothing is tried again"
    chart.possible = (LowerBounds(((Line(0.005, 0.01),),)),)
    chart.show()
    assert chart.sent[-2]["note"].endswith("where both are known. A learning researcher may reach the shaded area.")
    replies(chart, "intervals", over="", field="intervals")
    assert chart.intervals == {}


def test_a_point_says_how_far_it_is_from_what_is_possible_on_the_axes_that_are_bound(chart):
    chart.possible = (LowerBounds(((Line(0.005, 0.01),),)),)  # .004 at the point's .1
    assert "That is 5 times the certified minimum" in replies(chart, "why", index=3)["why"]["text"]
    assert "certified minimum" not in replies(chart, "why", index=0)["why"]["text"], "a baseline"
    bucketized = Recipe(Mondrian(publish="bucketized"), KAnonymity(k=5))
    chart.frontier = Frontier([*points(), point(bucketized, 0.1, 0.02)], MEASURES)
    assert "certified minimum" not in replies(chart, "why", index=6)["why"]["text"], "not looked for yet"
    chart.possible = (*chart.possible, LowerBounds(((Line(0.015, 0.05),),)))  # 0.01 at 0.1, for exact releases
    text = "2 times the certified minimum for a release with exact quasi-identifiers"
    assert text in replies(chart, "why", index=6)["why"]["text"]
    assert "5 times the certified minimum for any release" in replies(chart, "why", index=3)["why"]["text"]
    chart.axes = ["A_know", "U_loss"]
    assert "certified minimum" not in replies(chart, "why", index=3)["why"]["text"]
