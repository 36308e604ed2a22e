"""A notebook that was saved shows the frontier without its kernel, and nothing of the data but figures of points."""

import base64
import random
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from tests.conftest import people
from tests.widgets.app.test_workbench import STUDY
from widgets import FrontierChart, Workbench
from widgets.base.kernel_thread import ScheduledCall
from widgets.frontier import saved_picture as module

ROOT = Path(__file__).parents[3]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    STUDY.save("from-the-notebook.study.yaml")
    return Workbench(people(random.Random(3), missing=False))


@pytest.fixture
def published(monkeypatch):
    """Record the outputs of a notebook, and which one each replaces."""
    found = []

    def publish(data, *, transient=None, update=False):
        found.append((data, (transient or {}).get("display_id"), update))

    monkeypatch.setattr(module, "publish_display_data", publish)
    return found


@pytest.mark.slow
def test_a_saved_notebook_shows_picture_and_table(tmp_path):
    notebook = nbformat.read(ROOT / "notebooks" / "explore.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("_.wait();"))
    client = NotebookClient(notebook, timeout=300, store_widget_state=False)
    client.execute(cwd=str(tmp_path))
    body, _ = HTMLExporter().from_notebook_node(notebook)
    [picture] = re.findall(r'<img alt="[^"]+"[^>]* src="data:image/svg\+xml;base64,([^"]+)"', body)
    drawn = base64.b64decode(picture).decode()
    assert "privacy loss" in drawn.lower() and drawn.count("aria-roledescription=") > 26
    for recipe in ("k-anonymity, k = 5 (mondrian)", "t-closeness, t = 0.4", "everything kept", "P_loss"):
        assert recipe in body
    assert body.count("<tr>") == 1 + 26
    for value in ("Craft-repair", "United-States", "Never-married"):
        assert value not in body and value not in drawn


@pytest.mark.slow
def test_the_picture_is_drawn_once_when_the_sweep_is_over(bench, published):
    bench._ipython_display_()
    assert [update for _, _, update in published] == [False, False, True]
    [view, before, after] = [data for data, _, _ in published]
    assert view[module.VIEW]["model_id"] == bench.model_id and "records" not in view["text/plain"]
    assert module.WITHOUT in before["text/html"] and "<img" in after["text/html"]
    assert published[1][1] == published[2][1] == bench.chart.instead
    published.clear()
    bench.chart.growing = True
    for count in (3, 4):
        bench.chart.frontier = bench.frontier.__class__(bench.frontier.measured[:count], bench.frontier.measures, False)
    assert [module.WITHOUT in data["text/html"] for data, _, _ in published] == [True], "old points are not kept"
    bench.chart.growing = False
    assert len(published) == 2 and published[1][0]["text/html"].count("<tr>") == 1 + 4
    bench.close()
    assert len(published) == 2


def test_the_picture_for_later_waits_until_the_slider_rests(bench, published, monkeypatch):
    asked = []

    def call_later(self, seconds, call):
        asked.append(ScheduledCall(seconds, len(asked), call))
        return asked[-1]

    bench._ipython_display_()
    drawn = len(published)
    monkeypatch.setattr(FrontierChart, "call_later", call_later)
    bench.chart.caps = {"P_loss": 0.5}
    for point in bench.frontier.measured[:3]:
        bench.chart.moving = point
    assert len(asked) == 4 and len(published) == drawn
    for turn in asked:  # all but the last were called off
        turn.call()
    assert len(published) == drawn + 1 and not bench.chart.saved_picture.busy
    bench.chart.moving = None
    assert len(asked) == 4, "a slider alone asks for no picture"


def test_points_of_what_is_gone_are_not_saved(bench, published):
    bench._ipython_display_()
    bench.chart.stale = True
    assert "<img" in published[-2][0]["text/html"] and module.WITHOUT in published[-1][0]["text/html"]


def test_what_nobody_displays_draws_nothing_and_voila_has_no_second_picture(monkeypatch, published):
    chart = FrontierChart(None)
    chart.saved_picture.schedule()
    assert published == [] and not chart.saved_picture.busy
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    chart._ipython_display_()
    assert [list(data) for data, _, _ in published] == [["text/plain", module.VIEW]]
