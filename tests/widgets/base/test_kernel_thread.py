"""A waiting cell does not block results, timers and messages from the page."""

import asyncio
import random
import threading
import time

import pytest

from tests.conftest import people
from tests.widgets.app.test_workbench import STUDY
from widgets import Workbench
from widgets.app.parts import PARTS
from widgets.base.kernel_thread import current_kernel_thread, wait_until
from workbench.base.errors import BadInput


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    STUDY.save("from-the-notebook.study.yaml")
    return people(random.Random(3), missing=False)


def test_calls_run_in_order_while_the_loop_is_blocked():
    async def play():
        kernel_thread, came = current_kernel_thread(), []
        kernel_thread.call_later(0.2, lambda: came.append("later"))
        kernel_thread.call_later(0.1, lambda: came.append("never")).cancel()

        def others():
            for i in range(100):
                kernel_thread.call_soon(came.append, i)

        thread = threading.Thread(target=others)
        thread.start()
        kernel_thread.wait(lambda: "later" in came)
        thread.join()
        assert came == [*range(100), "later"]
        kernel_thread.call_soon(came.append, "after")
        await asyncio.sleep(0.05)
        assert came[-1] == "after" and len(came) == 102

    asyncio.run(play())


def test_an_error_in_one_call_does_not_prevent_the_next():
    async def play():
        kernel_thread, came, wrong = current_kernel_thread(), [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context["exception"]))
        kernel_thread.call_soon(lambda: 1 / 0)
        kernel_thread.call_soon(came.append, 1)
        kernel_thread.wait(lambda: bool(came))
        assert [type(error) for error in wrong] == [ZeroDivisionError]

    asyncio.run(play())


def test_a_loop_that_closes_during_a_call_gets_no_more_calls():
    class Ending(asyncio.SelectorEventLoop):
        def call_soon_threadsafe(self, *arguments, **named):
            self.close()
            return super().call_soon_threadsafe(*arguments, **named)

    async def play():
        return current_kernel_thread()

    loop, came = Ending(), []
    kernel_thread = loop.run_until_complete(play())
    kernel_thread.call_soon(came.append, 1)
    kernel_thread.call_soon(came.append, 2)
    assert loop.is_closed() and came == []


def test_another_thread_can_wait():
    async def play():
        kernel_thread, came = current_kernel_thread(), []
        kernel_thread.call_later(0.2, lambda: came.append(1))
        await asyncio.to_thread(kernel_thread.wait, lambda: bool(came))

    asyncio.run(play())


def test_the_next_cell_finds_all_results(here, capsys):
    async def play():
        bench = Workbench(here)
        with pytest.raises(BadInput, match="still running; wait for it"):
            _ = bench.release
        seen = []
        bench.card.observe(lambda event: seen.append(event.new), "point")
        asyncio.get_running_loop().call_soon(seen.append, "the loop is free")
        assert bench.wait() is bench
        assert "the loop is free" not in seen, "the wait blocks the loop"
        assert bench.frontier.complete and bench.release.table is bench.session.table
        assert bench.release is bench.card.release
        assert list(bench.points["recipe"]) == [str(point.recipe) for point in bench.frontier.measured]
        assert bench.points.columns.nlevels == 1
        assert len(bench.selected_classes) == 0
        bench.disclosure.selected = [0, 2]
        assert sorted(bench.selected_classes.index) == [0, 2]
        assert str(bench.card.point.recipe) in repr(bench) and "5 points" in repr(bench)
        bench.roles._receive(None, {"kind": "choose", "columns": ["work"], "role": "neutral", "field": "roles"}, [])
        assert await bench is bench and bench.release.table.quasi == ("age", "sex")
        bench.close()

    asyncio.run(play())
    assert "5 of 5 points" in capsys.readouterr().out


def test_a_script_does_not_wait(here, capsys):
    bench = Workbench(here)
    assert bench.wait().release is bench.card.release
    assert capsys.readouterr().out == ""


def test_a_missing_result_has_a_reason(here):
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


def test_a_wait_that_ends_at_once_prints_nothing(capsys):
    async def play():
        wait_until(current_kernel_thread(), lambda: True, lambda: "all")
        began = time.monotonic()
        wait_until(current_kernel_thread(), lambda: time.monotonic() > began + 0.2, lambda: "some")

    asyncio.run(play())
    assert capsys.readouterr().out == "\rsome\n"
