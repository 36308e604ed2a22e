"""Whether two frontiers answer the same question: the baselines, of which no choice is made, tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.charts.scene import baseline_label, said, words

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point

SAME = 1e-9  # of a value: rounding in another order of records


def unlike(own: Frontier, other: Frontier) -> str:
    """The first baseline that has another value in the other frontier; nothing where all agree.

    The same recipe that keeps everything, or removes all quasi-identifiers, can only lose otherwise on other data,
    roles or hierarchies: then the losses are of other adversaries and populations.
    """
    theirs = {words(point.recipe): point for point in _baselines(other)}
    shared = [m.key for m in own.measures if any(m == measure for measure in other.measures)]
    for point in _baselines(own):
        twin = theirs.get(words(point.recipe))
        for key in shared if twin else ():
            here, there = (one.values.get(key, math.nan) for one in (point, twin) if one)
            if not (math.isnan(here) or math.isnan(there) or math.isclose(here, there, rel_tol=SAME, abs_tol=SAME)):
                ours, pinned = (said(value, own.measure(key).better) for value in (here, there))
                return f"{baseline_label(words(point.recipe))}: {key} {ours}, pinned {pinned}"
    return ""


def _baselines(frontier: Frontier) -> list[Point]:
    return [point for point in frontier.measured if point.recipe.baseline]
