"""Probabilistic l-diversity (as Li & Li 2009 read it): no value holds more than 1/l of a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import per_cent
from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model, share
from workbench.models.diversity import fewest_records, most_values, too_few_values


@dataclass(frozen=True)
class ProbabilisticLDiversity(Model):
    l: float = parameter(3.0, "no value holds more than 1/l of a class", low=1, high=most_values)
    name = "l-diversity"
    figure = "l"
    at_least = True

    @property
    def floor(self) -> int:
        return fewest_records(self.l)

    @property
    def limit(self) -> float:
        return self.l

    @property
    def most(self) -> float:
        return 1 / self.l

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return 1 / share(histogram).max(axis=1)

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        few = too_few_values(sensitive, self.l)
        if few or not sensitive or sensitive.prior.max() * self.l <= 1 + TOLERANCE:
            return few
        return f"the commonest value of {sensitive.name!r} holds more of the records than 1/l = {per_cent(1 / self.l)}"
