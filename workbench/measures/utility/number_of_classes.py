"""The number of classes."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class NumberOfClasses(Measure):
    name = "number of classes"
    title = "The number of classes"
    summary = "more classes give more detail"
    symbol = "classes"
    side = "utility"
    unit = "classes"
    published_as = Publication.AVERAGE
    better = "higher"
    best = float("inf")

    def measure(self, release: Release) -> Measured:
        count = len(disjoint_classes(release))
        return Measured(float(count), f"The records fall into {count:,} {'class' if count == 1 else 'classes'}.")
