"""Normalized average class size (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.figures import format_number
from workbench.base.parameters import parameter
from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class AverageClassSize(Measure):
    k: int = parameter(1, "class size to compare with", low=1, high=lambda t: t.records, scale="log")
    name = "average class size"
    title = "Normalized average class size (LeFevre et al. 2006)"
    summary = "the average number of records per class, divided by k"
    symbol = "C_avg"
    side = "utility"
    published_as = Publication.AVERAGE
    best = 1.0

    @property
    def unit(self) -> str:  # type: ignore[override]
        return "records" if self.k == 1 else f"times k = {self.k}"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        value, _ = super().publish(measured, release, smallest)
        times = f" times k = {self.k}" if self.k > 1 else ""
        return value, "" if value is None else f"A class has at most {format_number(value)}{times} records on average."

    def measure(self, release: Release) -> Measured:
        mean = float(disjoint_classes(release).sizes.mean())
        times = f", {format_number(mean / self.k)} times k = {self.k}" if self.k > 1 else ""
        return Measured(mean / self.k, f"A class has {format_number(mean)} records on average{times}.")
