"""t-closeness (Li, Li & Venkatasubramanian 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, class_shares
from workbench.models.distribution_distances import DISTANCE_HELP, distance, explain_unordered

KINDS = ("equal", "ordered", "hierarchical", "js")


@dataclass(frozen=True)
class TCloseness(Model):
    t: float = parameter(0.15, "largest distance from the distribution of the whole table", low=0, high=1)
    distance: str = parameter("equal", DISTANCE_HELP, choices=KINDS)
    name = "t-closeness"
    title = "t-closeness (Li, Li & Venkatasubramanian 2007)"
    summary = "every class's distribution is within t of the whole table's"
    figure = "t"

    @property
    def limit(self) -> float:
        return self.t

    @property
    def max_distance_from_prior(self) -> tuple[str, float]:
        return self.distance, self.t

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return explain_unordered(self.distance, sensitive.ordered, sensitive.name) or None if sensitive else None

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return distance(self.distance, class_shares(histogram), sensitive.prior, sensitive.levels)
