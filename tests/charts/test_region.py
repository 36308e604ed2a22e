import pytest

from tests.charts.drawn import frontier, words_of
from workbench.charts import frontier_chart
from workbench.charts.axis import Axis
from workbench.charts.region import impossible, impossible_word
from workbench.frontier.certificates import Line
from workbench.frontier.least import Least
from workbench.measures import PrivacyLoss, UtilityLoss

STRAIGHT = Least(((Line(0.04, 0.2),),))


def axes(log=False):
    return Axis.of(PrivacyLoss(), [0.02, 0.6]), Axis.of(UtilityLoss(), [0.001, 0.05], log=log)


@pytest.mark.parametrize("log", [False, True])
def test_it_lies_between_the_bound_and_the_end_of_the_axis(log):
    x, y = axes(log)
    rows = impossible([STRAIGHT], x, y)
    assert rows[0]["x"] == pytest.approx(x.domain[0]) and rows[-1]["x"] == pytest.approx(x.domain[1])
    for row in rows:
        assert row["y2"] == y.domain[0]
        assert row["y"] == pytest.approx(max(y.domain[0], 0.04 - 0.2 * max(row["x"], 0), 0))


def test_of_two_each_is_drawn_and_the_word_stands_in_the_first():
    x, y = axes()
    assert {row["region"] for row in impossible([STRAIGHT, STRAIGHT], x, y)} == {0, 1}
    (word,) = impossible_word([STRAIGHT], x, y)
    assert word["word"] == "not possible" and word["y"] < STRAIGHT.at(word["x"])
    assert impossible_word([Least(((Line(0.002, 0.1),),))], x, y) == [] == impossible_word([], x, y)


def test_the_chart_has_it_only_where_it_is_given():
    assert "not possible" in words_of(frontier_chart(frontier(), possible=[STRAIGHT]))
    assert "not possible" not in words_of(frontier_chart(frontier()))
