"""Nearest neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class NearestNeighbours(Miner):
    neighbours: int = parameter(10, "number of neighbors that vote", low=1, high=1000)
    name = "nearest neighbours"
    title = "Nearest neighbors"
    summary = "a vote of the records with the most similar values (k nearest neighbors)"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from workbench.miners.neighbours import Voting

        return Voting(self.neighbours)
