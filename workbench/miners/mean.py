"""The baseline that always predicts the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class Mean(Miner):
    name = "mean"
    title = "Mean"
    summary = "the mean of the training records for everybody (ZeroR for numbers)"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.dummy import DummyRegressor

        return DummyRegressor(strategy="mean")
