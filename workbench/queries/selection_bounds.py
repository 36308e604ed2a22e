"""The maximum of a sum or average over people, if only the number of people selected per group is bounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOTHING, PERHAPS, FOR_CERTAIN = range(3)  # whether a selected person adds a number


class SelectionBounds(NamedTuple):
    """Items of several people each; from every group at least `fewest` and at most `most` people are selected."""

    group: np.ndarray
    people: np.ndarray
    adds: np.ndarray
    fewest: np.ndarray
    most: np.ndarray

    def best(self, gains: np.ndarray) -> np.ndarray:
        """Return how many people of each item maximize the gain; people with gain 0 are selected only if required."""
        order = np.lexsort((-gains, self.group))
        group, people = self.group[order], self.people[order]
        wanted = np.bincount(group, people * (gains[order] > 0), len(self.fewest))
        count = np.clip(wanted, self.fewest, self.most)
        before = np.cumsum(people) - people
        first = np.searchsorted(group, group)  # the first item of each one's group
        taken = np.empty(len(order))
        taken[order] = np.clip(count[group] - (before - before[first]), 0, people)
        return taken

    def join(self, other: SelectionBounds) -> SelectionBounds:
        """Return these items joined with others in groups of their own."""
        group = np.append(self.group, other.group + len(self.fewest))
        return SelectionBounds(group, *(np.append(a, b) for a, b in zip(self[1:], other[1:], strict=True)))


def max_sum(picked: SelectionBounds, numbers: np.ndarray, average: bool) -> float:
    """Return the maximum sum, or average, of the selected people's numbers; the average of nobody is nan."""

    def gains(least: float) -> np.ndarray:
        over = numbers - least
        return np.select([picked.adds == FOR_CERTAIN, picked.adds == PERHAPS], [over, np.maximum(over, 0)], 0.0)

    if not average:
        return float(picked.best(gains(0.0)) @ gains(0.0)) if len(numbers) else 0.0
    possible = (picked.adds != NOTHING) & (picked.people > 0) & (picked.most[picked.group] > 0)
    if not possible.any():
        return float("nan")
    found = float(numbers[possible].min())
    while True:  # Dinkelbach's method: repeat while some selection has a larger average than the last one
        over = gains(found)
        taken = picked.best(over) * ((picked.adds == FOR_CERTAIN) | (over > 0))
        people = taken.sum()
        better = float(taken @ numbers / people) if people else found
        if not better > found + 1e-12 * abs(found):
            return found
        found = better
