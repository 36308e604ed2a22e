"""Discernibility (Bayardo & Agrawal 2005): every record costs the size of its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.measures import Measure, Measured, classes_of
from workbench.release import Release


@dataclass(frozen=True)
class Discernibility(Measure):
    name = "discernibility"
    symbol = "DM"
    side = "utility"
    unit = "pairs of records"

    def measure(self, release: Release) -> Measured:
        sizes = classes_of(release).sizes
        value = float(np.square(sizes.astype(float)).sum())
        return Measured(value, f"On average a record looks like {value / sizes.sum():,.0f} records, itself included.")
