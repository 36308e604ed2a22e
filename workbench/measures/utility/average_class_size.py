"""Normalised average class size (LeFevre et al. 2006): how much larger classes are than k asks for."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.figures import figures
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, apart
from workbench.releases.base import Release


@dataclass(frozen=True)
class AverageClassSize(Measure):
    k: int = parameter(1, "the class size to compare with", low=1, high=lambda t: t.records, scale="log")
    name = "average class size"
    symbol = "C_avg"
    side = "utility"
    unit = "times k"
    told = "as an average"
    best = 1.0

    def measure(self, release: Release) -> Measured:
        mean = float(apart(release).sizes.mean())
        return Measured(
            mean / self.k,
            f"A class has {mean:,.1f} records on average, {figures(mean / self.k, 'lower')} times k = {self.k}.",
        )
