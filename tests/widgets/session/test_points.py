"""The points of the study at hand are the same on every part that shows them."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.widgets.server.visitor import within
from widgets import FrontierChart, ReleaseCard, ReleasePreview
from widgets.session.points import Points
from widgets.topbar.topbar import TopBar
from workbench.methods import Mondrian
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


def points_of(table, parts, study=STUDY):
    ended = []
    session = SimpleNamespace(study=study, table=table)
    return Points(session, lambda: None, parts, nullcontext, lambda: ended.append(True)), ended


def test_they_are_on_every_part_when_all_are_there(small, parts):
    points, ended = points_of(small(0), parts)
    points.measure()
    assert within(20, lambda: ended) and len(points) == 4
    chart, card, preview, _ = parts
    assert chart.frontier is card.frontier is preview.frontier is points.frontier
    assert not chart.growing and points.best() == points.frontier.knee.recipe
    assert points.at(0) == points.frontier.measured[0].recipe and points.at(99) is None


def test_a_sweep_that_takes_long_says_about_how_long(small, parts, monkeypatch):
    sent, bar = [], parts[3]
    monkeypatch.setattr(bar, "state", lambda **changes: sent.append(changes))
    for seconds, words in ((100.0, "about"), (0.0, "")):
        monkeypatch.setattr(Mondrian, "seconds", lambda *_, seconds=seconds: seconds)
        sent.clear()
        points, ended = points_of(small(0), parts)
        points.measure()
        assert within(20, lambda: ended)  # noqa: B023
        said = [change["expects"] for change in sent if "expects" in change]
        assert said[0] == "" and said[-1].startswith(words) and said[-1].endswith(" in all" if words else "")


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
