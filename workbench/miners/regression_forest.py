"""Regression forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RegressionForest(Miner):
    trees: int = parameter(30, "number of trees", low=1, high=1000)
    leaf: int = parameter(5, "minimum number of records per leaf", low=1, high=1000)
    name = "regression forest"
    title = "Regression forest"
    summary = "the mean of trees on random records and columns"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(self.trees, min_samples_leaf=self.leaf, max_features=1 / 3, random_state=seed)
