"""A cell that waits lets everything else go on: results, timers, and what the page asks meanwhile."""

import asyncio
import random
import threading
import time

import pytest

from tests.conftest import people
from tests.widgets.app.test_app import STUDY
from widgets import Workbench
from widgets.app.parts import PARTS
from widgets.base.turns import turns_here, waited
from workbench.base.errors import BadInput


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    STUDY.save("from-the-notebook.study.yaml")
    return people(random.Random(3), missing=False)


def test_calls_come_in_their_order_though_the_loop_is_blocked():
    async def play():
        turns, came = turns_here(), []
        turns.later(0.2, lambda: came.append("later"))
        turns.later(0.1, lambda: came.append("never")).cancel()

        def others():
            for i in range(100):
                turns.soon(came.append, i)

        thread = threading.Thread(target=others)
        thread.start()
        turns.wait(lambda: "later" in came)
        thread.join()
        assert came == [*range(100), "later"]
        turns.soon(came.append, "after")
        await asyncio.sleep(0.05)
        assert came[-1] == "after" and len(came) == 102

    asyncio.run(play())


def test_what_goes_wrong_in_one_turn_ends_no_other():
    async def play():
        turns, came, wrong = turns_here(), [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context["exception"]))
        turns.soon(lambda: 1 / 0)
        turns.soon(came.append, 1)
        turns.wait(lambda: bool(came))
        assert [type(error) for error in wrong] == [ZeroDivisionError]

    asyncio.run(play())


def test_a_loop_that_ends_while_it_is_being_told_is_told_no_more():
    class Ending(asyncio.SelectorEventLoop):
        def call_soon_threadsafe(self, *arguments, **named):
            self.close()
            return super().call_soon_threadsafe(*arguments, **named)

    async def play():
        return turns_here()

    loop, came = Ending(), []
    turns = loop.run_until_complete(play())
    turns.soon(came.append, 1)
    turns.soon(came.append, 2)
    assert loop.is_closed() and came == []


def test_another_thread_may_wait_too():
    async def play():
        turns, came = turns_here(), []
        turns.later(0.2, lambda: came.append(1))
        await asyncio.to_thread(turns.wait, lambda: bool(came))

    asyncio.run(play())


def test_the_next_cell_finds_everything(here, capsys):
    async def play():
        bench = Workbench(here)
        with pytest.raises(BadInput, match="being made; wait for it"):
            _ = bench.release
        heard = []
        bench.card.observe(lambda event: heard.append(event.new), "point")
        asyncio.get_running_loop().call_soon(heard.append, "the loop is free")
        assert bench.wait() is bench
        assert "the loop is free" not in heard, "it blocks"
        assert bench.frontier.complete and bench.release.table is bench.session.table
        assert bench.release is bench.card.release
        assert list(bench.points["recipe"]) == [str(point.recipe) for point in bench.frontier.measured]
        assert bench.points.columns.nlevels == 1
        assert len(bench.selected_classes) == 0
        bench.disclosure.selected = [0, 2]
        assert sorted(bench.selected_classes.index) == [0, 2]
        assert str(bench.card.point.recipe) in repr(bench) and "5 points" in repr(bench)
        bench.roles._heard(None, {"kind": "choose", "columns": ["work"], "role": "neutral", "field": "roles"}, [])
        assert await bench is bench and bench.release.table.quasi == ("age", "sex")
        bench.close()

    asyncio.run(play())
    assert "5 of 5 points" in capsys.readouterr().out


def test_in_a_script_nothing_is_waited_for(here, capsys):
    bench = Workbench(here)
    assert bench.wait().release is bench.card.release
    assert capsys.readouterr().out == ""


def test_what_cannot_be_had_says_why(here):
    bench = Workbench("nowhere.csv", keep=False)
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        bench.wait()
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        _ = bench.release
    bench = Workbench(here.rename(columns=str.upper), keep=False)
    with pytest.raises(BadInput, match="quasi-identifier"):
        _ = bench.wait().points


def test_no_value_of_the_data_is_in_a_repr(here):
    bench = Workbench(here)
    bench.hierarchies.hierarchies = {"work": {"builder": "groups", "levels": [{"Mrs Miller's": ["Farm", "Shop"]}]}}
    parts = [value for value in vars(bench).values() if hasattr(value, "about")]
    assert len(parts) == len(PARTS)
    for one in (bench, *parts):
        assert not any(word in repr(one) for word in ("Farm", "Miller", "Ulcer")) and len(repr(one)) < 200


def test_a_wait_that_is_over_at_once_says_nothing(capsys):
    async def play():
        waited(turns_here(), lambda: True, lambda: "all")
        began = time.monotonic()
        waited(turns_here(), lambda: time.monotonic() > began + 0.2, lambda: "some")

    asyncio.run(play())
    assert capsys.readouterr().out == "\rsome\n"
