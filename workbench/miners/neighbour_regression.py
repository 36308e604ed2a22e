"""Neighbor regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class NeighbourRegression(Miner):
    neighbours: int = parameter(10, "number of neighbors to average", low=1, high=1000)
    name = "neighbour regression"
    title = "Neighbor regression"
    summary = "the mean number of the records with the most similar values"
    form = "indicators"
    predicts = "numbers"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from workbench.miners.neighbours import Averaging

        return Averaging(self.neighbours)
