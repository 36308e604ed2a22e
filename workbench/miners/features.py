"""What a release shows of a column, as plain arrays without the table, to send to a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from workbench.releases.base import Release
    from workbench.releases.shown import Shown


class Feature(NamedTuple):
    """One column: each record shows the item with index `at`, which contains the codes from `low` to `high`, or the
    codes with a set bit in `held`."""

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
        """True if each record shows a single value."""
        return self.held is None and bool((self.low == self.high).all())

    def nodes(self, level: int) -> np.ndarray:
        """Return the node of each item on a level, or -1 if the item spans several nodes."""
        node = self.levels[level]
        return np.where(node[self.low] == node[self.high], node[self.low], -1)

    def has(self, codes: np.ndarray) -> np.ndarray:
        """Return whether each item contains each of some codes: items x codes."""
        if self.held is not None:
            words = self.held[:, codes >> 6]
            return (words >> (codes & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
        return (self.low[:, None] <= codes) & (codes <= self.high[:, None])

    def weight_of_codes(self, counts: np.ndarray) -> np.ndarray:
        """Return the number of records that contain each code, given the number of records per item."""
        if self.held is None:
            found = np.zeros(self.size + 1)
            np.add.at(found, self.low, counts)
            np.subtract.at(found, self.high + 1, counts)
            return np.cumsum(found[:-1])
        codes = np.arange(self.size)
        return np.concatenate([counts @ self.has(part) for part in np.array_split(codes, self.size // 256 + 1)])

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest number of each item; nan if all of it is missing."""
        assert self.places is not None
        last = self.size - 1 - bool(len(self.places) and np.isnan(self.places[-1]))
        low, high = self.places[self.low], self.places[np.minimum(self.high, max(last, 0))]
        return low, np.where(np.isnan(low), np.nan, high)

    def middles(self) -> np.ndarray:
        """Return the midpoint of each item, as a number."""
        return np.mean(self.ends(), axis=0)


def features(release: Release, names: tuple[str, ...], seed: int) -> list[Feature]:
    """Return the features of some columns of a release."""
    return [Feature.from_shown(release.shown(name, seed)) for name in names]


# Encoding of published columns as a matrix of numbers, in the form that a learner needs.
#
# Statistics of the encoding, such as means and common values, come from the training records only.

Form = Literal["ends", "indicators", "values"]
MOST = 48  # values or nodes of a column with their own indicator: the commonest
NUMBERS = 25_000_000  # size of the training matrix; with very many records there are fewer indicators
LACKING = -1.0  # code of a missing number; the others are at least 0


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features as columns, each with a table that has one row per item that a record may show.

    - ends: an interval as its two ends, text as its code with its path in the hierarchy, a set as the codes in it. For
      trees, which split numbers.
    - indicators: numbers are scaled, values and nodes are 0 or 1. For distances and weights.
    - values: one column each; numbers are interval middles (nan if missing), text is the number of the thing shown.
    """

    tables: list[np.ndarray]
    places: list[np.ndarray]
    nominal: list[int]  # for each column of form "values" the number of possible things; 0 for numbers

    @classmethod
    def from_features(cls, features: Sequence[Feature], form: Form, train: np.ndarray) -> Encoded:
        """Encode features with statistics of the records `train`."""
        make = {"ends": _ends, "indicators": _indicators, "values": _values}[form]
        counts = [np.bincount(one.at[train], minlength=len(one.low)).astype(float) for one in features]
        most = max(min(MOST, NUMBERS // (len(train) * 2 * len(features))), 2)
        tables = [make(one, count, most).astype(np.float32) for one, count in zip(features, counts, strict=True)]
        kinds = [0 if one.places is not None else len(one.low) for one in features]
        return cls(tables, [one.at for one in features], kinds)

    def rows(self, records: np.ndarray) -> np.ndarray:
        """Return the matrix of the given records."""
        width = sum(table.shape[1] for table in self.tables)
        found, begin = np.empty((len(records), width), np.float32), 0
        for table, at in zip(self.tables, self.places, strict=True):
            found[:, begin : begin + table.shape[1]] = table[at[records]]
            begin += table.shape[1]
        return found

    def exchanged(self, columns: Sequence[int], records: np.ndarray, seed: int) -> Encoded:
        """Return the encoding with the entries of some columns shuffled among the given records."""
        places = [*self.places]
        for column in columns:
            by_chance = np.random.default_rng([seed, column]).permutation(records)
            places[column] = places[column].copy()
            places[column][records] = self.places[column][by_chance]
        return replace(self, places=places)


def _ends(one: Feature, counts: np.ndarray, most: int) -> np.ndarray:
    if one.places is not None:
        low, high = np.nan_to_num(one.ends(), nan=LACKING)
        return _columns([low] if (low == high).all() else [low, high])
    paths = [one.nodes(level) for level in range(len(one.levels))]
    if one.held is None:
        return _columns([one.low, *([] if one.exact else [one.high]), *paths])
    return np.hstack([_columns([one.low, one.high, *paths]), _held(one, counts, most)])


def _indicators(one: Feature, counts: np.ndarray, most: int) -> np.ndarray:
    if one.places is not None:
        low, high = one.ends()
        missing = np.isnan(low)
        sides = [_scaled(side, counts) for side in ([low] if (low == high)[~missing].all() else [low, high])]
        return _columns([*sides, *([missing] if missing.any() else [])])
    paths = [_common(one.nodes(level), counts, most) for level in range(len(one.levels))]
    return np.hstack([_held(one, counts, most), *paths])


def _values(one: Feature, counts: np.ndarray, most: int) -> np.ndarray:
    return _columns([np.arange(len(one.low)) if one.places is None else one.middles()])


def _columns(found: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack([column.astype(np.float64) for column in found], axis=1)


def _scaled(numbers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Scale to mean 0 and deviation 1 over the training records; missing becomes 0."""
    known = ~np.isnan(numbers)
    weight, values = counts[known], numbers[known]
    total = max(weight.sum(), 1.0)
    mean = weight @ values / total
    deviation = np.sqrt(weight @ (values - mean) ** 2 / total)
    return np.where(known, (np.nan_to_num(numbers) - mean) / (deviation or 1.0), 0.0)


def _held(one: Feature, counts: np.ndarray, most: int) -> np.ndarray:
    """Return which of the commonest codes of the training records each item contains."""
    weight = one.weight_of_codes(counts)
    return one.has(np.sort(np.argsort(-weight, kind="stable")[:most]))


def _common(nodes: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Return, for each item, which of the most common nodes in the training records contain it."""
    inside = nodes >= 0
    weight = np.bincount(nodes[inside], counts[inside], minlength=1)
    return nodes[:, None] == np.sort(np.argsort(-weight, kind="stable")[:most])
