"""Durations as text, and the remaining time of long work."""

from workbench.base import durations
from workbench.base.durations import Remaining, describe_duration


def test_durations_are_rounded():
    assert [describe_duration(seconds) for seconds in (0.2, 3.4, 12, 41, 58, 100, 3000, 9000)] == [
        "about 1 s", "about 3 s", "about 10 s", "about 40 s", "about 60 s", "about 2 min", "about 50 min",
        "about 2.5 hours",
    ]  # fmt: skip


def test_the_remaining_time_follows_from_the_finished_share(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(durations.time, "monotonic", lambda: clock[0])
    remaining = Remaining()
    clock[0] = 1.0
    assert remaining.text(1, 4) == "", "too early"
    clock[0] = 10.0
    assert remaining.text(1, 4) == "about 30 s left"
    assert remaining.text(0, 4) == remaining.text(4, 4) == ""
