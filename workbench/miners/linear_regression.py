"""Linear regression: a weighted sum of what is shown, its weights kept small (ridge)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class LinearRegression(Miner):
    name = "linear regression"
    form = "indicators"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.linear_model import Ridge

        return Ridge(alpha=1.0)
