"""k-map (El Emam & Dankar 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass(frozen=True)
class KMap(Model):
    """Monotone: the region of merged classes contains theirs, so it matches at least as many people."""

    k: int = parameter(10, "minimum number of people in the population whom a class matches", low=1, scale="log")
    name = "k-map"
    title = "k-map (El Emam & Dankar 2008)"
    summary = "every class matches at least k people of the population"
    figure = "k"
    at_least = True
    needs_sensitive = False
    needs_population = True

    @property
    def limit(self) -> float:
        return self.k

    def score(self, classes: Classes) -> np.ndarray:
        return classes.population_matches()

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("k-map is about the regions of classes, not about sensitive values")
