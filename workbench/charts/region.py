"""The region of a frontier's chart that no release can reach: below the least loss that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.charts.axis import Axis
from workbench.charts.labels import PlotArea
from workbench.frontier.least import Least

PLACES = 80  # along the axis
WORD = "not possible\nin classes"  # noise, and who learns from all classes together, may do with less
WIDE, HIGH, ASIDE = 78, 32, 6  # pixels that it takes, and how far from the side it stands


def impossible(possible: Sequence[Least], x: Axis, y: Axis) -> list[dict[str, Any]]:
    """The top of each region, from left to right; below is the end of the axis."""
    low, rows = min(y.domain), []
    for number, least in enumerate(possible):
        for share in np.linspace(0, 1, PLACES):
            at = float(_along(x, share))
            top = min(max(least.at(max(at, 0.0)), low), max(y.domain))
            rows.append({"x": at, "y": top, "y2": low, "region": number})
    return rows


def impossible_word(possible: Sequence[Least], x: Axis, y: Axis, area: PlotArea) -> list[dict[str, Any]]:
    """Its name, inside it and near the left; nothing where it has no room there, or would hide a point."""
    if not possible:
        return []
    left, right = ASIDE / area.width, (ASIDE + WIDE) / area.width
    low, high = min(y.domain), max(y.domain)
    tops = [possible[0].at(max(float(_along(x, share)), 0.0)) for share in (left, (left + right) / 2, right)]
    room = min(y.share(min(max(top, low), high)) for top in tops) * area.height
    middle = area.height - room / 2
    if room < HIGH or not area.is_free((ASIDE, middle - HIGH / 2, ASIDE + WIDE, middle + HIGH / 2)):
        return []
    return [{"x": float(_along(x, left)), "y": float(_along(y, room / 2 / area.height)), "word": WORD}]


def _along(axis: Axis, share: float) -> float:
    """The value at a share of what is drawn."""
    first, last = axis.domain
    if axis.log:
        return float(first * (last / first) ** share)
    return first + share * (last - first)
