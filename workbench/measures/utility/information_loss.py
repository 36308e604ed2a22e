"""Generalised information loss, NCP (Xu et al. 2006): how wide the released values are, in units that people use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures
from workbench.measures import Measure, Measured, average, everybody
from workbench.releases.base import Release


@dataclass(frozen=True)
class InformationLoss(Measure):
    """A run's width over the attribute's whole width: values apart for numbers, steps between values for text."""

    name = "information loss"
    symbol = "NCP"
    side = "utility"
    unit = "share of an attribute's width, averaged over records and attributes"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        classes, table = everybody(release), release.table
        assert classes.low is not None and classes.high is not None  # of a finished release they are known
        at = table.positions
        widths, shares = {}, {}
        for a, name in enumerate(table.quasi):
            apart = at[a, classes.high[:, a]] - at[a, classes.low[:, a]] if a not in classes.sets else classes.spread(a)
            width = 0.0 if classes.exact else average(apart, classes.sizes)
            whole = at[a, table.columns[name].size - 1]
            widths[name], shares[name] = width, width / whole if whole else 0.0
        value = float(np.mean(list(shares.values())))
        spoken = ", ".join(
            f"{name} {figures(widths[name], 'lower')} {_unit(table.columns[name].kind)}" for name in table.quasi
        )
        return Measured(
            value, f"A released value spans, on average: {spoken}.", {"per_attribute": shares, "width": widths}
        )


def _unit(kind: str) -> str:
    return {"number": "units", "date": "days"}.get(kind, "further values")
