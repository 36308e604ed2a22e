"""Radial-basis network: logistic regression on how near a record is to some centres (Broomhead & Lowe 1988)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.variants import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RadialBasis(Miner):
    centres: int = parameter(40, "how many centres", low=1, high=1000)
    name = "radial basis"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Network(self.centres, seed)


class Network:
    """Centres by k-means; each tells how near it is by a bell as wide as its records are spread."""

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
        """How near each row is to each centre, from 1 down to 0."""
        return np.exp(-distances(rows, self.centres) / (2 * self.spread))

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """The likeliest value of each record."""
        return self.output.predict(self.bells(rows))


def distances(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The square of the distance of each row from each centre."""
    squares = (rows**2).sum(axis=1)[:, None] - 2 * (rows @ centres.T) + (centres**2).sum(axis=1)
    return np.maximum(squares, 0)
