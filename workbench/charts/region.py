"""The region of a frontier's chart that no release can reach: below the least loss that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.charts.axis import Axis
from workbench.frontier.least import Least

PLACES = 80  # along the axis
WORD, ROOM, ASIDE = "not possible", 0.1, 0.04  # a share of the plot that it has to be high, and how far from the side


def impossible(possible: Sequence[Least], x: Axis, y: Axis) -> list[dict[str, Any]]:
    """The top of each region, from left to right; below is the end of the axis."""
    low, rows = min(y.domain), []
    for number, least in enumerate(possible):
        for share in np.linspace(0, 1, PLACES):
            at = float(_along(x, share))
            top = min(max(least.at(max(at, 0.0)), low), max(y.domain))
            rows.append({"x": at, "y": top, "y2": low, "region": number})
    return rows


def impossible_word(possible: Sequence[Least], x: Axis, y: Axis) -> list[dict[str, Any]]:
    """Its name, near the left where it is highest; nothing where it has no room."""
    if not possible:
        return []
    at = float(_along(x, ASIDE))
    high = y.share(min(max(possible[0].at(max(at, 0.0)), min(y.domain)), max(y.domain)))
    middle = float(_along(y, min(high, 1.0) / 2)) if high > ROOM else None
    return [] if middle is None else [{"x": at, "y": middle, "word": WORD}]


def _along(axis: Axis, share: float) -> float:
    """The value at a share of what is drawn."""
    first, last = axis.domain
    if axis.log:
        return float(first * (last / first) ** share)
    return first + share * (last - first)
