"""How long something takes."""

from workbench.base.durations import duration


def test_durations_are_said_roughly():
    assert [duration(seconds) for seconds in (0.2, 3.4, 12, 41, 58, 100, 3000, 9000)] == [
        "about 1 s", "about 3 s", "about 10 s", "about 40 s", "about 60 s", "about 2 min", "about 50 min",
        "about 2.5 hours",
    ]  # fmt: skip
