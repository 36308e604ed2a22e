"""t-closeness (Li, Li & Venkatasubramanian 2007): every class's distribution is within t of the whole table's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, share
from workbench.models.distances import COMPARED, distance, unordered

KINDS = ("equal", "ordered", "hierarchical", "js")


@dataclass(frozen=True)
class TCloseness(Model):
    t: float = parameter(0.15, "the largest distance from the whole table's distribution", low=0, high=1)
    distance: str = parameter("equal", COMPARED, choices=KINDS)
    name = "t-closeness"
    figure = "t"

    @property
    def limit(self) -> float:
        return self.t

    @property
    def far(self) -> tuple[str, float]:
        return self.distance, self.t

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return unordered(self.distance, sensitive.ordered, sensitive.name) or None if sensitive else None

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return distance(self.distance, share(histogram), sensitive.prior, sensitive.levels)
