"""Random forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RandomForest(Miner):
    trees: int = parameter(30, "number of trees", low=1, high=1000)
    leaf: int = parameter(2, "minimum number of records per leaf", low=1, high=1000)
    name = "random forest"
    title = "Random forest"
    summary = "a vote of trees on random records and columns (Breiman 2001)"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, min_samples_leaf=self.leaf, random_state=seed)
