"""Nearest neighbours: the records that show nearly the same vote (k nearest neighbours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.variants import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class NearestNeighbours(Miner):
    neighbours: int = parameter(10, "how many neighbours vote", low=1, high=1000)
    name = "nearest neighbours"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from workbench.miners.neighbours import Voting

        return Voting(self.neighbours)
