"""Recursive (c,l)-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model
from workbench.models.diversity import explain_too_few_values, max_l


@dataclass(frozen=True)
class RecursiveLDiversity(Model):
    """r1 < c (rl + ... + rm), counts in descending order; (c,1)-diversity always holds. The score is the largest l."""

    c: float = parameter(3.0, "limit of the commonest value's count, as a multiple of the tail's", low=0, above=True)
    l: int = parameter(3, "start of the tail: the l-th commonest value", low=1, high=max_l)
    name = "recursive (c,l)-diversity"
    title = "Recursive (c,l)-diversity (Machanavajjhala et al. 2006)"
    summary = "no value is c times as common as all but the top l - 1"
    figure = "l"
    at_least = True

    @property
    def min_class_size(self) -> int:
        return self.l

    @property
    def limit(self) -> float:
        return self.l

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        descending = -np.sort(-histogram, axis=1)
        tails = np.cumsum(descending[:, ::-1], axis=1)[:, ::-1]
        within = descending[:, :1] < self.c * tails * (1 - TOLERANCE)
        return np.maximum(within.sum(axis=1), 1)

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return explain_too_few_values(sensitive, self.l)
