"""The number of classes: more of them tell more."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Undefined
from workbench.measures import Measure, Measured
from workbench.release import Release


@dataclass(frozen=True)
class NumberOfClasses(Measure):
    name = "number of classes"
    symbol = "classes"
    side = "utility"
    unit = "classes"
    better = "higher"
    best = float("inf")

    def measure(self, release: Release) -> Measured:
        if release.classes is None:
            raise Undefined("this release has no classes")
        count = len(release.classes)
        return Measured(float(count), f"The records fall into {count:,} {'class' if count == 1 else 'classes'}.")
