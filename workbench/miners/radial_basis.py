"""Radial-basis network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RadialBasis(Miner):
    centres: int = parameter(40, "number of centers", low=1, high=1000)
    name = "radial basis"
    title = "Radial-basis network"
    summary = "logistic regression on the proximity to a set of centers (Broomhead & Lowe 1988)"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Network(self.centres, seed)


class Network:
    """Centers by k-means; proximity to each is a Gaussian with the spread of its records."""

    def __init__(self, centres: int, seed: int) -> None:
        self.most, self.seed = centres, seed

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Network:
        from sklearn.cluster import MiniBatchKMeans
        from sklearn.linear_model import LogisticRegression

        groups = MiniBatchKMeans(min(self.most, len(rows)), n_init=1, random_state=self.seed).fit(rows)
        self.centres = groups.cluster_centers_
        squares, count = distances(rows, self.centres), np.bincount(groups.labels_, minlength=len(self.centres))
        own = squares[np.arange(len(rows)), groups.labels_]
        spread = np.bincount(groups.labels_, own, len(self.centres)) / np.maximum(count, 1)
        self.spread = np.where(spread > 0, spread, max(float(own.mean()), 1e-9))
        self.output = LogisticRegression(C=10.0, tol=1e-3, max_iter=200).fit(self.bells(rows), labels)
        return self

    def bells(self, rows: np.ndarray) -> np.ndarray:
        """Return the proximity of each row to each center, between 0 and 1."""
        return np.exp(-distances(rows, self.centres) / (2 * self.spread))

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the most likely value of each record."""
        return self.output.predict(self.bells(rows))


def distances(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the squared distance of each row from each center."""
    squares = (rows**2).sum(axis=1)[:, None] - 2 * (rows @ centres.T) + (centres**2).sum(axis=1)
    return np.maximum(squares, 0)
