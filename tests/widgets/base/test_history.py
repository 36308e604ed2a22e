"""States that can be gone back to."""

from widgets.base.history import History


def test_history_forgets_what_was_undone_when_it_goes_on():
    history = History("a")
    history.push("b")
    history.undo()
    history.push("c")
    assert not history.can_redo and history.undo() == "a"
    history.replace("d")
    assert history.state == "d" and not history.can_redo


def test_history():
    history = History(1)
    for state in (2, 2, 3):
        history.push(state)
    assert (history.undo(), history.undo(), history.undo()) == (2, 1, 1) and not history.can_undo
    assert history.redo() == 2 and history.can_redo
    history.push(9)
    assert not history.can_redo and history.redo() == 9 and history.state == 9
