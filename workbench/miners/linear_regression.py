"""Linear regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class LinearRegression(Miner):
    name = "linear regression"
    title = "Linear regression"
    summary = "a weighted sum of the published values with small weights (ridge)"
    form = "indicators"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.linear_model import Ridge

        return Ridge(alpha=1.0)
