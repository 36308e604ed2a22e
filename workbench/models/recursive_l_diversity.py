"""Recursive (c,l)-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE
from workbench.models.diversity import LDiversity, max_l


@dataclass(frozen=True)
class RecursiveLDiversity(LDiversity):
    """r1 < c (rl + ... + rm), counts in descending order; (c,1)-diversity always holds. The score is the largest l."""

    c: float = parameter(3.0, "limit of the commonest value's count, as a multiple of the tail's", low=0, above=True)
    l: int = parameter(3, "start of the tail: the l-th commonest value", low=1, high=max_l)
    name = "recursive (c,l)-diversity"
    title = "Recursive (c,l)-diversity (Machanavajjhala et al. 2006)"
    summary = "no value is c times as common as all but the top l - 1"

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        descending = -np.sort(-histogram, axis=1)
        tails = np.cumsum(descending[:, ::-1], axis=1)[:, ::-1]
        within = descending[:, :1] < self.c * tails * (1 - TOLERANCE)
        return np.maximum(within.sum(axis=1), 1)
