"""Subtraction attacks: bounds on counts of people, given the class counts of several files.

A number of people is part of several sums: of the groups and values that a class of a file contains, and of the values
of a group. A sum minus the upper bounds of its other parts is a lower bound of this part, and minus their lower bounds
an upper bound. Bounds are tightened until they are stable (interval propagation). The results are certain but not
complete, and less complete if the bounds still change in the last round, which the fit reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.progress import checkpoint

ROUNDS = 200


class Sums(NamedTuple):
    """Sums of numbers of people: their parts, the sum that each part belongs to, and the totals."""

    parts: np.ndarray
    of: np.ndarray
    total: np.ndarray

    @classmethod
    def from_keys(cls, parts: np.ndarray, key: np.ndarray, total: np.ndarray) -> Sums:
        """Create sums from a key per part, which is an index of `total`."""
        used, sum_of_part = np.unique(key, return_inverse=True)
        return cls(parts, sum_of_part.ravel(), total[used].astype(np.int64))

    def draw_in(self, least: np.ndarray, most: np.ndarray) -> None:
        """Tighten the bounds of the parts by the bounds of the others in their sums."""
        low, high = least[self.parts], most[self.parts]
        room, need = (self.total - np.bincount(self.of, ends, len(self.total)).astype(np.int64) for ends in (low, high))
        most[self.parts] = np.minimum(high, room[self.of] + low)
        least[self.parts] = np.maximum(low, need[self.of] + high)


def propagate_bounds(parts: int, sums: Sequence[Sums]) -> tuple[np.ndarray, np.ndarray]:
    """Propagate interval bounds on unknown counts through known sums; each part is in some sum."""
    least, most = np.zeros(parts, np.int64), np.full(parts, np.iinfo(np.int32).max, np.int64)
    for one in sums:
        most[one.parts] = np.minimum(most[one.parts], one.total[one.of])
    moved, rounds = 1, 0
    while moved and rounds < ROUNDS:
        checkpoint()
        rounds += 1
        before = int((most - least).sum())
        for one in sums:
            one.draw_in(least, most)
        moved = before - int((most - least).sum())
    report_fit(Fit("subtraction of the files", rounds, float(moved), not moved))
    return least, most
