"""How long a scenario takes to be measured, said before it is."""

from __future__ import annotations

from widgets.scenario.uses import Scenario
from workbench.base.durations import duration
from workbench.data.table import Table
from workbench.miners.duration import seconds
from workbench.miners.judging import original
from workbench.miners.sets import chosen
from workbench.releases.base import Release

BASELINES = 2  # measured beside the points of a study


def duration_of(scenario: Scenario, table: Table, release: Release | None, points: int) -> float:
    """About how long the miners of both uses take for so many releases, by samples of this one, or of the original."""
    release = release or original(table)
    good, bad = scenario.good, scenario.bad
    found = 0.0
    if good.target is not None and good.target not in release.removed:
        found += seconds(release, good.target, chosen(good.miners)) * (points + BASELINES)
    for target in bad.target or table.quasi[:1]:
        shown = release.shown(target)
        able = [one for one in chosen(bad.miners) if (one.predicts == "numbers") == (shown.numbers is not None)]
        found += seconds(release, target, able) * (points + BASELINES)
    return found


def in_words(points: int, found: float) -> str:
    """The same as people read it."""
    releases = "1 release" if points == 1 else f"{points:,} releases"
    return f"Mining {releases} takes {duration(found)} while nothing else runs, and less where some are mined already."
