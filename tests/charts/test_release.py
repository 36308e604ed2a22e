"""The charts of one release: losses, errors of queries, and records before and after."""

import re

import numpy as np
import pytest

from tests.charts.drawn import words_of
from workbench import charts
from workbench.base.errors import BadInput
from workbench.charts.release import (
    SUPPRESSED,
    bar_rows,
    bars_chart,
    cross_chart,
    cross_rows,
    error_rows,
    errors_chart,
)
from workbench.measures import Discernibility, KnowledgeGain, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Remove
from workbench.queries.populations import large_populations
from workbench.releases.before_after import BeforeAfter, Cross

ONE = BeforeAfter("work_class", "quasi", ("a", "b"), np.array([30, 70]), np.array([45.0, 45.0]), 10)
TWO = Cross(("age", "ill"), (("young", "old"), ("flu", "gout")), np.array([[6, 2], [1, 1]]), np.full((2, 2), 2.5), 0)


def test_the_chart_of_losses_counts_records(release):
    measured = PrivacyLoss()(release)
    loss, sizes = measured.detail["loss"], measured.detail["sizes"]
    rows = charts.loss_chart(release).to_dict()["datasets"]["steps"]
    assert [row["records"] for row in rows] == [int(sizes[loss >= row["loss"]].sum()) for row in rows]
    assert rows[0]["records"] == 400 and rows[-1]["loss"] == loss.max()
    at_risk = int(sizes[loss >= measured.detail["possible_from"]].sum())
    assert f"{at_risk} of 400 records lose enough for a full disclosure" in words_of(charts.loss_chart(release))


def test_the_chart_of_losses_of_one_class_and_of_many(table, monkeypatch):
    assert words_of(charts.loss_chart(Remove()(table)))
    monkeypatch.setattr("workbench.charts.release.BINS", 5)
    assert len(charts.loss_chart(Keep()(table)).to_dict()["datasets"]["steps"]) == 5


def test_the_chart_of_populations_has_a_description(release, table):
    measured, populations = UtilityLoss()(release), large_populations(table, 0.05)
    worst = int(measured.detail["loss"].argmax())
    rows = charts.populations_chart(release, most=3).to_dict()["datasets"]["populations"]
    assert len(rows) == 3 and rows[0]["loss"] == pytest.approx(measured.detail["loss"][worst])
    (low, high), (sex, _) = populations.runs[worst].tolist()
    age = table.columns["age"].labels
    said = rows[0]["population"].split(" & ")
    if (low, high) != (0, len(age) - 1):
        assert said[0] in (f"age {age[low]}", f"age [{age[low]}-{age[high]}]")
    if populations.runs[worst][1].tolist() != [0, 1]:
        assert said[-1] == f"sex {'fm'[sex]}"
    assert rows[0]["records"].startswith(f"{populations.support[worst]} (")
    assert re.fullmatch(r"(cancer|cold|flu): [\d.]+ % in truth, [\d.]+ % from the release", rows[0]["misjudged"])


def test_a_measure_without_losses_is_refused(release):
    with pytest.raises(BadInput, match="DM has no loss"):
        charts.loss_chart(release, Discernibility())
    with pytest.raises(BadInput, match="A_know has no"):
        charts.populations_chart(release, KnowledgeGain())
    with pytest.raises(BadInput, match="most = 0"):
        charts.populations_chart(release, most=0)


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


def test_every_query_is_in_one_bar():
    errors = np.array([0, 1e-12, 0.005, 0.01, 0.019, 0.3, 1.0, 2.0, 70.0, np.nan])
    rows = {row["error"]: row["queries"] for row in error_rows(errors)}
    assert rows == {
        "none": 2, "< 1 %": 1, "1–2 %": 2, "2–5 %": 0, "5–10 %": 0, "10–20 %": 0, "20–50 %": 1, "50–100 %": 0,
        "100–200 %": 1, "≥ 200 %": 2,
    }  # fmt: skip
    spec = errors_chart(errors).to_dict()
    assert spec["datasets"]["errors"] == error_rows(errors) and sum(rows.values()) == 9
