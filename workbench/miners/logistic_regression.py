"""Logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class LogisticRegression(Miner):
    strength: float = parameter(1.0, "inverse of the penalty on the weights", low=0, high=1e6, above=True)
    name = "logistic regression"
    title = "Logistic regression"
    summary = "the probability of each value from a weighted sum of the published features"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn import linear_model

        return linear_model.LogisticRegression(C=self.strength, tol=1e-3, max_iter=200)
