"""Only the caller receives the progress of long work and can cancel it."""

import threading

import pytest

from workbench.base import progress
from workbench.base.progress import (
    Cancelled,
    PatientCancel,
    Remaining,
    cancellable,
    cancellable_lock,
    checkpoint,
    describe_duration,
    run_interruptible,
)


def test_progress_without_a_listener_has_no_effect():
    checkpoint("words")


def test_the_listener_receives_progress_and_an_event_cancels():
    said, cancel = [], threading.Event()
    with cancellable(cancel, said.append):
        checkpoint("one")
        checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            checkpoint("two")
    checkpoint("three")
    assert said == ["one"]


def test_only_the_innermost_listener_is_called():
    outer, inner = [], []
    with cancellable(report=outer.append):
        with cancellable(report=inner.append):
            checkpoint("inside")
        checkpoint("outside")
    assert (outer, inner) == (["outside"], ["inside"])


def test_another_thread_is_not_cancelled():
    cancel = threading.Event()
    cancel.set()
    done = []
    with cancellable(cancel):
        other = threading.Thread(target=lambda: done.append(checkpoint()))
        other.start()
        other.join()
    assert done == [None]


def test_work_that_never_checks_is_interrupted():
    cancel, ended, heard = threading.Event(), threading.Event(), []

    def interrupt():
        heard.append(1)
        if len(heard) == 3:  # the first ones came too early
            ended.set()

    threading.Timer(0.2, cancel.set).start()
    with cancellable(cancel), pytest.raises(Cancelled):
        run_interruptible(ended.wait, interrupt)
    assert len(heard) == 3


def test_work_cancelled_in_advance_never_starts():
    cancel = threading.Event()
    cancel.set()
    with cancellable(cancel), pytest.raises(Cancelled):
        run_interruptible(pytest.fail, pytest.fail)


def test_work_that_is_not_cancelled_returns_or_raises():
    def fails():
        raise ValueError("its own")

    assert run_interruptible(lambda: 7, pytest.fail) == 7
    with pytest.raises(ValueError, match="its own"):
        run_interruptible(fails, pytest.fail)


def test_waiting_for_busy_work_can_be_cancelled():
    busy, cancel, seen = [True], threading.Event(), []
    patient = PatientCancel(cancel, lambda: busy[0])

    def ask():
        seen.append(patient.is_set())

    one = threading.Thread(target=ask)
    one.start()
    one.join(0.2)
    assert seen == []
    busy[0] = False
    one.join(5)
    assert seen == [False]
    busy[0] = True
    cancel.set()
    ask()
    assert seen == [False, True]


def test_work_does_not_wait_for_its_own_caller():
    cancel = threading.Event()
    with cancellable(PatientCancel(cancel, lambda: True)), cancellable_lock(threading.Lock()):
        checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            checkpoint()


def test_durations_are_rounded():
    assert [describe_duration(seconds) for seconds in (0.2, 3.4, 12, 41, 58, 100, 3000, 9000)] == [
        "about 1 s", "about 3 s", "about 10 s", "about 40 s", "about 60 s", "about 2 min", "about 50 min",
        "about 2.5 hours",
    ]  # fmt: skip


def test_the_remaining_time_follows_from_the_finished_share(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    remaining = Remaining()
    clock[0] = 1.0
    assert remaining.text(1, 4) == "", "too early"
    clock[0] = 10.0
    assert remaining.text(1, 4) == "about 30 s left"
    assert remaining.text(0, 4) == remaining.text(4, 4) == ""
