"""Geometric loss (Iyengar 2002, averaged as in ARX)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_percent
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measured
from workbench.models.classes import Classes
from workbench.releases.base import Release

ROUNDING = 1e-12  # tolerance of a mean over records


@dataclass(frozen=True)
class GeometricLoss(AttributeLoss):
    """The geometric mean over attributes of 1 plus the share of the other leaves that a value may be, minus 1.

    A suppressed record may have any leaf. Leaves are those of the hierarchy as specified, also if the data have fewer.
    """

    name = "geometric loss"
    title = "Geometric loss (Iyengar 2002, averaged as in ARX)"
    summary = "how many leaves of its hierarchy a released value stands for"
    symbol = "GL"
    unit = "share of an attribute's other leaves, averaged over records and, as a geometric mean, over attributes"

    def measure(self, release: Release) -> Measured:
        means = self.means(release)
        shares = dict(
            zip(means, share_of_others(np.array(list(means.values())), _wholes(release.table)).tolist(), strict=True)
        )
        spoken = ", ".join(f"{name} {format_percent(share)}" for name, share in shares.items())
        sentence = f"On average a released value may be any of this share of the column's other values: {spoken}."
        return Measured(self.value(means, release.table), sentence, {"per_attribute": shares})

    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        column = table.columns[table.quasi[a]]
        if a in classes.sets:
            return (classes.spread(a) + 1) / column.whole
        assert classes.low is not None and classes.high is not None  # known for a finished release
        return column.leaves(classes.low[:, a], classes.high[:, a], 0 if level is None else level) / column.whole

    def combined(self, means: np.ndarray, table: Table) -> np.ndarray:
        return np.expm1(super().combined(np.log1p(share_of_others(means, _wholes(table))), table))


def share_of_others(means: np.ndarray, whole: np.ndarray | int) -> np.ndarray:
    """Return shares of all leaves as shares of the others: 0 for exactly one leaf, 1 for all leaves."""
    beyond = (means - 1 / whole) / np.where(whole > 1, 1 - 1 / whole, 1)
    return np.where(beyond < ROUNDING, 0.0, beyond)


def _wholes(table: Table) -> np.ndarray:
    return np.array([table.columns[name].whole for name in table.quasi])
