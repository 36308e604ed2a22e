"""Distinct l-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.diversity import explain_too_few_values, max_l


@dataclass(frozen=True)
class DistinctLDiversity(Model):
    l: int = parameter(3, "minimum number of different sensitive values per class", low=1, high=max_l)
    name = "distinct l-diversity"
    title = "Distinct l-diversity (Machanavajjhala et al. 2006)"
    summary = "every class has at least l different sensitive values"
    figure = "l"
    at_least = True

    @property
    def min_class_size(self) -> int:
        return self.l

    @property
    def limit(self) -> float:
        return self.l

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return (histogram > 0).sum(axis=1)

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return explain_too_few_values(sensitive, self.l)
