"""(alpha,k)-anonymity (Wong et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model, class_shares


@dataclass(frozen=True)
class AlphaK(Model):
    alpha: float = parameter(0.5, "largest share of a class that one value may have", low=0, high=1, above=True)
    k: int = parameter(10, "minimum number of records per class", low=1, high=lambda t: t.records, scale="log")
    name = "(alpha,k)-anonymity"
    title = "(alpha,k)-anonymity (Wong et al. 2006)"
    summary = "every class has at least k records, and no value has a larger share of it than alpha"
    figure = "alpha"

    @classmethod
    def with_loosest_parameters(cls) -> AlphaK:
        return cls(k=1)

    @property
    def min_class_size(self) -> int:
        return self.k

    @property
    def limit(self) -> float:
        return self.alpha

    @property
    def max_value_share(self) -> float:
        return self.alpha

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return np.where(histogram.sum(axis=1) < self.k, np.inf, class_shares(histogram).max(axis=1))

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        if records < self.k:
            return f"the table has {records:,} records, fewer than k = {self.k:,}"
        if sensitive and sensitive.prior.max() > self.alpha + TOLERANCE:
            return f"the commonest value of {sensitive.name!r} has a larger share than alpha = {self.alpha:g}"
        return None
