"""Regression stump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class RegressionStump(Miner):
    name = "regression stump"
    title = "Regression stump"
    summary = "a regression tree with one split"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1, random_state=seed)
