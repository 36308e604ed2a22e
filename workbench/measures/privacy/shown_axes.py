"""Distances between what a release shows of a column and a value that an attacker knows of a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.data.column import Column
from workbench.queries.conditions import unpack
from workbench.releases.shown import Shown

PARTS = 2**20  # unit of distances, which makes ties exact


@dataclass(frozen=True, eq=False, repr=False)
class Axis:
    """The different things that a column shows: runs of codes, sets of codes, or numbers."""

    column: Column
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None = None  # things x codes
    numbers: np.ndarray | None = None  # nan if missing

    @classmethod
    def from_shown(cls, shown: Shown) -> tuple[Axis, np.ndarray]:
        """Return the axis, and the number of the thing that each published record shows."""
        if shown.numbers is not None:
            numbers, number = np.unique(shown.numbers, return_inverse=True)
            none = np.zeros(len(numbers), np.int64)
            return cls(shown.column, none, none, numbers=numbers), number
        if shown.regions is None:
            codes, number = np.unique(shown.labels, return_inverse=True)
            return cls(shown.column, codes, codes), number
        held = None if shown.regions.held is None else unpack(shown.regions.held, shown.column.size)
        return cls(shown.column, shown.regions.low, shown.regions.high, held), shown.labels

    def __len__(self) -> int:
        return len(self.low)

    def distances_from(self, code: int) -> np.ndarray:
        """Return the distance of each thing from a value, in parts: 0 if it contains the value, else the gap as a share
        of the column's range; always 1 for text, which has no distances."""
        if self.numbers is not None:
            missing = code == len(self.column.values)
            gap = np.where(np.isnan(self.numbers) == missing, 0.0, np.inf)
            if not missing:
                gap = np.where(np.isnan(self.numbers), np.inf, np.abs(self.numbers - float(self.column.values[code])))
            return _parts(gap, float(self.column.values[-1]) - float(self.column.values[0]))
        if self.column.kind == "text":
            inside = (self.low <= code) & (code <= self.high) if self.held is None else self.held[:, code]
            return np.where(inside, 0, PARTS)
        at = self.column.positions
        if self.held is None:
            gap = np.maximum(np.maximum(at[self.low] - at[code], at[code] - at[self.high]), 0.0)
        else:
            gap = np.where(self.held, np.abs(at - at[code]), np.inf).min(axis=1)
        return _parts(gap, at[-1] - at[0])

    def matching_codes(self, thing: int) -> np.ndarray:
        """Return which codes fit what is shown; for a number, the nearest value of the column."""
        codes = np.arange(self.column.size)
        if self.numbers is not None:
            return codes == self.nearest[thing]
        return (self.low[thing] <= codes) & (codes <= self.high[thing]) if self.held is None else self.held[thing]

    @cached_property
    def nearest(self) -> np.ndarray:
        """The code of the value nearest to each number; one beyond the last code if missing."""
        assert self.numbers is not None
        values = self.column.values.astype(float)
        above = np.clip(np.searchsorted(values, self.numbers), 1, max(len(values) - 1, 1))
        below = np.abs(self.numbers - values[above - 1]) <= np.abs(
            values[np.minimum(above, len(values) - 1)] - self.numbers
        )
        return np.where(np.isnan(self.numbers), len(values), above - below)

    def with_codes(self) -> Axis:
        """Return the axis extended by each single code."""
        codes = np.arange(self.column.size)
        held = None if self.held is None else np.concatenate([self.held, np.eye(self.column.size, dtype=bool)])
        return Axis(self.column, np.append(self.low, codes), np.append(self.high, codes), held)


def _parts(gap: np.ndarray, width: float) -> np.ndarray:
    """Return distances in units of 1/PARTS of the column's range, at most all of it."""
    return np.round(np.minimum(gap / width if width else np.sign(gap), 1.0) * PARTS).astype(np.int64)
