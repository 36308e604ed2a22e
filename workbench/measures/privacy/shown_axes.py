"""How far what a release shows of a column is from a value that an attacker knows of a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.data.column import Column
from workbench.releases.shown import Shown
from workbench.workloads.conditions import unpack

PARTS = 2**20  # that a distance is counted in, so that ties are ties


@dataclass(frozen=True, eq=False, repr=False)
class Axis:
    """The different things that a column shows: runs of codes, sets of codes, or numbers."""

    column: Column
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None = None  # things x codes
    numbers: np.ndarray | None = None  # nan is missing

    @classmethod
    def of(cls, shown: Shown) -> tuple[Axis, np.ndarray]:
        """The axis, and which of its things each published record shows."""
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

    def away(self, code: int) -> np.ndarray:
        """How far each thing is from a value, in parts: 0 where it holds it, else the gap as a share of the column's
        width; 1 for text, which has none."""
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

    def holding(self, thing: int) -> np.ndarray:
        """Which codes fit what is shown; of a number the value of the column that is nearest to it."""
        codes = np.arange(self.column.size)
        if self.numbers is not None:
            return codes == self.nearest[thing]
        return (self.low[thing] <= codes) & (codes <= self.high[thing]) if self.held is None else self.held[thing]

    @cached_property
    def nearest(self) -> np.ndarray:
        """The code of the value that is nearest to each number; beyond the last code where nothing is missing else."""
        assert self.numbers is not None
        values = self.column.values.astype(float)
        above = np.clip(np.searchsorted(values, self.numbers), 1, max(len(values) - 1, 1))
        below = np.abs(self.numbers - values[above - 1]) <= np.abs(
            values[np.minimum(above, len(values) - 1)] - self.numbers
        )
        return np.where(np.isnan(self.numbers), len(values), above - below)

    def with_codes(self) -> Axis:
        """The same, and behind it each code alone."""
        codes = np.arange(self.column.size)
        return Axis(self.column, np.append(self.low, codes), np.append(self.high, codes))


def _parts(gap: np.ndarray, width: float) -> np.ndarray:
    """Distances as whole parts of the column's width; nothing is farther than all of it."""
    return np.round(np.minimum(gap / width if width else np.sign(gap), 1.0) * PARTS).astype(np.int64)
