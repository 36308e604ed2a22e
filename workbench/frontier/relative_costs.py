"""Relative utility losses: shares of the loss of publishing no quasi-identifiers at all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.methods.remove import Remove

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier

COLUMN = "share of removal"  # the head of a column of such shares; in JSON share_of_removal
MEANING = "the utility loss as a share of the loss of publishing no quasi-identifiers (remove)"


def relative_costs(frontier: Frontier) -> list[float | None]:
    """Return each point's utility loss as a share of that of publishing no quasi-identifiers.

    None for a point without a figure, and for all points if that baseline has no figure or a loss of 0.
    """
    measure = frontier.measure(frontier.axes[1])
    best = frontier.sign(measure.key) * measure.best
    losses = frontier.losses([measure.key])[:, 0] - best
    removed = (loss for point, loss in zip(frontier.measured, losses, strict=True) if _removes_all(point.recipe.method))
    baseline = next(removed, math.nan)
    if not 0 < baseline < math.inf:
        return [None] * len(losses)
    return [float(loss / baseline) if math.isfinite(loss) else None for loss in losses]


def _removes_all(method: object) -> bool:
    return isinstance(method, Remove) and method.columns is None
