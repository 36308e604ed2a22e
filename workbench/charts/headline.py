"""Titles of charts: the numbers of efficient, dominated and undefined points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.charts.scene import efficient

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier


def headline(frontier: Frontier, efficient_are: str = "filled", dominated_are: str = "hollow") -> str:
    """Describe how many points are efficient and dominated."""
    lost = np.isnan(frontier.losses()).any(axis=1)
    standing, placed = int(efficient(frontier).sum()), int((frontier.recommendable & ~lost).sum())
    many = int(frontier.recommendable.sum())
    return f"{many} points: {standing} efficient ({efficient_are}), {placed - standing} dominated ({dominated_are})"


def left_out(frontier: Frontier) -> str:
    """Describe how many points have no value on an axis; baselines are counted separately."""
    lost = np.isnan(frontier.losses()).any(axis=1)
    own, ends = int((frontier.recommendable & lost).sum()), int((~frontier.recommendable & lost).sum())
    baselines = f"{ends} baseline{'s' if ends > 1 else ''}"
    if not own:
        return f"{baselines} left out" if ends else ""
    return f"{own} left out, and {baselines}" if ends else f"{own} left out"
