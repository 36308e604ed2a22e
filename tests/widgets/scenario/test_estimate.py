"""The time of a scenario is estimated before it is measured."""

from tests.widgets.scenario.people import people
from widgets.scenario import estimate
from widgets.scenario.estimate import describe_estimate, estimate_scenario
from widgets.scenario.uses import proposed


def test_each_use_counts_for_each_release_and_both_ends(monkeypatch):
    asked = []
    seconds = lambda release, target, miners: asked.append((target, len(miners))) or 2.0  # noqa: E731
    monkeypatch.setattr(estimate, "estimate_seconds", seconds)
    assert estimate_scenario(proposed(people()), people(), None, 26) == 2 * 2.0 * 28
    assert asked == [("ill", 1), ("age", 3)]


def test_the_estimate_is_described():
    assert describe_estimate(26, 100).startswith("Mining 26 releases takes about 2 min")
    assert describe_estimate(1, 3).startswith("Mining 1 release takes about 3 s")
