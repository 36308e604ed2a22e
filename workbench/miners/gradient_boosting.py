"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class GradientBoosting(Miner):
    rounds: int = parameter(30, "number of trees per value", low=1, high=1000)
    name = "gradient boosting"
    title = "Gradient boosting"
    summary = "small trees over histograms, each correcting the errors of those before (Friedman 2001)"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=self.rounds, max_leaf_nodes=15, early_stopping=False, random_state=seed
        )
