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


class Heart:
    """Predicts the target of each row that was seen, and UNKNOWN for any other."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Heart:
        self.known = {row.tobytes(): label for row, label in zip(rows, labels, strict=True)}
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.array([self.known.get(row.tobytes(), UNKNOWN) for row in rows])


@dataclass(frozen=True)
class ByHeart(Miner):
    name = "by heart"
    form = "values"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Heart()


class _Odd(Heart):
    def __init__(self, what: str) -> None:
        self.what = what

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Heart:
        if self.what == "sleeps":
            time.sleep(60)
        if self.what == "fails":
            raise ValueError("cannot be learnt")
        if self.what == "dies":
            os._exit(3)
        return super().fit(rows, labels)


@dataclass(frozen=True)
class Odd(Miner):
    what: str = parameter("sleeps", "what goes wrong", choices=("sleeps", "fails", "dies"))
    name = "odd"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return _Odd(self.what)
