"""The workbench in a kernel: work runs in the background, and stale results are dropped."""

import asyncio
import random
import threading
import time

import pandas as pd
import pytest

import workbench.frontier.sweep
from tests.conftest import people
from tests.widgets.app.test_workbench import STUDY
from widgets import Workbench
from workbench.base.errors import BadInput
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity

MANY = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": list(range(2, 12))}}]


async def until(true, seconds=30):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it does not come"
        await asyncio.sleep(0.02)


@pytest.fixture
def slow(monkeypatch):
    """Each point takes a while; the function lets them be quick again."""
    point, wait = workbench.frontier.sweep._point, [0.0]

    def slowly(*arguments):
        time.sleep(wait[0])
        return point(*arguments)

    monkeypatch.setattr(workbench.frontier.sweep, "_point", slowly)
    return wait


async def open_bench(**options):
    STUDY.with_(recipes=MANY).save("from-the-notebook.study.yaml")
    bench = Workbench(people(random.Random(3), missing=False), **options)
    await until(lambda: bench.frontier is not None and bench.frontier.complete and bench.preview.release is not None)
    return bench


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_shows_the_last_release_is_dimmed_only_while_the_next_is_waited_for(here, monkeypatch):
    async def play():
        bench, dimmed = await open_bench(), []
        bench.disclosure.observe(lambda event: dimmed.append(event.new), "pending")
        release, wait = Recipe.release, [0.0]
        monkeypatch.setattr(Recipe, "release", lambda *given: (time.sleep(wait[0]), release(*given))[1])
        monkeypatch.setattr("widgets.app.workbench.PROMPT", 0.5)
        for k, wait[0] in ((3, 0), (4, 1.0), (5, 0)):
            asked = Recipe(Mondrian(), KAnonymity(k))
            bench.card.recipe = asked
            await until(lambda asked=asked: bench.preview.recipe == asked == bench.card.point.recipe)
            assert bench.disclosure.release is bench.preview.release is bench.card.release
            assert dimmed == ([] if k == 3 else [True, False])
        bench.close()

    asyncio.run(play())


def test_what_was_computed_of_a_table_that_is_gone_never_comes(here, slow):
    async def play():
        bench = await open_bench()
        slow[0] = 0.1
        bench.recipes.seed = 5
        pd.DataFrame({"x": [1, 2] * 30, "y": list("ab") * 30}).to_csv("other.csv", index=False)
        bench.data._receive(None, {"kind": "choose", "field": "path", "value": "other.csv"}, [])
        await until(lambda: bench.session.study.data == {"path": "other.csv"})
        await asyncio.sleep(0.6)
        parts = (bench.chart, bench.card, bench.preview)
        assert [part.frontier for part in parts] == [None, None, None]
        assert bench.card.release is None is bench.preview.release and bench.disclosure.release is None
        bench.close()

    asyncio.run(play())


@pytest.mark.slow
def test_a_cancelled_sweep_keeps_what_it_has_and_says_so_once(here, slow):
    async def play():
        bench = await open_bench()
        slow[0], told, state = 0.15, [], bench.top.state
        bench.top.state = lambda **said: (told.append(said["busy"]) if "busy" in said else None, state(**said))
        bench.recipes.seed = 5
        await until(lambda: told and told[-1][0] >= 5)
        bench.top._receive(None, {"kind": "ask", "what": "cancel"}, [])
        assert told[-1][2] is False
        at = len(told)
        await asyncio.sleep(0.8)
        assert all(going_on is False and count >= 5 for count, _, going_on in told[at:])
        assert not bench.frontier.complete and sum(p.recipe.baseline for p in bench.frontier.measured) == 2
        slow[0] = 0
        bench.top._receive(None, {"kind": "ask", "what": "again"}, [])
        await until(lambda: bench.frontier.complete)
        assert len(bench.frontier.measured) == 12
        bench.close()

    asyncio.run(play())


def test_the_file_is_written_when_the_hand_rests(here, tmp_path):
    async def play():
        bench = await open_bench()
        for cap in (0.1, 0.2, 0.3):
            bench.chart.caps = {"P_loss": cap}
        assert "caps" not in (tmp_path / "from-the-notebook.study.yaml").read_text()
        await until(lambda: "P_loss: 0.3" in (tmp_path / "from-the-notebook.study.yaml").read_text())
        bench.close()

    asyncio.run(play())


@pytest.mark.slow
def test_run_again_and_closed_it_leaves_no_thread(here):
    async def play():
        before = threading.active_count()
        for _ in range(3):
            bench = await open_bench()
            bench.close()
        await until(lambda: threading.active_count() <= before + 1)

    asyncio.run(play())


def test_a_hand_that_rests_does_not_silence_the_release_of_another_table(here):
    async def play():
        bench = await open_bench()
        bench.roles._receive(None, {"kind": "choose", "columns": ["work"], "role": "neutral", "field": "roles"}, [])
        assert bench.card.release is None is bench.preview.release, "nothing of the old table can leave"
        for _ in range(3):
            bench.card._receive(None, {"kind": "rest"}, [])
        await until(lambda: bench.preview.release is not None)
        assert bench.card.release.table is bench.session.table is bench.preview.release.table
        assert bench.preview.recipe == bench.card.point.recipe
        bench.card._receive(None, {"kind": "rest"}, [])
        bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 12, "field": "0.k"}, [])
        bench.card._receive(None, {"kind": "rest"}, [])
        await until(lambda: bench.card.point.recipe.model.k == 12)
        bench.close()

    asyncio.run(play())


def test_points_of_what_is_gone_are_dimmed_and_nothing_is_compared_with_them(here, slow):
    async def play():
        bench = await open_bench()
        slow[0], told, send = 0.2, [], bench.card.send_message
        bench.card.send_message = lambda kind, *given, **content: (told.append(content), send(kind, *given, **content))
        old = bench.chart.frontier
        bench.roles._receive(None, {"kind": "choose", "columns": ["work"], "role": "neutral", "field": "roles"}, [])
        assert bench.chart.stale and bench.chart.frontier is old and bench.frontier is None
        with pytest.raises(BadInput, match="have changed"):
            bench.chart.altair()
        await until(lambda: bench.card.point is not None)
        assert bench.frontier is not None or (told[-1]["place"] == "" and told[-1]["alternatives"] == [])
        await until(lambda: bench.frontier is not None)
        assert not bench.chart.stale and bench.chart.frontier is bench.frontier
        slow[0] = 0
        await until(lambda: bench.frontier.complete)
        bench.close()

    asyncio.run(play())
