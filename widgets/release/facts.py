"""The facts of one release, as its card shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import estimated, per_cent
from workbench.data.reading.cures import CONTROLS, in_words
from workbench.data.table import Table
from workbench.frontier.frontier import SIDES, Frontier
from workbench.frontier.recipe import Point
from workbench.measures import Measure
from workbench.measures.utility.random_sample import in_words as in_sample
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.releases.base import Release


def sentences(
    point: Point | None, measures: Sequence[Measure], frontier: Frontier | None, table: Table | None = None
) -> dict[str, str]:
    """What is learnt and what is lost, each in a sentence, and the random sample of a table that loses as much."""
    if point is None:
        return {}
    told = {}
    for side, key in _axes(measures, frontier).items():
        reason = f"{key} is undefined: {point.reasons[key]}" if key in point.reasons else ""
        told[side] = point.sentences.get(key, reason)
        lost = next((one for one in measures if one.key == key and isinstance(one, UtilityLoss)), None)
        if table is not None and table.weight is None and lost is not None and key in point.values:
            told[side] += f" {in_sample(table, lost, point.values[key])}"
    return told


def figures(point: Point | None, measures: Sequence[Measure], frontier: Frontier | None) -> list[dict[str, Any]]:
    """One row a measure."""
    if point is None:
        return []
    drawn = set(_axes(measures, frontier).values())
    return [
        {
            "key": one.key,
            "name": one.name,
            "side": one.side,
            "unit": one.unit,
            "better": one.better,
            "value": point.values.get(one.key),
            "interval": estimated(point.intervals.get(one.key)),
            "reason": point.reasons.get(one.key, ""),
            "sentence": point.sentences.get(one.key, ""),
            "axis": one.key in drawn,
        }
        for one in sorted(measures, key=lambda one: SIDES.index(one.side))
    ]


def _axes(measures: Sequence[Measure], frontier: Frontier | None) -> dict[str, str]:
    """The measure of each side that is told in a sentence: the frontier's, else the first."""
    measured = {measure.key for measure in measures}
    firsts = {side: next((one.key for one in measures if one.side == side), "") for side in SIDES}
    drawn = {side: str(getattr(frontier, side, None)) for side in SIDES}
    return {side: drawn[side] if drawn[side] in measured else firsts[side] for side in SIDES}


def neutral(release: Release | None) -> str:
    """What neutral columns tell beside the release."""
    try:
        return release.beside.sentence if release is not None and release.neutral else ""
    except BadInput as reason:  # the records are not in memory
        return f"{in_words(str(reason), CONTROLS)}."


def in_classes(release: Release | None) -> str:
    """How the release divides the records."""
    if release is None:
        return ""
    try:
        sizes = release.classes.sizes
    except Undefined:
        return f"{release.table.records:,} records, in no classes"
    there = f"{sizes.sum():,} records in "
    there += "one class" if len(sizes) == 1 else f"{len(sizes):,} classes of {sizes.min():,} to {sizes.max():,}"
    gone = release.left_out
    return f"{there}; {gone:,} ({per_cent(gone / release.table.records, 'lower')}) left out" if gone else there
