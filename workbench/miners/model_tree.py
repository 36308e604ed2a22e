"""Model tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class ModelTree(Miner):
    leaf: int = parameter(200, "minimum number of records per leaf", low=2, high=100_000)
    name = "model tree"
    title = "Model tree"
    summary = "a regression tree with a linear model in each leaf (Quinlan 1992, M5)"
    form = "indicators"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Models(self.leaf, seed)


class Models:
    """Linear models per leaf, with predictions limited to the range of the leaf's records."""

    def __init__(self, leaf: int, seed: int) -> None:
        self.leaf, self.seed = leaf, seed

    def fit(self, rows: np.ndarray, numbers: np.ndarray) -> Models:
        from sklearn.linear_model import Ridge
        from sklearn.tree import DecisionTreeRegressor

        self.tree = DecisionTreeRegressor(min_samples_leaf=self.leaf, random_state=self.seed).fit(rows, numbers)
        leaf_of, self.models = self.tree.apply(rows), dict[int, tuple[Any, float, float]]()
        for leaf in np.unique(leaf_of).tolist():
            its = leaf_of == leaf
            self.models[leaf] = (Ridge(alpha=1.0).fit(rows[its], numbers[its]), numbers[its].min(), numbers[its].max())
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the prediction of each record by the model of its leaf."""
        leaf_of, found = self.tree.apply(rows), np.empty(len(rows))
        for leaf in np.unique(leaf_of).tolist():
            model, low, high = self.models[leaf]
            found[leaf_of == leaf] = np.clip(model.predict(rows[leaf_of == leaf]), low, high)
        return found
