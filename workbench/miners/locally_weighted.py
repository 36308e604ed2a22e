"""Locally weighted learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner
from workbench.miners.neighbours import Neighbours


@dataclass(frozen=True)
class LocallyWeighted(Miner):
    neighbours: int = parameter(50, "number of neighbors to learn from", low=2, high=1000)
    name = "locally weighted"
    title = "Locally weighted learning"
    summary = "a naive Bayes model per record, from weighted neighbors (Frank, Hall & Pfahringer 2003)"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Local(self.neighbours)


class Local(Neighbours):
    """Weights decrease from 1 at the record to 0 just beyond the farthest neighbor; each column counts neighbors that
    agree with the record, for numbers within half a deviation."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Local:
        self.remember(rows)
        self.classes_, self.place = np.unique(labels, return_inverse=True)
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the most likely value of each record, by its neighbors."""
        found = np.empty(len(rows), self.classes_.dtype)
        for block, nearby, far in self.nearest(rows):
            for part in np.array_split(np.arange(len(block)), len(block) // 256 + 1):
                some, near, away = block[part], nearby[part], far[part]
                weight = 1 - away / (away.max(axis=1, keepdims=True) * (1 + 1e-6) + 1e-12)
                weight *= near.shape[1] / np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
                agree = np.abs(self.rows[near] - rows[some][:, None, :]) < 0.5
                found[some] = self.classes_[self._log_joint(weight, agree, self.place[near]).argmax(axis=1)]
        return found

    def _log_joint(self, weight: np.ndarray, agree: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Return logarithms, records x values; counts are smoothed by one neighbor on each side."""
        found = np.empty((len(weight), len(self.classes_)))
        for value in range(len(self.classes_)):
            its = np.where(place == value, weight, 0.0).astype(np.float32)
            total = its.sum(axis=1)
            same = np.einsum("mk,mkw->mw", its, agree, dtype=np.float32)
            likely = np.log((same + 1) / (total[:, None] + 2)).sum(axis=1)
            found[:, value] = np.log((total + 1) / (weight.sum(axis=1) + len(self.classes_))) + likely
        return found
