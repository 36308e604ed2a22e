"""Mean: everybody has the mean of the training records (ZeroR of numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class Mean(Miner):
    name = "mean"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.dummy import DummyRegressor

        return DummyRegressor(strategy="mean")
