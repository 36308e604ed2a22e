"""The charts of one measure's losses."""

import re

import pytest

from tests.charts.drawn import words_of
from workbench import charts
from workbench.base.errors import BadInput
from workbench.measures import Discernibility, KnowledgeGain, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Remove
from workbench.queries.populations import large_populations


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
    monkeypatch.setattr(charts.losses, "BINS", 5)
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
