"""An estimate of the time that a scenario takes."""

from __future__ import annotations

from widgets.scenario.uses import Scenario
from workbench.base.progress import describe_duration
from workbench.data.table import Table
from workbench.miners.cross_fitting import estimate_seconds, original_release
from workbench.miners.sets import resolve_miners
from workbench.releases.base import Release

BASELINES = 2  # measured in addition to the points of a study


def estimate_scenario(scenario: Scenario, table: Table, release: Release | None, points: int) -> float:
    """Estimate the seconds of the miners of both uses, from samples of a release or of the original."""
    release = release or original_release(table)
    good, bad = scenario.good, scenario.bad
    found = 0.0
    if good.target is not None and good.target not in release.unpublished_columns:
        found += estimate_seconds(release, good.target, resolve_miners(good.miners)) * (points + BASELINES)
    for target in bad.target or table.quasi[:1]:
        shown = release.shown(target)
        able = [one for one in resolve_miners(bad.miners) if (one.predicts == "numbers") == (shown.numbers is not None)]
        found += estimate_seconds(release, target, able) * (points + BASELINES)
    return found


def describe_estimate(points: int, found: float) -> str:
    """Describe how long the miners will take."""
    releases = "1 release" if points == 1 else f"{points:,} releases"
    return (
        f"Mining {releases} takes {describe_duration(found)} on an idle machine, less if some results are already "
        "stored."
    )
