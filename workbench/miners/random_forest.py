"""Random forest: trees on drawn records and columns vote (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.variants import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RandomForest(Miner):
    trees: int = parameter(30, "how many trees vote", low=1, high=1000)
    leaf: int = parameter(2, "the fewest records of a leaf", low=1, high=1000)
    name = "random forest"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, min_samples_leaf=self.leaf, random_state=seed)
