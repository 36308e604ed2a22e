"""Probabilistic l-diversity (in the reading of Li & Li 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model, class_shares
from workbench.models.diversity import explain_too_few_values, max_l, min_records


@dataclass(frozen=True)
class ProbabilisticLDiversity(Model):
    l: float = parameter(3.0, "no value is a larger share of a class than 1/l", low=1, high=max_l)
    name = "l-diversity"
    title = "Probabilistic l-diversity (in the reading of Li & Li 2009)"
    summary = "no value is a larger share of a class than 1/l"
    figure = "l"
    at_least = True

    @property
    def min_class_size(self) -> int:
        return min_records(self.l)

    @property
    def limit(self) -> float:
        return self.l

    @property
    def max_value_share(self) -> float:
        return 1 / self.l

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return 1 / class_shares(histogram).max(axis=1)

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        few = explain_too_few_values(sensitive, self.l)
        if few or not sensitive or sensitive.prior.max() * self.l <= 1 + TOLERANCE:
            return few
        return f"the commonest value of {sensitive.name!r} has a larger share than 1/l = {format_percent(1 / self.l)}"
