"""How far a release is that takes long."""

from widgets.release import underway
from widgets.release.underway import DISCARDED, Underway


def test_a_short_release_reports_nothing():
    texts = []
    one = Underway(texts.append)
    one.begin()
    one.show_progress("clustering: 10 of 20 records")
    one.end()
    assert texts == [] and one.text == "" and one.took < 1


def test_a_long_release_reports_its_progress_and_where_it_was_canceled(monkeypatch):
    monkeypatch.setattr(underway, "SLOW", 0.0)
    texts = []
    one = Underway(texts.append)
    one.begin()
    one.show_progress("clustering: 10 of 20 records")
    one.stop()
    one.end()
    assert texts == ["clustering: 10 of 20 records", ""]
    assert one.stopped == f"Cancelled at clustering: 10 of 20 records. {DISCARDED}"
    one.begin()
    one.stop()
    assert one.stopped == f"Cancelled. {DISCARDED}"
    one.begin()
    assert one.stopped == ""
