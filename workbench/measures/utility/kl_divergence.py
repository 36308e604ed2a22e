"""Kullback-Leibler divergence (Kifer & Gehrke 2006)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.data import weights
from workbench.data.cells import Cells, distinct_rows
from workbench.data.table import Table
from workbench.measures import Measure, Measured, Publication, worst_column
from workbench.releases.base import Release


@dataclass(frozen=True)
class KLDivergence(Measure):
    """KL(true, reconstructed) over quasi-identifiers and sensitive value, natural logarithm; 0 if everything is
    published.

    If records have weights, the distribution is that of the people they represent.
    """

    name = "Kullback-Leibler divergence"
    title = "Kullback-Leibler divergence (Kifer & Gehrke 2006)"
    summary = "the divergence of the reconstructed distribution from the true one"
    symbol = "KL"
    side = "utility"
    unit = "nats"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        names: list[str | None] = [*release.table.sensitive] or [None]
        return worst_column({str(name): self._one(release, name) for name in names})

    def _one(self, release: Release, sensitive: str | None) -> Measured:
        far, everybody, count = 0.0, 0.0, 0
        for points, truth in _pieces(release.table, sensitive):
            expected, present = release.estimate(points, sensitive), truth > 0
            with np.errstate(divide="ignore"):  # after swaps no person may be expected with a value that somebody has
                far += float((truth[present] * np.log(truth[present] / expected[present])).sum())
            everybody, count = everybody + float(truth.sum()), count + len(points)
        value = far / everybody
        about = f" and {sensitive}" if sensitive else ""
        nats = f"{format_number(value)} nats"
        sentence = f"The reconstructed distribution over quasi-identifiers{about} is {nats} from the true one."
        return Measured(max(value, 0.0), sentence, {"points": count})


def _pieces(table: Table, sensitive: str | None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the points with their true counts: all at once, or slice by slice if they do not fit in memory."""
    values = len(table.sensitive[sensitive]) if sensitive else 1
    if table.engine.cells_fit or table.weight is not None:
        cells, people = table.cells(), weights.people(table)
        yield table.remember(("points", sensitive), lambda: _points(cells, people, sensitive, values))
        return
    seen = {name: table.columns[name].node(level - 1) for name, level in table.levels.items() if level}
    for piece in table.engine.slices([*table.quasi, *table.sensitive], table.columns):
        cells = piece.mapped(seen).collapse(table.quasi, [sensitive] if sensitive else [])
        yield _points(cells, cells.weight, sensitive, values)


def _points(cells: Cells, people: np.ndarray, sensitive: str | None, values: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct quasi-identifier values as populations of one code each, and the true count per value."""
    first, group = distinct_rows(cells.quasi.T)
    value = cells.others[sensitive] if sensitive else np.zeros(len(cells), np.int32)
    truth = np.zeros((len(first), values))
    np.add.at(truth, (group, value), people)
    return np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2), truth
