"""Entropy l-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures_next_to
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, entropy
from workbench.models.diversity import LDiversity, max_l


@dataclass(frozen=True)
class EntropyLDiversity(LDiversity):
    l: float = parameter(
        3.0, "minimum entropy of a class, as an equivalent number of equally frequent values", low=1, high=max_l
    )
    name = "entropy l-diversity"
    title = "Entropy l-diversity (Machanavajjhala et al. 2006)"
    summary = "the entropy of every class is at least that of l equal shares"

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return np.exp(entropy(histogram))

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return super().explain_impossible(sensitive, records) or (
            f"the entropy of {sensitive.name!r} is that of {figures_next_to(whole, self.l)} values in equal shares, "
            f"less than l = {self.l:g}"
            if sensitive and (whole := float(np.exp(entropy(sensitive.totals)))) < self.l * (1 - TOLERANCE)
            else None
        )
