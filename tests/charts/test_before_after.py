"""Bars before and after, and cells of two columns, show the counts."""

import numpy as np
import pytest

from workbench.charts.before_after import SUPPRESSED, bar_rows, bars_chart, cross_chart, cross_rows
from workbench.releases.before_after import BeforeAfter, Cross

ONE = BeforeAfter("work_class", "quasi", ("a", "b"), np.array([30, 70]), np.array([45.0, 45.0]), 10)
TWO = Cross(("age", "ill"), (("young", "old"), ("flu", "gout")), np.array([[6, 2], [1, 1]]), np.full((2, 2), 2.5), 0)


def test_there_are_two_bars_per_value_and_one_for_suppressed_records():
    rows = bar_rows(ONE)
    assert [(row["label"], row["side"], row["records"]) for row in rows] == [
        ("a", "before", 30), ("b", "before", 70), ("a", "after", 45), ("b", "after", 45), (SUPPRESSED, "after", 10)
    ]  # fmt: skip
    hidden = BeforeAfter("age", "quasi", ("a",), np.array([5]), None, 0)
    assert [row["side"] for row in bar_rows(hidden)] == ["before"]


def test_cells_show_the_direction_of_change():
    rows = cross_rows(TWO)
    assert [row["way"] for row in rows] == ["fewer", "as many" if rows[1]["points"] == 0 else "more", "more", "more"]
    assert rows[0]["points"] == pytest.approx(25 - 60) and rows[0]["spoken"] == "young, flu: 6 before, 2.5 after"


def test_charts_have_descriptions_and_the_colors_of_the_page():
    for drawn in (bars_chart(ONE), cross_chart(TWO)):
        spec = drawn.to_dict()
        assert spec["description"] and spec["background"] == "transparent"
        assert spec["config"]["axis"]["labelColor"] == "currentColor"
