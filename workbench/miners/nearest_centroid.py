"""Nearest centroid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class NearestCentroid(Miner):
    name = "nearest centroid"
    title = "Nearest centroid"
    summary = "the value whose records are closest on average"
    form = "indicators"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn import neighbors

        return neighbors.NearestCentroid()
