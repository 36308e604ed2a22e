"""The region of a frontier's chart that no release can reach: below the certified minimum loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.charts.axis import Axis
from workbench.charts.labels import PlotArea
from workbench.frontier.lower_bounds import LowerBounds

PLACES = 80  # number of points along the axis
WORD = "not possible\nin classes"  # the bound does not apply to noise and to learning attackers
WIDE, HIGH, ASIDE = 78, 32, 6  # pixels: size of the label, and its distance from the side


def unreachable_region(possible: Sequence[LowerBounds], x: Axis, y: Axis) -> list[dict[str, Any]]:
    """Return the upper border of each region, from left to right; the lower one is the end of the axis."""
    low, rows = min(y.domain), []
    for number, least in enumerate(possible):
        for share in np.linspace(0, 1, PLACES):
            at = float(_along(x, share))
            top = min(max(least.value_at(max(at, 0.0)), low), max(y.domain))
            rows.append({"x": at, "y": top, "y2": low, "region": number})
    return rows


def unreachable_label(possible: Sequence[LowerBounds], x: Axis, y: Axis, area: PlotArea) -> list[dict[str, Any]]:
    """Return the region's label, inside it and near the left; empty if it has no space there or would hide a point."""
    if not possible:
        return []
    left, right = ASIDE / area.width, (ASIDE + WIDE) / area.width
    low, high = min(y.domain), max(y.domain)
    tops = [possible[0].value_at(max(float(_along(x, share)), 0.0)) for share in (left, (left + right) / 2, right)]
    room = min(y.share(min(max(top, low), high)) for top in tops) * area.height
    middle = area.height - room / 2
    if room < HIGH or not area.is_free((ASIDE, middle - HIGH / 2, ASIDE + WIDE, middle + HIGH / 2)):
        return []
    return [{"x": float(_along(x, left)), "y": float(_along(y, room / 2 / area.height)), "word": WORD}]


def _along(axis: Axis, share: float) -> float:
    """Return the value at a share of the scale's domain."""
    first, last = axis.domain
    if axis.log:
        return float(first * (last / first) ** share)
    return first + share * (last - first)
