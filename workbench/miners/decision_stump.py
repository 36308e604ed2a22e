"""Decision stump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class DecisionStump(Miner):
    name = "decision stump"
    title = "Decision stump"
    summary = "a tree with one split"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=seed)
