"""Measured (c,l) (Loukides & Shao 2008, section 4.1): how many values a class has, and how common the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import averaged
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, apart, crowd, sensitive_of
from workbench.releases.base import Release
from workbench.releases.published_classes import those_of


@dataclass(frozen=True)
class MeasuredDiversity(Measure):
    """l is the number of distinct values; c how often the commonest occurs, divided by all others together.

    Both are averaged over the published classes; of several sensitive columns the worst counts.
    """

    figure: str = parameter("l", "l: the values of a class; c: the commonest beside the others", choices=("l", "c"))
    weighting: str = parameter(
        "groups",
        "each class counts once, as in the paper, or as often as it has records",
        choices=("groups", "records"),
    )
    name = "measured (c,l)"
    symbol = "(c,l)"
    side = "privacy"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return "values of a class" if self.figure == "l" else "commonest value beside the others; infinite where alone"

    @property
    def better(self) -> str:  # type: ignore[override]
        return "higher" if self.figure == "l" else "lower"

    @property
    def best(self) -> float:  # type: ignore[override]
        return float("inf") if self.figure == "l" else 0.0

    def measure(self, release: Release) -> Measured:
        histograms = self._histograms(release)
        found = {name: (counts > 0, counts / counts.sum(axis=1, keepdims=True)) for name, counts in histograms.items()}
        value = self._worst(release, found)
        spoken = figures(value, self.better)
        if self.figure == "l":
            return Measured(value, f"A class has {spoken} different values on average.")
        return Measured(value, f"The commonest value of a class is {spoken} times as frequent as the others together.")

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        found = {}
        for name, counts in self._histograms(release).items():
            shares = those_of(counts, release.classes.sensitive[name].totals, smallest)
            found[name] = shares.low > 0, shares.high
        value = averaged(self._worst(release, found), better=self.better, crowd=crowd(release, smallest))
        return value, self.plain

    def _worst(self, release: Release, found: dict[str, tuple[np.ndarray, np.ndarray]]) -> float:
        """The average of the worst column, from which values are there and the shares of all values."""
        weights = release.classes.sizes if self.weighting == "records" else None
        if self.figure == "l":
            each = [np.maximum(there.sum(axis=1), 1) for there, _ in found.values()]
            return float(min(np.average(one, weights=weights) for one in each))
        most = [shares.max(axis=1) for _, shares in found.values()]
        each = [np.where(one < 1, one / np.where(one < 1, 1 - one, 1), np.inf) for one in most]
        return float(max(np.average(one, weights=weights) for one in each))

    def _histograms(self, release: Release) -> dict[str, np.ndarray]:
        sensitive_of(release)
        if not apart(release).histograms:
            raise Undefined("this release publishes no sensitive column, so its classes have no values")
        return dict(release.classes.histograms)
