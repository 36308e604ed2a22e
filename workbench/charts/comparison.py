"""Check whether two frontiers are comparable, by the figures of their baselines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.charts.scene import baseline_label, format_value, recipe_text

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point

SAME = 1e-9  # relative tolerance for rounding errors


def describe_difference(own: Frontier, other: Frontier) -> str:
    """Describe the first baseline with different values in the two frontiers; empty if all agree.

    The recipes that keep everything or remove all quasi-identifiers have other losses only for other data, roles or
    hierarchies: then the losses refer to other attackers and populations.
    """
    theirs = {recipe_text(point.recipe): point for point in _baselines(other)}
    shared = [m.key for m in own.measures if any(m == measure for measure in other.measures)]
    for point in _baselines(own):
        twin = theirs.get(recipe_text(point.recipe))
        for key in shared if twin else ():
            own_value, pinned_value = (one.values.get(key, math.nan) for one in (point, twin) if one)
            if not (
                math.isnan(own_value)
                or math.isnan(pinned_value)
                or math.isclose(own_value, pinned_value, rel_tol=SAME, abs_tol=SAME)
            ):
                ours, pinned = (format_value(value) for value in (own_value, pinned_value))
                return f"{baseline_label(recipe_text(point.recipe))}: {key} {ours}, pinned {pinned}"
    return ""


def _baselines(frontier: Frontier) -> list[Point]:
    return [point for point in frontier.measured if point.recipe.baseline]
