"""How long a scenario takes is said before it is measured."""

from tests.widgets.scenario.people import people
from widgets.scenario import estimate
from widgets.scenario.estimate import duration_of, in_words
from widgets.scenario.uses import proposed


def test_each_use_counts_for_each_release_and_both_ends(monkeypatch):
    asked = []
    seconds = lambda release, target, miners: asked.append((target, len(miners))) or 2.0  # noqa: E731
    monkeypatch.setattr(estimate, "estimate_seconds", seconds)
    assert duration_of(proposed(people()), people(), None, 26) == 2 * 2.0 * 28
    assert asked == [("ill", 1), ("age", 3)]


def test_it_is_said_in_plain_words():
    assert in_words(26, 100).startswith("Mining 26 releases takes about 2 min")
    assert in_words(1, 3).startswith("Mining 1 release takes about 3 s")
