"""delta-disclosure (Brickell & Shmatikov 2008): in no class is a value e^delta times as common or as rare as usual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model, share


@dataclass(frozen=True)
class DeltaDisclosure(Model):
    """Definition 1: the score is the largest |log(share in the class / share in the table)|.

    `absent` says what a value means that a class lacks: "breaks" is the definition, "allowed" the laxer reading.
    """

    delta: float = parameter(1.5, "the largest change of a value's share, as a logarithm", low=0, above=True)
    absent: str = parameter("breaks", "what a value missing from a class means", choices=("breaks", "allowed"))
    name = "delta-disclosure"
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

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        quotient = share(histogram) / sensitive.prior
        missing = 0.0 if self.absent == "allowed" else np.inf
        return np.abs(np.log(quotient, out=np.full_like(quotient, missing), where=quotient > 0)).max(axis=1)
