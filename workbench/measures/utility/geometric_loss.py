"""Geometric loss (Iyengar 2002, averaged as in ARX): how many leaves of its hierarchy a released value stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import per_cent
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measured
from workbench.models.classes import Classes
from workbench.releases.base import Release

ROUNDING = 1e-12  # of a mean over records


@dataclass(frozen=True)
class GeometricLoss(AttributeLoss):
    """The geometric mean over attributes of 1 and the share of the other leaves that a value may be, less 1.

    A record that is left out may have any leaf. Leaves are those of the hierarchy as it was given, also where the data
    have fewer.
    """

    name = "geometric loss"
    symbol = "GL"
    unit = "share of an attribute's other leaves, averaged over records and, as a geometric mean, over attributes"

    def measure(self, release: Release) -> Measured:
        means = self.means(release)
        shares = dict(
            zip(means, beyond_one(np.array(list(means.values())), _wholes(release.table)).tolist(), strict=True)
        )
        spoken = ", ".join(f"{name} {per_cent(share)}" for name, share in shares.items())
        sentence = f"Of the other values of its column, a released value may be any of, on average: {spoken}."
        return Measured(self.value(means, release.table), sentence, {"per_attribute": shares})

    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        column = table.columns[table.quasi[a]]
        if a in classes.sets:
            return (classes.spread(a) + 1) / column.whole
        assert classes.low is not None and classes.high is not None  # of a finished release they are known
        return column.leaves(classes.low[:, a], classes.high[:, a], 0 if level is None else level) / column.whole

    def combined(self, means: np.ndarray, table: Table) -> np.ndarray:
        return np.expm1(super().combined(np.log1p(beyond_one(means, _wholes(table))), table))


def beyond_one(means: np.ndarray, whole: np.ndarray | int) -> np.ndarray:
    """Shares of all leaves as shares of the others: 0 where every record shows one leaf, 1 where each may have any."""
    beyond = (means - 1 / whole) / np.where(whole > 1, 1 - 1 / whole, 1)
    return np.where(beyond < ROUNDING, 0.0, beyond)


def _wholes(table: Table) -> np.ndarray:
    return np.array([table.columns[name].whole for name in table.quasi])
