"""Neighbour regression: the mean number of the records that show nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.variants import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class NeighbourRegression(Miner):
    neighbours: int = parameter(10, "how many neighbours are averaged", low=1, high=1000)
    name = "neighbour regression"
    form = "indicators"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from workbench.miners.neighbours import Averaging

        return Averaging(self.neighbours)
