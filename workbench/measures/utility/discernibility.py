"""Discernibility (Bayardo & Agrawal 2005)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class Discernibility(Measure):
    """A suppressed record costs the size of the whole table."""

    name = "discernibility"
    title = "Discernibility (Bayardo & Agrawal 2005)"
    summary = "every record costs the size of its class"
    symbol = "DM"
    side = "utility"
    unit = "pairs of records"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        sizes, records = disjoint_classes(release).sizes, release.table.records
        value = float(np.square(sizes.astype(float)).sum() + release.suppressed * records)
        mean = value / (sizes.sum() + release.suppressed)
        return Measured(value, f"On average a record is indistinguishable from {format_number(mean - 1)} others.")
