"""Nearest neighbors by blocks of a matrix product, for neighbor and locally weighted miners."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCK = 8_000_000  # distances in memory at once


class Neighbours:
    """The training records, among which the nearest neighbors of other rows are found."""

    def __init__(self, neighbours: int) -> None:
        self.neighbours = neighbours

    def remember(self, rows: np.ndarray) -> None:
        """Use these rows as training records."""
        self.rows, self.squares = rows, (rows**2).sum(axis=1)
        self.count = min(self.neighbours, len(rows))

    def nearest(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield blocks of places of `rows`, with the nearest training records of each and their distances."""
        for some in np.array_split(np.arange(len(rows)), len(rows) * len(self.rows) // BLOCK + 1):
            squares = self.squares - 2 * (rows[some] @ self.rows.T)
            near = np.argpartition(squares, self.count - 1, axis=1)[:, : self.count]
            away = np.take_along_axis(squares, near, 1) + (rows[some] ** 2).sum(axis=1)[:, None]
            yield some, near, np.sqrt(np.maximum(away, 0))


class Voting(Neighbours):
    """The commonest value among the nearest neighbors; the smallest code if several are equally common."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Voting:
        self.remember(rows)
        self.classes_, self.place = np.unique(labels, return_inverse=True)
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the commonest value among the nearest neighbors."""
        found = np.empty(len(rows), self.classes_.dtype)
        for some, near, _ in self.nearest(rows):
            votes = np.zeros((len(some), len(self.classes_)), np.int32)
            np.add.at(votes, (np.arange(len(some))[:, None], self.place[near]), 1)
            found[some] = self.classes_[votes.argmax(axis=1)]
        return found


class Averaging(Neighbours):
    """The mean of the nearest neighbors' numbers."""

    def fit(self, rows: np.ndarray, numbers: np.ndarray) -> Averaging:
        self.remember(rows)
        self.numbers = numbers
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the mean of the nearest neighbors."""
        found = np.empty(len(rows))
        for some, near, _ in self.nearest(rows):
            found[some] = self.numbers[near].mean(axis=1)
        return found
