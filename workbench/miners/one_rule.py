"""One-rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class OneRule(Miner):
    bucket: int = parameter(6, "minimum number of records of the commonest value in an interval", low=1, high=1000)
    name = "one rule"
    title = "One-rule"
    summary = "the commonest value for each value of the best single column (Holte 1993)"
    form = "values"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Rule(nominal, self.bucket)


class Rule:
    """One rule per column, of which the one with the fewest errors on the training records is used."""

    def __init__(self, nominal: Sequence[int], bucket: int) -> None:
        self.nominal, self.bucket = nominal, bucket

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Rule:
        classes, place = np.unique(labels, return_inverse=True)
        fewest = len(labels) + 1
        for a, things in enumerate(self.nominal):
            ends = np.zeros(0) if things else intervals(rows[:, a], place, self.bucket)
            part = _part(rows[:, a], ends, things)
            counts = np.zeros((things or len(ends) + 2, len(classes)), np.int64)
            np.add.at(counts, (part, place), 1)
            errors = len(labels) - counts.max(axis=1).sum()
            if errors < fewest:
                usual = np.bincount(place).argmax()
                answer = np.where(counts.sum(axis=1) > 0, counts.argmax(axis=1), usual)
                fewest, self.column, self.ends, self.things = errors, a, ends, things
                self.answer = classes[answer]
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the prediction of the chosen column's rule."""
        return self.answer[_part(rows[:, self.column], self.ends, self.things)]


def intervals(numbers: np.ndarray, place: np.ndarray, bucket: int) -> np.ndarray:
    """Return the ends of intervals: each grows until its commonest value has `bucket` records and the next number has
    another one; adjacent intervals with the same value are merged."""
    known = ~np.isnan(numbers)
    values, at = np.unique(numbers[known], return_inverse=True)
    counts = np.zeros((len(values), int(place.max()) + 1), np.int64)
    np.add.at(counts, (at, place[known]), 1)
    ends, answers, inside = list[float](), list[int](), np.zeros(counts.shape[1], np.int64)
    for v in range(len(values)):
        if inside.max(initial=0) >= bucket and counts[v].argmax() != inside.argmax():
            ends.append((values[v - 1] + values[v]) / 2)
            answers.append(int(inside.argmax()))
            inside = np.zeros_like(inside)
        inside = inside + counts[v]
    answers.append(int(inside.argmax()))
    return np.array([end for end, one, two in zip(ends, answers, answers[1:], strict=False) if one != two])


def _part(column: np.ndarray, ends: np.ndarray, things: int) -> np.ndarray:
    """Return the part of the column for each record; for numbers the last part is for missing ones."""
    if things:
        return column.astype(np.int64)
    return np.where(np.isnan(column), len(ends) + 1, np.searchsorted(ends, column))
