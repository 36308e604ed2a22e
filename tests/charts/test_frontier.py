"""The chart of a frontier."""

import pytest

from tests.charts.drawn import frontier, made, rows_of, words_of
from workbench import charts
from workbench.base.errors import BadInput
from workbench.charts.frontier import describe_difference, describe_missing, draw_two_frontiers, headline
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Discernibility, PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


def test_the_chart_describes_its_marks():
    rows = rows_of(frontier().chart())
    assert [row["efficient"] for row in rows.values()] == [True, True, False, False, False]
    assert rows["t-closeness, t = 0.2 (mondrian)"]["why"].startswith(
        "Dominated by k-anonymity, k = 50 (mondrian): P_loss"
    )
    assert rows["keep"]["baseline"] and rows["keep"]["m2"] == "45,222"
    words = words_of(frontier().chart())
    for said in ("everything kept", "all quasi-identifiers removed", "knee", "k-anonymity (mondrian)"):
        assert words.count(said) == 1
    assert "3 points: 2 efficient (filled), 1 dominated (hollow)" in words
    assert any(word.startswith("privacy loss, P_loss") and "← lower is better" in word for word in words)


def test_the_chart_names_missing_points():
    lost = Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1}, {"U_loss": "nobody asked"})
    words = words_of(frontier(lost, complete=False).chart())
    assert "1 left out: undefined on one of the axes" in words
    assert "4 points: 2 efficient (filled), 1 dominated (hollow)" in words
    assert "the sweep was cancelled: points are missing" in words


def test_a_frontier_without_baselines_or_points_is_drawn():
    for points in ([], [made(Recipe(Mondrian(), KAnonymity(k=5)), 0.5, 0.5)]):
        assert "knee" not in words_of(Frontier(points, [PrivacyLoss(), UtilityLoss()]).chart())


def test_two_frontiers_caps_and_a_point_under_a_slider_on_one_chart():
    own = frontier()
    other = frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    moving = made(Recipe(Mondrian(), KAnonymity(k=20)), 0.3, 0.015)
    drawn = charts.frontier_chart(own, pinned=other, moving=moving, caps={"P_loss": 0.3, "DM": 1e9}, selected=2)
    sets = drawn.to_dict()["datasets"]
    assert [row["recipe"] for row in sets["moving"]] == ["k-anonymity, k = 20 (mondrian)"]
    assert sets["chosen"] == [{"x": 0.2, "y": 0.03, "finite": True}] and sets["best"][0]["x"] == 0.1
    assert sets["cap_x"][0]["label"] == "at most 0.3" and sets["cap_y"] == []
    assert len(sets["pinned"]) == 6 and len(sets["points"]) == 5
    words = words_of(drawn)
    for said in (
        "pinned: k-anonymity (mondrian)",
        "recommended under the cap",
        "k-anonymity, k = 20 (mondrian)",
        "at most 0.3",
    ):
        assert said in words
    with pytest.raises(BadInput, match="not measured with 'P_loss'"):
        charts.frontier_chart(own, pinned=Frontier(own.measured, [Discernibility()]))


def test_frontiers_of_different_data_are_reported():
    own, same = frontier(), frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    assert describe_difference(own, same) == ""
    less = Frontier([made(Recipe(Keep()), 0.6, 0.0), *own.measured[:3], own.measured[4]], own.measures)
    assert describe_difference(own, less) == "everything kept: P_loss 0.69, pinned 0.6"
    assert describe_difference(own, Frontier(own.measured[:3], own.measures)) == ""  # nothing tells
    words = words_of(charts.frontier_chart(own, pinned=less))
    assert any("from other data, roles or hierarchies" in word for word in words)
    assert not any("from other data" in word for word in words_of(charts.frontier_chart(own, pinned=same)))


def test_efficient_dominated_and_omitted_points_are_counted_separately():
    lost = [Point(Recipe(Mondrian(), KAnonymity(k=k)), {"P_loss": 0.1}) for k in (7, 8)]
    assert headline(frontier(*lost)) == "5 points: 2 efficient (filled), 1 dominated (hollow)"
    assert describe_missing(frontier(*lost)) == "2 left out" and describe_missing(frontier()) == ""
    ends = [Point(Recipe(end), {}) for end in (Keep(), Remove())]
    nothing = Frontier([*lost, *ends], frontier().measures)
    assert headline(nothing) == "2 points: 0 efficient (filled), 0 dominated (hollow)"
    assert describe_missing(nothing) == "2 left out, and 2 baselines"
    assert describe_missing(Frontier([*frontier().measured[:3], ends[0]], frontier().measures)) == "1 baseline left out"


def test_two_workloads_are_drawn_on_one_scale():
    measures = [PrivacyLoss(), QueryError("state"), QueryError("company")]
    points = [
        Point(Recipe(Mondrian(), KAnonymity(k)), dict(zip([one.key for one in measures], values, strict=True)))
        for k, values in {2: (0.9, 0.1, 0.2), 5: (0.5, 0.2, 3.0), 9: (0.1, 0.3, 5.0)}.items()
    ]
    frontier = Frontier(points, measures)
    one, other = draw_two_frontiers(frontier, (measures[1].key, measures[2].key), ("state", "company"), 1)
    domains = [_y_domain(drawn.to_dict()) for drawn in (one, other)]
    assert domains[0] == domains[1] and domains[0][0] <= 0.1 and domains[0][1] >= 5
    assert [drawn.to_dict()["title"]["text"] for drawn in (one, other)] == ["state", "company"]
    assert [row["y"] for row in one.to_dict()["datasets"]["points"]] == [0.1, 0.2, 0.3]


def _y_domain(spec):
    return next(
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("y", {})
    )
