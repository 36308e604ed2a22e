"""Probabilistic l-diversity (in the reading of Li & Li 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, class_shares
from workbench.models.diversity import LDiversity, max_l


@dataclass(frozen=True)
class ProbabilisticLDiversity(LDiversity):
    l: float = parameter(3.0, "no value is a larger share of a class than 1/l", low=1, high=max_l)
    name = "l-diversity"
    title = "Probabilistic l-diversity (in the reading of Li & Li 2009)"
    summary = "no value is a larger share of a class than 1/l"

    @property
    def max_value_share(self) -> float:
        return 1 / self.l

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return 1 / class_shares(histogram).max(axis=1)

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        few = super().explain_impossible(sensitive, records)
        if few or not sensitive or sensitive.prior.max() * self.l <= 1 + TOLERANCE:
            return few
        return f"the commonest value of {sensitive.name!r} has a larger share than 1/l = {format_percent(1 / self.l)}"
