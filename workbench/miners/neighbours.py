"""The nearest records of others, found by blocks of a matrix product: what neighbours and local learners share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCK = 8_000_000  # distances that are held at once


class Neighbours:
    """The records that were learnt from; each row asked about has its nearest among them."""

    def __init__(self, neighbours: int) -> None:
        self.neighbours = neighbours

    def remember(self, rows: np.ndarray) -> None:
        """Learn of these rows."""
        self.rows, self.squares = rows, (rows**2).sum(axis=1)
        self.count = min(self.neighbours, len(rows))

    def nearest(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Some places of `rows` at a time, with the nearest records of each and their distances."""
        for some in np.array_split(np.arange(len(rows)), len(rows) * len(self.rows) // BLOCK + 1):
            squares = self.squares - 2 * (rows[some] @ self.rows.T)
            near = np.argpartition(squares, self.count - 1, axis=1)[:, : self.count]
            away = np.take_along_axis(squares, near, 1) + (rows[some] ** 2).sum(axis=1)[:, None]
            yield some, near, np.sqrt(np.maximum(away, 0))


class Voting(Neighbours):
    """The commonest value of the nearest; of several that are as common the least."""

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Voting:
        self.remember(rows)
        self.classes_, self.place = np.unique(labels, return_inverse=True)
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """The value that most of the nearest have."""
        found = np.empty(len(rows), self.classes_.dtype)
        for some, near, _ in self.nearest(rows):
            votes = np.zeros((len(some), len(self.classes_)), np.int32)
            np.add.at(votes, (np.arange(len(some))[:, None], self.place[near]), 1)
            found[some] = self.classes_[votes.argmax(axis=1)]
        return found


class Averaging(Neighbours):
    """The mean number of the nearest."""

    def fit(self, rows: np.ndarray, numbers: np.ndarray) -> Averaging:
        self.remember(rows)
        self.numbers = numbers
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """The mean of the nearest."""
        found = np.empty(len(rows))
        for some, near, _ in self.nearest(rows):
            found[some] = self.numbers[near].mean(axis=1)
        return found
