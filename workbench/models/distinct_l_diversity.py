"""Distinct l-diversity (Machanavajjhala et al. 2006): every class has at least l different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.diversity import most_values, too_few_values


@dataclass(frozen=True)
class DistinctLDiversity(Model):
    l: int = parameter(3, "the fewest different sensitive values in a class", low=1, high=most_values)
    name = "distinct l-diversity"
    figure = "l"
    at_least = True

    @property
    def floor(self) -> int:
        return self.l

    @property
    def limit(self) -> float:
        return self.l

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return (histogram > 0).sum(axis=1)

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return too_few_values(sensitive, self.l)
