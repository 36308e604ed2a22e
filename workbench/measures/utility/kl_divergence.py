"""Kullback-Leibler divergence (Kifer & Gehrke 2006) of the distribution that can be rebuilt from the true one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures
from workbench.data import weights
from workbench.data.cells import Cells, distinct_rows
from workbench.measures import Measure, Measured, worst
from workbench.releases.base import Release


@dataclass(frozen=True)
class KLDivergence(Measure):
    """KL(true, reconstructed) over quasi-identifiers and sensitive value, natural logarithm; 0 where all is kept.

    Where records have weights, of the distribution of the people that they stand for.
    """

    name = "Kullback-Leibler divergence"
    symbol = "KL"
    side = "utility"
    unit = "nats"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        names: list[str | None] = [*release.table.sensitive] or [None]
        return worst({str(name): self._one(release, name) for name in names})

    def _one(self, release: Release, sensitive: str | None) -> Measured:
        cells, people = release.table.cells(), weights.people(release.table)
        points, group, truth = release.table.remember(("points", sensitive), lambda: _points(cells, people, sensitive))
        expected = release.estimate(points, sensitive)
        there = truth > 0
        with np.errstate(divide="ignore"):  # what was exchanged may leave nobody with a value that somebody has
            value = float((truth[there] * np.log(truth[there] / expected[there])).sum() / people.sum())
        about = f" and {sensitive}" if sensitive else ""
        far = f"{figures(value, 'lower')} nats"
        sentence = f"The distribution over quasi-identifiers{about} that can be rebuilt is {far} from the true one."
        return Measured(max(value, 0.0), sentence, {"points": len(group)})


def _points(cells: Cells, people: np.ndarray, sensitive: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct quasi-identifier values as populations of one code each, and the true count per value."""
    first, group = distinct_rows(cells.quasi.T)
    value = cells.others[sensitive] if sensitive else np.zeros(len(cells), np.int32)
    truth = np.zeros((len(first), int(value.max()) + 1))
    np.add.at(truth, (group, value), people)
    return np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2), first, truth
