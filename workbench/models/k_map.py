"""k-map (El Emam & Dankar 2008): every class fits at least k people of the population, however few are in the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass(frozen=True)
class KMap(Model):
    """Monotone: what merged classes show holds what each showed, so it fits at least as many people."""

    k: int = parameter(10, "the fewest people of the population that a class may fit", low=1, scale="log")
    name = "k-map"
    figure = "k"
    at_least = True
    needs_sensitive = False
    needs_population = True

    @property
    def limit(self) -> float:
        return self.k

    def score(self, classes: Classes) -> np.ndarray:
        return classes.fitting()

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("k-map looks at what classes show, not at sensitive values")
