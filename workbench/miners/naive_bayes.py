"""Naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner

LEAST = 1e-3  # minimum variance as a share of the column's, so that identical numbers are not certain


@dataclass(frozen=True)
class NaiveBayes(Miner):
    smoothing: float = parameter(1.0, "records added to each count", low=0, high=100, above=True)
    name = "naive bayes"
    title = "Naive Bayes"
    summary = "columns are independent given the target; counts for text, normal densities for numbers"
    form = "values"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Mixed(nominal, self.smoothing)


class Mixed:
    """Naive Bayes over text and number columns; a missing number is ignored."""

    def __init__(self, nominal: Sequence[int], smoothing: float) -> None:
        self.nominal, self.smoothing = nominal, smoothing

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Mixed:
        self.classes_, place = np.unique(labels, return_inverse=True)
        count = np.bincount(place).astype(float)
        self.prior, self.tables, self.normals = np.log(count / count.sum()), {}, {}
        for a, things in enumerate(self.nominal):
            column = rows[:, a].astype(float)
            if things:
                flat = np.bincount(place * things + column.astype(np.int64), minlength=len(count) * things)
                table = flat.reshape(len(count), things) + self.smoothing
                self.tables[a] = np.log(table / table.sum(axis=1, keepdims=True))
            elif not np.isnan(column).all():
                self.normals[a] = _normals(column, place, len(count))
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the most likely value of each record."""
        return self.classes_[self.log_joint(rows).argmax(axis=1)]

    def log_joint(self, rows: np.ndarray) -> np.ndarray:
        """Return logarithms of the joint probability of value and record: records x values."""
        found = np.tile(self.prior, (len(rows), 1))
        for a, table in self.tables.items():
            found += table[:, rows[:, a].astype(np.int64)].T
        for a, (mean, variance) in self.normals.items():
            column = rows[:, a, None].astype(float)
            densities = -0.5 * (np.log(2 * np.pi * variance) + (column - mean) ** 2 / variance)
            found += np.where(np.isnan(column), 0.0, densities)
        return found


def _normals(column: np.ndarray, place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of a number per value of the target; those of the whole column for a value without
    records."""
    known = ~np.isnan(column)
    column, place = column[known], place[known]
    counts = np.bincount(place, minlength=count)
    seen, total = np.maximum(counts, 1), max(float(column.var()), 1e-9)
    mean = np.where(counts > 0, np.bincount(place, column, count) / seen, column.mean())
    variance = np.where(counts > 1, np.bincount(place, (column - mean[place]) ** 2, count) / seen, total)
    return mean, np.maximum(variance, LEAST * total)
