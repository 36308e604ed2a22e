"""Miners for tests: one memorizes records, one is slow, one fails, one kills its process."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner

UNKNOWN = 0


class MemorizingLearner:
    """A learner that predicts the target of each row of its training data, and UNKNOWN for others."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> MemorizingLearner:
        self.known = {row.tobytes(): label for row, label in zip(rows, labels, strict=True)}
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.array([self.known.get(row.tobytes(), UNKNOWN) for row in rows])


@dataclass(frozen=True)
class MemorizingMiner(Miner):
    name = "by heart"
    form = "values"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return MemorizingLearner()


class _FailingLearner(MemorizingLearner):
    def __init__(self, what: str) -> None:
        self.what = what

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> MemorizingLearner:
        if self.what == "sleeps":
            time.sleep(60)
        if self.what == "fails":
            raise ValueError("cannot be learnt")
        if self.what == "dies":
            os._exit(3)
        return super().fit(rows, labels)


@dataclass(frozen=True)
class FailingMiner(Miner):
    what: str = parameter("sleeps", "what goes wrong", choices=("sleeps", "fails", "dies"))
    name = "odd"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return _FailingLearner(self.what)
