"""Regions of one column, and how many of their codes meet conditions on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base import query_kernels
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.queries.conditions import pack, unpack


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """Runs of codes from `low` to `high`; with `held`, the sets of codes whose bits are set in its rows."""

    column: Column
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None = None

    @classmethod
    def distinct(
        cls, column: Column, low: np.ndarray, high: np.ndarray, held: np.ndarray | None
    ) -> tuple[Regions, np.ndarray]:
        """Return the distinct regions of many classes, and the number of each class's region."""
        if held is None:
            runs = low.astype(np.int64) * column.size + high
            _, first, number = np.unique(runs, return_index=True, return_inverse=True)
        else:
            first, number = distinct_rows(np.packbits(held, axis=1))
        chosen = None if held is None else pack(held[first])
        return cls(column, low[first].astype(np.int32), high[first].astype(np.int32), chosen), number

    @classmethod
    def whole(cls, column: Column) -> Regions:
        """Return one region of all codes."""
        return cls(column, np.zeros(1, np.int32), np.full(1, column.size - 1, np.int32))

    @classmethod
    def nodes(cls, column: Column, level: int) -> Regions:
        """Return the region of each code at a level of the hierarchy (0: the codes themselves)."""
        node = column.released_at[level]
        low = np.flatnonzero(np.diff(node, prepend=-1))
        return cls(column, low.astype(np.int32), (np.append(low[1:], column.size) - 1).astype(np.int32))

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of codes in each region."""
        if self.held is None:
            return self.high - self.low + 1
        everything = pack(np.ones(self.column.size, bool))
        return query_kernels.in_sets(everything, np.zeros(1, np.int64), self.held)[:, 0]

    def met(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Count the codes of each region that meet each condition: regions x conditions."""
        if self.held is not None:
            return query_kernels.in_sets(bits, at, self.held)
        return query_kernels.in_runs(bits, at, self.column.size, self.low, self.high)

    def shares(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return the share of each region that meets each condition: of the codes of a set, of the width of a run."""
        met = self.met(bits, at)
        if self._plain:
            return met / self.sizes[:, None]
        part = self._amounts(bits, at, np.ones(self.column.size))
        return np.where(met == self.sizes[:, None], 1.0, np.where(met > 0, np.clip(part, 1e-300, 1.0), 0.0))

    def inside(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return 1 where all codes of a region meet a condition, else 0."""
        return (self.met(bits, at) == self.sizes[:, None]).astype(float)

    def meeting(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return 1 where any code of a region meets a condition, else 0."""
        return (self.met(bits, at) > 0).astype(float)

    def extremes(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest number that meets each condition in each region; infinite where none does."""
        if self.held is None:
            least, most = query_kernels.extremes(bits, at, self.low, self.high, numbers)
            return least.T, most.T
        met = self._rows(np.stack([bits[begin : begin + self.held.shape[1]] for begin in at]))
        both = self._rows(self.held)[:, None, :] & met[None]
        return np.where(both, numbers, np.inf).min(axis=2), np.where(both, numbers, -np.inf).max(axis=2)

    def values(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the shares times the mean number that meets the condition: the expected sum."""
        if self.held is None:
            return self._amounts(bits, at, numbers)
        met = self._rows(np.stack([bits[begin : begin + self.held.shape[1]] for begin in at]))
        return self._rows(self.held).astype(float) @ (met * numbers).T / self.sizes[:, None]

    def _rows(self, words: np.ndarray) -> np.ndarray:
        """Return rows of bits as boolean arrays over codes."""
        return unpack(words, self.column.size)

    @cached_property
    def _plain(self) -> bool:
        """True if widths equal numbers of codes."""
        left, right = self.column.edges
        return self.held is not None or bool(((right - left == 1).all()) and (left[1:] == right[:-1]).all())

    def _amounts(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the share of the width of each run that meets each condition, each code times its number.

        The gap between two neighbors that meet the condition is included.
        """
        left, right = self.column.edges
        width, between = right - left, np.append(0.0, left[1:] - right[:-1])
        middle = np.append(0.0, (numbers[1:] + numbers[:-1]) / 2)
        found = query_kernels.amounts(bits, at, self.low, self.high, width * numbers, between * middle)
        return (found / (right[self.high] - left[self.low])).T
