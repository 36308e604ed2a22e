"""beta-likeness (Cao & Karras 2012): no value gains more than a factor 1 + beta over its share in the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, share


@dataclass(frozen=True)
class BetaLikeness(Model):
    """The score is the largest relative gain (p - q) / q; where enhanced, infinite if a gain exceeds -ln q."""

    beta: float = parameter(2.0, "the largest relative gain of a value's share", low=0, above=True)
    enhanced: bool = parameter(False, "also bound the gain of common values by -ln q", choices=(False, True))
    name = "beta-likeness"
    figure = "beta"

    @property
    def limit(self) -> float:
        return self.beta

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        gain = share(histogram) / sensitive.prior - 1
        if self.enhanced:
            gain = np.where(gain > -np.log(sensitive.prior), np.inf, gain)
        return np.maximum(gain.max(axis=1), 0)
