"""The greatest sum or average of numbers that some people have, where it is known how many of each group it is of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOTHING, PERHAPS, FOR_CERTAIN = range(3)  # whether who is picked adds a number


class Picked(NamedTuple):
    """Items of several people each; of every group at least `fewest` people are picked and at most `most`."""

    group: np.ndarray
    people: np.ndarray
    adds: np.ndarray
    fewest: np.ndarray
    most: np.ndarray

    def best(self, gains: np.ndarray) -> np.ndarray:
        """How many people of each item are picked where what they gain is to be great; those who gain 0 for need
        alone."""
        order = np.lexsort((-gains, self.group))
        group, people = self.group[order], self.people[order]
        wanted = np.bincount(group, people * (gains[order] > 0), len(self.fewest))
        count = np.clip(wanted, self.fewest, self.most)
        before = np.cumsum(people) - people
        first = np.searchsorted(group, group)  # of its group
        taken = np.empty(len(order))
        taken[order] = np.clip(count[group] - (before - before[first]), 0, people)
        return taken

    def together(self, other: Picked) -> Picked:
        """With other items, in groups of their own."""
        group = np.append(self.group, other.group + len(self.fewest))
        return Picked(group, *(np.append(a, b) for a, b in zip(self[1:], other[1:], strict=True)))


def greatest(picked: Picked, numbers: np.ndarray, average: bool) -> float:
    """The greatest sum, or average, of the numbers of who is picked; the average of nobody is not a number."""

    def gains(least: float) -> np.ndarray:
        over = numbers - least
        return np.select([picked.adds == FOR_CERTAIN, picked.adds == PERHAPS], [over, np.maximum(over, 0)], 0.0)

    if not average:
        return float(picked.best(gains(0.0)) @ gains(0.0)) if len(numbers) else 0.0
    possible = (picked.adds != NOTHING) & (picked.people > 0) & (picked.most[picked.group] > 0)
    if not possible.any():
        return float("nan")
    found = float(numbers[possible].min())
    while True:  # Dinkelbach's method: as long as some choice has a greater average than the last one
        over = gains(found)
        taken = picked.best(over) * ((picked.adds == FOR_CERTAIN) | (over > 0))
        people = taken.sum()
        better = float(taken @ numbers / people) if people else found
        if not better > found + 1e-12 * abs(found):
            return found
        found = better
