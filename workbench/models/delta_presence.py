"""delta-presence (Nergiz, Atzori & Clifton 2007): of those who fit a class neither too few nor too many are there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model
from workbench.models.classes import Classes


@dataclass(frozen=True)
class DeltaPresence(Model):
    """Not monotone: what merged classes show may hold people whom neither showed, which lowers the share below `low`;
    and where classes overlap, those who fit both are counted once, which raises it above `high`."""

    low: float = parameter(0.0, "the smallest share of the people who fit a class that is in the table", low=0, high=1)
    high: float = parameter(0.5, "the largest share of the people who fit a class that is in the table", low=0, high=1)
    name = "delta-presence"
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
    def bare(cls) -> Model:
        return cls(0.0, 1.0)

    def score(self, classes: Classes) -> np.ndarray:
        fitting, population = classes.fitting(), classes.population
        if population is not None and population.lacking:
            raise Undefined(
                f"{population.lacking:,} records of the table have nobody in the population; delta-presence is about a "
                "table of some of its people: give the population that the records were drawn from"
            )
        return classes.sizes / fitting

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return f"low = {self.low:g} is above high = {self.high:g}" if self.low > self.high else None

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("delta-presence looks at what classes show, not at sensitive values")

    def holds(self, classes: Classes) -> np.ndarray:
        share = self.score(classes)
        return (share >= self.low - TOLERANCE) & (share <= self.high + TOLERANCE)
