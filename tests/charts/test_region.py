import pytest

from tests.charts.drawn import frontier, words_of
from workbench.charts import frontier_chart
from workbench.charts.axis import Axis
from workbench.charts.labels import PlotArea
from workbench.charts.region import unreachable_label, unreachable_region
from workbench.frontier.lower_bounds import Line, LowerBounds
from workbench.measures import PrivacyLoss, UtilityLoss

STRAIGHT = LowerBounds(((Line(0.04, 0.2),),))


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
