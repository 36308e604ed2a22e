"""Entropy l-diversity (Machanavajjhala et al. 2006): the entropy of every class is at least that of l equal values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model, entropy
from workbench.models.diversity import fewest_records, most_values, too_few_values


@dataclass(frozen=True)
class EntropyLDiversity(Model):
    l: float = parameter(3.0, "a class is at least as mixed as l values in equal shares", low=1, high=most_values)
    name = "entropy l-diversity"
    figure = "l"
    at_least = True

    @property
    def floor(self) -> int:
        return fewest_records(self.l)

    @property
    def limit(self) -> float:
        return self.l

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return np.exp(entropy(histogram))

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return too_few_values(sensitive, self.l) or (
            f"{sensitive.name!r} is as mixed as {whole:.3g} equal values in the whole table, less than l = {self.l:g}"
            if sensitive and (whole := float(np.exp(entropy(sensitive.totals)))) < self.l * (1 - TOLERANCE)
            else None
        )
