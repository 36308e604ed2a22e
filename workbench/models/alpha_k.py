"""(alpha, k)-anonymity (Wong et al. 2006): no value holds more than a share alpha of a class of at least k records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model, share


@dataclass(frozen=True)
class AlphaK(Model):
    alpha: float = parameter(0.5, "the largest share of a class that one value may have", low=0, high=1, above=True)
    k: int = parameter(10, "the fewest records a class may have", low=1, high=lambda t: t.records, scale="log")
    name = "(alpha,k)-anonymity"
    figure = "alpha"

    @classmethod
    def bare(cls) -> AlphaK:
        return cls(k=1)

    @property
    def floor(self) -> int:
        return self.k

    @property
    def limit(self) -> float:
        return self.alpha

    @property
    def most(self) -> float:
        return self.alpha

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return np.where(histogram.sum(axis=1) < self.k, np.inf, share(histogram).max(axis=1))

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        if records < self.k:
            return f"the table has {records:,} records, fewer than k = {self.k:,}"
        if sensitive and sensitive.prior.max() > self.alpha + TOLERANCE:
            return f"the commonest value of {sensitive.name!r} holds more of the records than alpha = {self.alpha:g}"
        return None
