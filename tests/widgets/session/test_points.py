"""The points of the study at hand are the same on every part that shows them."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.widgets.server.visitor import within
from widgets import FrontierChart, ReleaseCard, ReleasePreview
from widgets.session import sweeping
from widgets.session.points import Points
from widgets.topbar.topbar import TopBar
from workbench.base import durations
from workbench.base.errors import BadInput
from workbench.frontier.grid import expand_recipe
from workbench.studies.study import Study

STUDY = Study(
    quasi=("age", "work", "sex"),
    sensitive=("disease",),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [3, 6]}},),
    measures=({"name": "privacy loss"}, {"name": "information loss"}),
)


@pytest.fixture
def parts():
    return FrontierChart(None), ReleaseCard(None), ReleasePreview(None), TopBar(lambda kind, value: None)


kept: list[object] = []  # what a search has found for the study


def points_of(table, parts, study=STUDY):
    ended = []
    kept.clear()
    session = SimpleNamespace(study=study, table=table)
    points = Points(session, lambda: None, parts, nullcontext, lambda: ended.append(True), kept.append)
    return points, ended


def test_they_are_on_every_part_when_all_are_there(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended) and len(points) == 4
    chart, card, preview, _ = parts
    assert chart.frontier is card.frontier is preview.frontier is points.frontier
    assert not chart.growing and points.best() == points.frontier.knee.recipe
    assert points.at(0) == points.frontier.measured[0].recipe and points.at(99) is None


def test_a_long_sweep_shows_the_remaining_time(small, parts, monkeypatch):
    sent, bar = [], parts[3]
    monkeypatch.setattr(bar, "state", lambda **changes: sent.append(changes))
    monkeypatch.setattr(durations, "EARLIEST", 0.0)
    monkeypatch.setattr(sweeping, "OFTEN", 0.0)
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    texts = [change["remaining"] for change in sent if "remaining" in change]
    assert texts[0] == texts[-1] == "" and any(text.endswith(" left") for text in texts)


def test_those_of_what_is_gone_are_compared_with_nothing(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    points.outdate()
    assert points.frontier is None and parts[1].frontier is None and parts[0].stale and len(points) == 0


def test_without_a_quasi_identifier_there_are_none(parts):
    points, _ = points_of(None, parts)
    points.measure()
    assert points.frontier is None and "at least one quasi-identifier" in parts[0].empty and points.best() is None


def test_a_search_adds_points_and_what_is_efficient_joins_the_study(small, parts):
    study = STUDY.with_(measures=({"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.1}))
    points, ended = points_of(small(0), parts, study)
    chart = parts[0]
    with pytest.raises(BadInput, match="wait until the points"):
        points.find("3 evaluations")
    points.measure()
    assert within(20, lambda: ended) and chart.finds
    before, sent = points.frontier, []
    chart.send = lambda content, buffers=None: sent.append(content)
    chart._heard(None, {"kind": "find", "budget": "8 evaluations", "field": "find"}, [])
    assert within(20, lambda: kept)
    assert len(points) > len(before.measured) and points.frontier.complete and not chart.growing
    (entries,) = kept
    written = [recipe for entry in entries for recipe in expand_recipe(entry)]
    standing = [
        p.recipe for p, stands in zip(points.frontier.measured, points.frontier.is_efficient(), strict=True) if stands
    ]
    assert {str(one) for one in written} == {str(one) for one in standing} - {str(p.recipe) for p in before.measured}
    said = [message for message in sent if message["kind"] == "finding"]
    assert said[0]["on"] and not said[-1]["on"] and said[-1]["text"].endswith("the budget of 8 evaluations is used.")
    assert any("raked buckets" in note for note in said[-1]["notes"])
    points.measure()  # other recipes, as after an undo: the same table was searched
    assert chart._finding == {"on": False, "text": "", "notes": said[-1]["notes"]}
    points.outdate()
    assert chart._finding == {"on": False, "text": "", "notes": []}, "it was tried on what is gone"


def test_a_study_that_changes_ends_the_search(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    points.outdate()
    assert parts[0]._finding["on"] is False
    with pytest.raises(BadInput):
        points.find("5 s")


def test_intervals_are_asked_for_and_go_with_the_study(small, parts):
    points, ended = points_of(small(0), parts)
    chart, card, *_ = parts
    points.measure()
    assert within(20, lambda: ended)
    bare, session = points.frontier, points._session
    session.study = STUDY.with_(intervals={"over": "records", "times": 3})
    points.show_as_asked()
    assert within(20, lambda: any(one.intervals for one in points.frontier.measured))
    assert chart.frontier is card.frontier is points.frontier and not chart._finding["on"]
    assert [one.values for one in points.frontier.measured] == [one.values for one in bare.measured]
    session.study = STUDY
    points.show_as_asked()
    assert not any(one.intervals for one in points.frontier.measured) and not chart._finding["text"]
