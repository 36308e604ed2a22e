"""delta-disclosure (Brickell & Shmatikov 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, class_shares, quotient


@dataclass(frozen=True)
class DeltaDisclosure(Model):
    """Definition 1: the score is the largest |log(share in the class / share in the table)|.

    `absent` decides about values missing from a class: "breaks" is the definition, "allowed" the weaker reading.
    """

    delta: float = parameter(1.5, "largest change of a value's share, as a logarithm", low=0, above=True)
    absent: str = parameter(
        "breaks", "whether a value missing from a class violates the model", choices=("breaks", "allowed")
    )
    name = "delta-disclosure"
    title = "delta-disclosure (Brickell & Shmatikov 2008)"
    summary = "in no class is a value e^delta times as common or as rare as usual"
    figure = "delta"
    strict = True

    @property
    def monotone(self) -> bool:
        return self.absent == "breaks"

    @property
    def promise(self) -> str:
        if self.absent == "breaks":
            return super().promise
        return (
            "no value that a class has is e^delta times as common or as rare there as usual, but a value may be "
            "missing from a class"
        )

    @property
    def limit(self) -> float:
        return self.delta

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        factor = quotient(class_shares(histogram), sensitive.prior)
        missing = 0.0 if self.absent == "allowed" else np.inf
        return np.abs(np.log(factor, out=np.full_like(factor, missing), where=factor > 0)).max(axis=1)
