"""The number of classes: more of them tell more."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.measures import Measure, Measured, apart
from workbench.releases.base import Release


@dataclass(frozen=True)
class NumberOfClasses(Measure):
    name = "number of classes"
    symbol = "classes"
    side = "utility"
    unit = "classes"
    told = "as an average"
    better = "higher"
    best = float("inf")

    def measure(self, release: Release) -> Measured:
        count = len(apart(release))
        return Measured(float(count), f"The records fall into {count:,} {'class' if count == 1 else 'classes'}.")
