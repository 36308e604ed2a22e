"""Linear SVM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class LinearSVM(Miner):
    strength: float = parameter(1.0, "cost of a record on the wrong side", low=0, high=1e6, above=True)
    name = "linear svm"
    title = "Linear SVM"
    summary = "the plane with the widest margin between each value and the others"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.svm import LinearSVC

        return LinearSVC(C=self.strength, dual=False, tol=1e-3, max_iter=200, random_state=seed)
