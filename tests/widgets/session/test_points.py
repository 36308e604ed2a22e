"""All parts show the same points of the current study."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.widgets.server.visitor import within
from widgets import FrontierChart, ReleaseCard, ReleasePreview
from widgets.session import sweep
from widgets.session.points import Points
from widgets.topbar.topbar import TopBar
from workbench.base.errors import BadInput
from workbench.frontier.recipe import expand_recipe
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


added: list[object] = []  # recipes that a search added to the study


def points_of(table, parts, study=STUDY):
    ended = []
    added.clear()
    session = SimpleNamespace(study=study, table=table)
    points = Points(session, lambda: None, parts, nullcontext, lambda: ended.append(True), added.append)
    return points, ended


def test_all_parts_show_the_complete_points(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended) and len(points) == 4
    chart, card, preview, _ = parts
    assert chart.frontier is card.frontier is preview.frontier is points.frontier
    assert not chart.growing and points.best() == points.frontier.knee.recipe
    assert points.recipe_at(0) == points.frontier.measured[0].recipe and points.recipe_at(99) is None


def test_a_long_sweep_shows_the_remaining_time(small, parts, monkeypatch):
    sent, bar = [], parts[3]
    monkeypatch.setattr(bar, "state", lambda **changes: sent.append(changes))
    monkeypatch.setattr("workbench.base.progress.EARLIEST", 0.0)
    monkeypatch.setattr(sweep, "REPORT_INTERVAL", 0.0)
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    texts = [change["remaining"] for change in sent if "remaining" in change]
    assert texts[0] == texts[-1] == "" and any(text.endswith(" left") for text in texts)


def test_points_that_are_out_of_date_are_not_compared(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    points.outdate()
    assert points.frontier is None and parts[1].frontier is None and parts[0].stale and len(points) == 0


def test_without_a_quasi_identifier_there_are_no_points(parts):
    points, _ = points_of(None, parts)
    points.measure()
    assert points.frontier is None and "at least one quasi-identifier" in parts[0].empty and points.best() is None


@pytest.mark.slow
def test_a_search_adds_efficient_points_to_the_study(small, parts):
    study = STUDY.with_(measures=({"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.1}))
    points, ended = points_of(small(0), parts, study)
    chart = parts[0]
    with pytest.raises(BadInput, match="wait until all points"):
        points.find("3 evaluations")
    points.measure()
    assert within(20, lambda: ended) and chart.finds
    before, sent = points.frontier, []
    chart.send = lambda content, buffers=None: sent.append(content)
    chart._receive(None, {"kind": "find", "budget": "8 evaluations", "field": "find"}, [])
    assert within(20, lambda: added)
    assert len(points) > len(before.measured) and points.frontier.complete and not chart.growing
    (entries,) = added
    written = [recipe for entry in entries for recipe in expand_recipe(entry)]
    efficient = [
        p.recipe
        for p, is_efficient in zip(points.frontier.measured, points.frontier.is_efficient(), strict=True)
        if is_efficient
    ]
    assert {str(one) for one in written} == {str(one) for one in efficient} - {str(p.recipe) for p in before.measured}
    progress = [message for message in sent if message["kind"] == "finding"]
    assert (
        progress[0]["on"]
        and not progress[-1]["on"]
        and progress[-1]["text"].endswith("the budget of 8 evaluations is used.")
    )
    assert any("raked buckets" in note for note in progress[-1]["notes"])
    points.measure()  # other recipes, as after an undo: the table is the same
    assert chart._finding == {"on": False, "text": "", "notes": progress[-1]["notes"]}
    points.outdate()
    assert chart._finding == {"on": False, "text": "", "notes": []}, "the search was on points that are gone"


def test_a_changed_study_ends_the_search(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended)
    points.outdate()
    assert parts[0]._finding["on"] is False
    with pytest.raises(BadInput):
        points.find("5 s")


def test_intervals_follow_the_study(small, parts):
    points, ended = points_of(small(0), parts)
    chart, card, *_ = parts
    points.measure()
    assert within(20, lambda: ended)
    bare, session = points.frontier, points._session
    session.study = STUDY.with_(intervals={"over": "records", "times": 3})
    points.update_display()
    assert within(20, lambda: any(one.intervals for one in points.frontier.measured))
    assert chart.frontier is card.frontier is points.frontier and not chart._finding["on"]
    assert [one.values for one in points.frontier.measured] == [one.values for one in bare.measured]
    session.study = STUDY
    points.update_display()
    assert not any(one.intervals for one in points.frontier.measured) and not chart._finding["text"]
