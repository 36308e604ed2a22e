"""Long work is heard and stopped by who waits for it, and by nobody else."""

import threading

import pytest

from workbench.base.progress import (
    Cancelled,
    PatientCancel,
    cancellable,
    cancellable_lock,
    checkpoint,
    run_interruptible,
)


def test_nobody_listens_and_nothing_happens():
    checkpoint("words")


def test_words_come_to_who_listens_and_a_set_event_stops():
    said, cancel = [], threading.Event()
    with cancellable(cancel, said.append):
        checkpoint("one")
        checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            checkpoint("two")
    checkpoint("three")
    assert said == ["one"]


def test_who_listens_inside_is_asked_alone():
    outer, inner = [], []
    with cancellable(report=outer.append):
        with cancellable(report=inner.append):
            checkpoint("inside")
        checkpoint("outside")
    assert (outer, inner) == (["outside"], ["inside"])


def test_another_thread_is_not_stopped():
    cancel = threading.Event()
    cancel.set()
    done = []
    with cancellable(cancel):
        other = threading.Thread(target=lambda: done.append(checkpoint()))
        other.start()
        other.join()
    assert done == [None]


def test_what_never_looks_up_is_interrupted_until_it_ends():
    cancel, ended, heard = threading.Event(), threading.Event(), []

    def interrupt():
        heard.append(1)
        if len(heard) == 3:  # the first ones came too early
            ended.set()

    threading.Timer(0.2, cancel.set).start()
    with cancellable(cancel), pytest.raises(Cancelled):
        run_interruptible(ended.wait, interrupt)
    assert len(heard) == 3


def test_what_was_to_be_stopped_before_it_began_never_begins():
    cancel = threading.Event()
    cancel.set()
    with cancellable(cancel), pytest.raises(Cancelled):
        run_interruptible(pytest.fail, pytest.fail)


def test_what_is_not_stopped_comes_to_what_it_comes_to():
    def fails():
        raise ValueError("its own")

    assert run_interruptible(lambda: 7, pytest.fail) == 7
    with pytest.raises(ValueError, match="its own"):
        run_interruptible(fails, pytest.fail)


def test_it_waits_while_somebody_is_busy_and_ends_when_it_is_cancelled():
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


def test_patient_work_does_not_wait_for_who_waits_for_it():
    cancel = threading.Event()
    with cancellable(PatientCancel(cancel, lambda: True)), cancellable_lock(threading.Lock()):
        checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            checkpoint()
