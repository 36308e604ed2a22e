"""Subtraction: what is left to be believed where several files say how often each of their classes has each value.

A number of people is in several sums: of the groups and values that a class of a file adds up, and of the values of a
group. What a sum has more than its other parts can take is in this part, and what they have at least is not: so bounds
are drawn in until nothing moves (interval propagation). What it finds is certain; not all that is certain is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.progress import step

ROUNDS = 200


class Sums(NamedTuple):
    """Numbers of people that add up: of some parts, which sum each is part of, and what the sums come to."""

    parts: np.ndarray
    of: np.ndarray
    total: np.ndarray

    @classmethod
    def told(cls, parts: np.ndarray, key: np.ndarray, total: np.ndarray) -> Sums:
        """By a key of each part that is found in `total`."""
        used, of = np.unique(key, return_inverse=True)
        return cls(parts, of.ravel(), total[used].astype(np.int64))

    def draw_in(self, least: np.ndarray, most: np.ndarray) -> None:
        """Bounds of the parts, by what the others in their sums have at least and at most."""
        low, high = least[self.parts], most[self.parts]
        room, need = (self.total - np.bincount(self.of, ends, len(self.total)).astype(np.int64) for ends in (low, high))
        most[self.parts] = np.minimum(high, room[self.of] + low)
        least[self.parts] = np.maximum(low, need[self.of] + high)


def bounds(parts: int, sums: Sequence[Sums]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most that each part may be, as far as that is found; each is in some sum."""
    least, most = np.zeros(parts, np.int64), np.full(parts, np.iinfo(np.int32).max, np.int64)
    for one in sums:
        most[one.parts] = np.minimum(most[one.parts], one.total[one.of])
    for _ in range(ROUNDS):
        step()
        before = int((most - least).sum())
        for one in sums:
            one.draw_in(least, most)
        if int((most - least).sum()) == before:
            break
    return least, most
