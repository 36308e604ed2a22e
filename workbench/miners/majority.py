"""The baseline that always predicts the commonest value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.miners import Miner


@dataclass(frozen=True)
class Majority(Miner):
    name = "majority"
    title = "Majority"
    summary = "the commonest value of the training records for everybody (ZeroR)"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        from sklearn.dummy import DummyClassifier

        return DummyClassifier(strategy="most_frequent")
