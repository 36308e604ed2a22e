"""beta-likeness (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, class_shares, quotient


@dataclass(frozen=True)
class BetaLikeness(Model):
    """The score is the largest relative gain (p - q) / q; if enhanced, infinite where a gain exceeds -ln q."""

    beta: float = parameter(2.0, "largest relative gain of a value's share", low=0, above=True)
    enhanced: bool = parameter(False, "also limit the gain of common values to -ln q", choices=(False, True))
    name = "beta-likeness"
    title = "beta-likeness (Cao & Karras 2012)"
    summary = "no value's share exceeds its share in the table by more than a factor 1 + beta"
    figure = "beta"

    @property
    def limit(self) -> float:
        return self.beta

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        gain = quotient(class_shares(histogram), sensitive.prior) - 1
        if self.enhanced:
            known = sensitive.prior > 0
            allowed = -np.log(sensitive.prior, out=np.full(len(known), -np.inf), where=known)
            gain = np.where(gain > allowed, np.inf, gain)
        return np.maximum(gain.max(axis=1), 0)
