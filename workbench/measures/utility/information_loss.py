"""Generalized information loss, NCP (Xu et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.data.records import positions_of_quasi
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measured
from workbench.models.classes import Classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class InformationLoss(AttributeLoss):
    """The width of a run as a share of the attribute's range: differences of numbers, steps between values for text."""

    name = "information loss"
    title = "Generalized information loss, NCP (Xu et al. 2006)"
    summary = "how wide the released values are, in their natural units"
    symbol = "NCP"
    unit = "share of an attribute's range, averaged over records and attributes"

    def measure(self, release: Release) -> Measured:
        table, shares = release.table, self.means(release)
        widths = {name: share * _width(table, a) for a, (name, share) in enumerate(shares.items())}
        spoken = ", ".join(
            f"{name} {format_number(widths[name])} {_unit(table.columns[name].kind)}" for name in table.quasi
        )
        return Measured(
            self.value(shares, table),
            f"A released value spans, on average: {spoken}.",
            {"per_attribute": shares, "width": widths},
        )

    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        assert classes.low is not None and classes.high is not None  # known for a finished release
        at, whole = positions_of_quasi(table)[a], _width(table, a)
        apart = at[classes.high[:, a]] - at[classes.low[:, a]] if a not in classes.sets else classes.spread(a)
        return apart / whole if whole else np.zeros(len(apart))


def _width(table: Table, a: int) -> float:
    """Return the width of the whole attribute."""
    return float(positions_of_quasi(table)[a, table.columns[table.quasi[a]].size - 1])


def _unit(kind: str) -> str:
    return {"number": "units", "date": "days"}.get(kind, "further values")
