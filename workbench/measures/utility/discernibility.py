"""Discernibility (Bayardo & Agrawal 2005): every record costs the size of its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.measures import Measure, Measured, apart
from workbench.releases.base import Release


@dataclass(frozen=True)
class Discernibility(Measure):
    """A record that is left out costs the size of the whole table."""

    name = "discernibility"
    symbol = "DM"
    side = "utility"
    unit = "pairs of records"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        sizes, records = apart(release).sizes, release.table.records
        value = float(np.square(sizes.astype(float)).sum() + release.left_out * records)
        mean = value / (sizes.sum() + release.left_out)
        return Measured(value, f"On average a record looks like {mean:,.0f} records, itself included.")
