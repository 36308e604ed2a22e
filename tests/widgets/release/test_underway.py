"""How far a release is that takes long."""

from widgets.release import underway
from widgets.release.underway import KEPT, NOT_KEPT, Underway


def test_nothing_is_said_of_a_release_that_is_there_at_once():
    said = []
    one = Underway(said.append)
    one.begin()
    one.expects(0.0)
    one.hears("clustering: 10 of 20 records")
    one.end()
    assert said == [] and one.text == "" and one.took < 1


def test_a_long_one_says_how_long_how_far_and_where_it_was_cancelled():
    said = []
    one = Underway(said.append)
    one.begin()
    one.expects(41.0)
    one.hears("clustering: 10 of 20 records")
    one.stop(goes_on=False)
    one.end()
    about = "This release takes about 40 s"
    assert said == [about, f"{about}; clustering: 10 of 20 records", ""]
    assert one.stopped == f"Cancelled at clustering: 10 of 20 records. {NOT_KEPT}"
    one.stop(goes_on=True)
    assert one.stopped == f"Cancelled at clustering: 10 of 20 records. {KEPT}"
    one.begin()
    one.stop(goes_on=True)
    assert one.stopped == f"Cancelled. {NOT_KEPT}", "it had not begun to grow clusters"
    one.begin()
    assert one.stopped == ""


def test_one_that_nobody_expected_to_be_long_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr(underway, "PATIENT", 1e-9)
    said = []
    Underway(said.append).hears("cutting classes")
    assert said == ["cutting classes"]
