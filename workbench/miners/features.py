"""What a release shows of a column, as plain arrays without the table, to send to a worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:  # a worker starts without the engine
    from workbench.releases.base import Release
    from workbench.releases.shown import Shown


class Feature(NamedTuple):
    """One column: each record shows thing number `at`, which contains the codes from `low` to `high`, or the codes with
    a set bit in `held`."""

    at: np.ndarray
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None
    places: np.ndarray | None  # numeric position of each code; nan if missing; None for text
    size: int
    levels: tuple[np.ndarray, ...]  # for text, the node of each code on each level of the hierarchy

    @classmethod
    def from_shown(cls, shown: Shown) -> Feature:
        """Return the feature for what a release shows of a column."""
        column = shown.column
        if shown.numbers is not None:  # every number becomes a code
            found, at = np.unique(shown.numbers, return_inverse=True, equal_nan=True)
            codes = np.arange(len(found), dtype=np.int32)
            return cls(at.astype(np.int32), codes, codes, None, found, len(found), ())
        places: np.ndarray | None = None
        levels: tuple[np.ndarray, ...] = ()
        if column.kind == "text":
            above = column.hierarchy.levels if column.hierarchy else ()
            levels = tuple(column.node(level).astype(np.int32) for level in range(len(above)))
        else:
            places = column.positions.copy()
            places[len(column.values) :] = np.nan
        if shown.codes is not None:
            codes = np.arange(column.size, dtype=np.int32)
            return cls(shown.codes.astype(np.int32), codes, codes, None, places, column.size, levels)
        assert shown.group is not None and shown.regions is not None
        regions = shown.regions
        return cls(shown.group.astype(np.int32), regions.low, regions.high, regions.held, places, column.size, levels)

    @property
    def exact(self) -> bool:
        """Whether each record shows one value."""
        return self.held is None and bool((self.low == self.high).all())

    def nodes(self, level: int) -> np.ndarray:
        """Return the node of each thing on a level, or -1 if the thing spans several nodes."""
        node = self.levels[level]
        return np.where(node[self.low] == node[self.high], node[self.low], -1)

    def has(self, codes: np.ndarray) -> np.ndarray:
        """Return whether each thing contains each of some codes: things x codes."""
        if self.held is not None:
            words = self.held[:, codes >> 6]
            return (words >> (codes & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
        return (self.low[:, None] <= codes) & (codes <= self.high[:, None])

    def weight_of_codes(self, counts: np.ndarray) -> np.ndarray:
        """Return how many records contain each code, given the number of records per thing."""
        if self.held is None:
            found = np.zeros(self.size + 1)
            np.add.at(found, self.low, counts)
            np.subtract.at(found, self.high + 1, counts)
            return np.cumsum(found[:-1])
        codes = np.arange(self.size)
        return np.concatenate([counts @ self.has(part) for part in np.array_split(codes, self.size // 256 + 1)])

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest number of each thing; nan if all of it is missing."""
        assert self.places is not None
        last = self.size - 1 - bool(len(self.places) and np.isnan(self.places[-1]))
        low, high = self.places[self.low], self.places[np.minimum(self.high, max(last, 0))]
        return low, np.where(np.isnan(low), np.nan, high)

    def middles(self) -> np.ndarray:
        """Return the middle of each thing, as a number."""
        return np.mean(self.ends(), axis=0)


def features(release: Release, names: tuple[str, ...], seed: int) -> list[Feature]:
    """Return the features of some columns of a release."""
    return [Feature.from_shown(release.shown(name, seed)) for name in names]
