"""Regression tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RegressionTree(Miner):
    leaf: int = parameter(10, "minimum number of records per leaf", low=1, high=1000)
    name = "regression tree"
    title = "Regression tree"
    summary = "splits by squared error, with the mean as the prediction of a leaf"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(min_samples_leaf=self.leaf, random_state=seed)
