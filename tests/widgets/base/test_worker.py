"""One job at a time: the newest wins, and stale results are dropped."""

import asyncio
import threading
import time

from widgets.base.worker import Throttle, Worker
from workbench.base.progress import checkpoint


def test_without_a_loop_a_job_runs_at_once():
    said, failed = [], []
    worker = Worker(failed.append)
    worker.start(lambda cancel, call_soon: call_soon(said.append, 1))

    def broken(cancel, call_soon):
        raise ValueError("no")

    worker.start(broken)
    assert said == [1]
    assert [type(error) for error in failed] == [ValueError]


def test_what_goes_wrong_where_a_result_is_heard_is_said_like_what_goes_wrong_in_the_job():
    async def play():
        said, failed, lost = [], [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        worker = Worker(failed.append)
        worker.start(lambda cancel, call_soon: (call_soon(lambda: 1 / 0), call_soon(said.append, "the next")))
        while worker.busy:
            await asyncio.sleep(0.01)
        return said, [type(error) for error in failed], lost

    assert asyncio.run(asyncio.wait_for(play(), 20)) == (["the next"], [ZeroDivisionError], [])


def test_a_newer_job_cancels_the_older_whose_words_are_dropped():
    async def play():
        said, under_way = [], threading.Event()
        worker = Worker(said.append)

        def long(cancel, call_soon):
            under_way.set()
            assert cancel.wait(10)
            call_soon(said.append, "stale")

        def forgotten(cancel, call_soon):
            call_soon(said.append, "forgotten")

        worker.start(long)
        await asyncio.to_thread(under_way.wait, 10)
        worker.start(forgotten)
        over = asyncio.Event()
        worker.start(lambda cancel, call_soon: (call_soon(said.append, "new"), call_soon(over.set)))
        await asyncio.wait_for(over.wait(), 10)
        return said

    assert asyncio.run(play()) == ["new"]


def test_a_cancelled_job_still_says_what_it_has():
    async def play():
        said, under_way, over = [], threading.Event(), asyncio.Event()
        worker = Worker(said.append)

        def long(cancel, call_soon):
            under_way.set()
            assert cancel.wait(10)
            call_soon(said.append, "half")
            call_soon(over.set)

        worker.start(long)
        await asyncio.to_thread(under_way.wait, 10)
        worker.cancel()
        await asyncio.wait_for(over.wait(), 10)
        return said

    assert asyncio.run(play()) == ["half"]


def test_what_a_cancelled_job_has_said_is_not_cancelled_with_it():
    async def play():
        said, failed, under_way, over = [], [], threading.Event(), asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context["exception"]))
        worker = Worker(failed.append)

        def report():
            checkpoint()  # long work in the kernel's thread
            said.append("all of it")

        def long(cancel, call_soon):
            under_way.set()
            assert cancel.wait(10)
            call_soon(report)
            call_soon(over.set)

        worker.start(long)
        await asyncio.to_thread(under_way.wait, 10)
        worker.cancel()
        await asyncio.wait_for(over.wait(), 10)
        return said, failed

    assert asyncio.run(play()) == (["all of it"], [])


def test_calls_come_in_the_thread_of_the_loop():
    async def play():
        threads, over = [], asyncio.Event()
        worker = Worker(print)
        worker.start(lambda cancel, call_soon: call_soon(lambda: (threads.append(threading.get_ident()), over.set())))
        await asyncio.wait_for(over.wait(), 10)
        return threads == [threading.get_ident()]

    assert asyncio.run(play())


def test_a_forgotten_job_is_asked_to_stop_and_says_nothing_and_one_that_waits_never_begins():
    async def play():
        said, under_way, let_go = [], threading.Event(), threading.Event()
        worker = Worker(said.append)

        def long(cancel, call_soon):
            under_way.set()
            assert cancel.wait(10)
            call_soon(said.append, "stale")
            let_go.set()

        worker.start(long)
        await asyncio.to_thread(under_way.wait, 10)
        worker.start(lambda cancel, call_soon: said.append("began"))
        worker.forget()
        await asyncio.to_thread(let_go.wait, 10)
        over = asyncio.Event()
        worker.start(lambda cancel, call_soon: (call_soon(said.append, "new"), call_soon(over.set)))
        await asyncio.wait_for(over.wait(), 10)
        return said

    assert asyncio.run(play()) == ["new"]


def test_no_thread_stays_when_nothing_waits():
    async def play():
        said, before = [], threading.active_count()
        workers = [Worker(said.append) for _ in range(5)]
        for turn in range(20):
            for worker in workers:
                worker.start(lambda cancel, call_soon, turn=turn: call_soon(said.append, turn))
            await asyncio.sleep(0.002)
        for _ in range(500):
            if threading.active_count() <= before:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        return threading.active_count() - before, said.count(19)

    assert asyncio.run(play()) == (0, 5)


def test_long_work_that_is_cancelled_has_not_failed():
    async def play():
        said, failed, over, under_way = [], [], asyncio.Event(), threading.Event()
        worker = Worker(failed.append)

        def long(cancel, call_soon):
            under_way.set()
            while True:
                checkpoint()
                time.sleep(0.01)

        worker.start(long)
        await asyncio.to_thread(under_way.wait, 10)
        worker.start(lambda cancel, call_soon: (call_soon(said.append, "new"), call_soon(over.set)))
        await asyncio.wait_for(over.wait(), 10)
        worker.start(long)
        worker.cancel()
        while worker.busy:
            await asyncio.sleep(0.01)
        return said, failed

    assert asyncio.run(asyncio.wait_for(play(), 20)) == (["new"], [])


def test_words_come_now_and_then(monkeypatch):
    said, now = [], [10.0]
    monkeypatch.setattr("widgets.base.worker.time.monotonic", lambda: now[0])
    seldom = Throttle(said.append)
    for moment in (10.0, 10.1, 10.2, 10.3, 10.4):
        now[0] = moment
        seldom(str(moment))
    assert said == ["10.0", "10.2", "10.4"]
