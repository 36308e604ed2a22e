"""Long work is heard and stopped by who waits for it, and by nobody else."""

import threading

import pytest

from workbench.base.progress import Cancelled, listening, step, stoppable


def test_nobody_listens_and_nothing_happens():
    step("words")


def test_words_come_to_who_listens_and_a_set_event_stops():
    said, cancel = [], threading.Event()
    with listening(cancel, said.append):
        step("one")
        step()
        cancel.set()
        with pytest.raises(Cancelled):
            step("two")
    step("three")
    assert said == ["one"]


def test_who_listens_inside_is_asked_alone():
    outer, inner = [], []
    with listening(say=outer.append):
        with listening(say=inner.append):
            step("inside")
        step("outside")
    assert (outer, inner) == (["outside"], ["inside"])


def test_another_thread_is_not_stopped():
    cancel = threading.Event()
    cancel.set()
    done = []
    with listening(cancel):
        other = threading.Thread(target=lambda: done.append(step()))
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
    with listening(cancel), pytest.raises(Cancelled):
        stoppable(ended.wait, interrupt)
    assert len(heard) == 3


def test_what_was_to_be_stopped_before_it_began_never_begins():
    cancel = threading.Event()
    cancel.set()
    with listening(cancel), pytest.raises(Cancelled):
        stoppable(pytest.fail, pytest.fail)


def test_what_is_not_stopped_comes_to_what_it_comes_to():
    def fails():
        raise ValueError("its own")

    assert stoppable(lambda: 7, pytest.fail) == 7
    with pytest.raises(ValueError, match="its own"):
        stoppable(fails, pytest.fail)
