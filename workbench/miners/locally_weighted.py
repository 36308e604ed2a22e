"""Locally weighted learning: a naive Bayes of its own for each record, from its neighbours, the nearer the heavier
(Frank, Hall & Pfahringer 2003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.variants import parameter
from workbench.miners import Miner
from workbench.miners.neighbours import Neighbours


@dataclass(frozen=True)
class LocallyWeighted(Miner):
    neighbours: int = parameter(50, "how many neighbours are learnt from", low=2, high=1000)
    name = "locally weighted"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Local(self.neighbours)


class Local(Neighbours):
    """Weights fall from 1 at the record to 0 just beyond the farthest neighbour; of each column it counts which
    neighbours agree with the record, numbers within half a deviation."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Local:
        self.remember(rows)
        self.classes_, self.place = np.unique(labels, return_inverse=True)
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """The likeliest value of each record, by its neighbours."""
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
        """Records x values; counts have one neighbour more on each side."""
        found = np.empty((len(weight), len(self.classes_)))
        for value in range(len(self.classes_)):
            its = np.where(place == value, weight, 0.0).astype(np.float32)
            total = its.sum(axis=1)
            same = np.einsum("mk,mkw->mw", its, agree, dtype=np.float32)
            likely = np.log((same + 1) / (total[:, None] + 2)).sum(axis=1)
            found[:, value] = np.log((total + 1) / (weight.sum(axis=1) + len(self.classes_))) + likely
        return found
