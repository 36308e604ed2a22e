"""Measured (c,l) (Loukides & Shao 2008, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.parameters import parameter
from workbench.measures import Measure, Measured, disjoint_classes, require_sensitive, size_in_thresholds
from workbench.measures.diversity import weighting_parameter
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import Release
from workbench.releases.published_classes import class_share_bounds


@dataclass(frozen=True)
class MeasuredDiversity(Measure):
    """l is the number of distinct values; c is the count of the commonest divided by that of all others.

    Both are averaged over the published classes; the worst of several sensitive columns counts.
    """

    figure: str = parameter(
        "l", "l: values per class; c: the commonest value relative to the others", choices=("l", "c")
    )
    weighting: str = weighting_parameter()
    name = "measured (c,l)"
    title = "Measured (c,l) (Loukides & Shao 2008, section 4.1)"
    summary = "the number of values per class, or how common the commonest one is"
    symbol = "(c,l)"
    worst_case = True
    side = "privacy"
    needs_sensitive = True

    @property
    def unit(self) -> str:  # type: ignore[override]
        return "values per class" if self.figure == "l" else "commonest value relative to the others; infinite if alone"

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
        spoken = format_number(value)
        if self.figure == "l":
            return Measured(value, f"A class has {spoken} different values on average.")
        return Measured(value, f"The commonest value of a class is {spoken} times as frequent as all others together.")

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        found = {}
        for name, counts in self._histograms(release).items():
            shares = class_share_bounds(counts, release.classes.sensitive[name].totals, smallest)
            found[name] = shares.low > 0, shares.high
        value = round_average(
            self._worst(release, found), better=self.better, crowd=size_in_thresholds(release, smallest)
        )
        return value, self.description

    def _worst(self, release: Release, found: dict[str, tuple[np.ndarray, np.ndarray]]) -> float:
        """Return the average for the worst column; `found` has, by column, which values occur in each class, and their
        shares."""
        weights = release.classes.sizes if self.weighting == "records" else None
        if self.figure == "l":
            each = [np.maximum(counts.sum(axis=1), 1) for counts, _ in found.values()]
            return float(min(np.average(one, weights=weights) for one in each))
        most = [shares.max(axis=1) for _, shares in found.values()]
        each = [np.where(one < 1, one / np.where(one < 1, 1 - one, 1), np.inf) for one in most]
        return float(max(np.average(one, weights=weights) for one in each))

    def _histograms(self, release: Release) -> dict[str, np.ndarray]:
        require_sensitive(release)
        if not disjoint_classes(release).histograms:
            raise Undefined("this release publishes no sensitive column, so its classes have no values")
        return dict(release.classes.histograms)
