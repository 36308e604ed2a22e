"""Distinct l-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models.diversity import LDiversity, max_l


@dataclass(frozen=True)
class DistinctLDiversity(LDiversity):
    l: int = parameter(3, "minimum number of different sensitive values per class", low=1, high=max_l)
    name = "distinct l-diversity"
    title = "Distinct l-diversity (Machanavajjhala et al. 2006)"
    summary = "every class has at least l different sensitive values"

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return (histogram > 0).sum(axis=1)
