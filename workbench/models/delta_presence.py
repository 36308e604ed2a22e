"""delta-presence (Nergiz, Atzori & Clifton 2007).

The presence of a person is the share of records among the people whom the class covers; it is 0 for people whom no
class covers, and the sum over all covering classes where labels overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model
from workbench.models.classes import Classes

if TYPE_CHECKING:
    from workbench.data.population import Presence


@dataclass(frozen=True)
class DeltaPresence(Model):
    """Not monotone: the label of merged classes may cover people whom neither covered, which lowers the share below
    `low`; and if labels overlap, people covered by both count once, which raises it above `high`."""

    low: float = parameter(0.0, "smallest probability that a person of the population is in the table", low=0, high=1)
    high: float = parameter(0.5, "largest probability that a person of the population is in the table", low=0, high=1)
    name = "delta-presence"
    title = "delta-presence (Nergiz, Atzori & Clifton 2007)"
    summary = "nobody is too likely, or too unlikely, to be in the table"
    figure = "presence"
    needs_sensitive = False
    needs_population = True

    @property
    def monotone(self) -> bool:
        return False

    @property
    def limit(self) -> float:
        return self.high

    @classmethod
    def with_loosest_parameters(cls) -> Model:
        return cls(0.0, 1.0)

    def score(self, classes: Classes) -> np.ndarray:
        return self._presence(classes).most

    def _presence(self, classes: Classes) -> Presence:
        """Return the smallest and largest presence of the people whom each class covers."""
        coverage, population = classes.coverage, classes.population
        if population is not None and population.lacking:
            raise Undefined(
                f"{population.lacking:,} records of the table match nobody in the population; delta-presence needs a "
                "table sampled from its population: provide the population that the records were drawn from"
            )
        return coverage.presence(classes.sizes)

    def uncovered(self, classes: Classes) -> int:
        return self._presence(classes).uncovered if self.low > 0 else 0

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return f"low = {self.low:g} is above high = {self.high:g}" if self.low > self.high else None

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("delta-presence is about the regions of classes, not about sensitive values")

    def holds(self, classes: Classes) -> np.ndarray:
        found = self._presence(classes)
        return (found.least >= self.low - TOLERANCE) & (found.most <= self.high + TOLERANCE)
