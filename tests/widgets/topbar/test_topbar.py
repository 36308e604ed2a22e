"""The top bar shows its state, and passes on requests of the front end."""

import pytest

from widgets.topbar.topbar import LARGEST, TopBar


@pytest.fixture
def bar():
    asked = []
    one = TopBar(lambda kind, value: asked.append((kind, value)))
    one.asked, one.sent = asked, []
    one.send = lambda content, buffers=None: one.sent.append(content)
    return one


def send(bar, kind, **content):
    bar.sent.clear()
    bar._receive(None, {"kind": kind, **content}, [])


def test_a_view_that_comes_gets_the_state_and_only_changes_are_sent(bar):
    bar.state(name="x", undo=False)
    bar.state(name="x")
    assert len(bar.sent) == 1
    send(bar, "hello")
    assert bar.sent[0] == {"kind": "state", "name": "x", "undo": False}


def test_only_what_is_known_is_asked(bar):
    for what in ("undo", "mine", "nonsense", "rename"):
        send(bar, "ask", what=what)
    send(bar, "rename", name="  ")
    assert bar.asked == [("undo", None), ("mine", None), ("rename", "untitled")]


def test_a_file_that_is_no_study_by_its_size_is_refused(bar):
    send(bar, "open", text="x" * (LARGEST + 1))
    assert not bar.asked and bar.sent[0]["kind"] == "problem"
    send(bar, "open", text="study: x", recalled=True)
    assert bar.asked == [("recall", "study: x")]
