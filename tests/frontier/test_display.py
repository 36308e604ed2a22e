"""Points in a notebook: figures with three significant digits on the screen, exact ones in the frame."""

import math

import pandas as pd

from workbench.data.table import Table
from workbench.frontier.display import FigureFrame
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, ReidentificationRisk
from workbench.methods import Mondrian
from workbench.models import KAnonymity

FRAME = FigureFrame({"line": ["a", "b", "c"], "x": [1 / 9, 75.245, 0.00191], "y": [math.inf, math.nan, 3.0]})


def test_numbers_are_displayed_with_three_digits_and_stay_exact():
    for shown in (repr(FRAME), FRAME._repr_html_()):
        assert "0.111" in shown and "75.2" in shown and "0.00191" in shown and "infinite" in shown
        assert "0.1111" not in shown and "75.24" not in shown
    assert FRAME["x"].tolist() == [1 / 9, 75.245, 0.00191]
    assert "0.1111111111111111" in FRAME.to_csv() and pd.get_option("display.float_format") is None


def test_parts_of_a_frame_are_displayed_like_the_frame():
    assert "0.111" in repr(FRAME.loc[:1]) and "0.1111" not in FRAME[["line", "x"]]._repr_html_()


def test_the_points_of_a_frontier_are_displayed_like_the_frame():
    """R_id is 1/9: the frame, the column on the screen and the sentence have the same digits."""
    frame = pd.DataFrame({"age": [1] * 9 + [2] * 11, "ill": (["no"] * 3 + ["yes"] * 2) * 4})
    table = Table.from_frame(frame, ["age"], "ill")
    found = sweep(table, [Recipe(Mondrian(), KAnonymity(9))], [PrivacyLoss(), ReidentificationRisk()])
    assert found.points["R_id"].iloc[0] == 1 / 9
    assert "0.111" in repr(found.points[["R_id"]]) and "0.1111" not in found.points._repr_html_()
    assert "with probability 11.1 %" in found.measured[0].sentences["R_id"]
    assert isinstance(found.points.loc[[0]], FigureFrame)
