"""The values that a release shows for each of its records in one column: for miners and attacks, from inside.

Nothing here is exported, logged or stored: the order of the rows reveals each record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.column import Column
from workbench.queries.regions import Regions

if TYPE_CHECKING:
    from workbench.releases.foreign import Foreign
    from workbench.releases.partition import Partition


class Shown(NamedTuple):
    """One column of a release with a row per published record: a value, the number of a region, or a number.

    `codes` are values of the column. `group` is the region of each record among `regions`. `numbers` are values that
    need not occur in the column, such as noisy ones; nan is missing.
    """

    column: Column
    codes: np.ndarray | None = None
    group: np.ndarray | None = None
    regions: Regions | None = None
    numbers: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<Shown {self.column.name!r} of {self.records:,} records>"

    @property
    def records(self) -> int:
        """The number of published records."""
        return len(next(rows for rows in (self.codes, self.group, self.numbers) if rows is not None))

    @property
    def labels(self) -> np.ndarray:
        """The class of each record: its code, or the number of its region."""
        found = self.group if self.codes is None else self.codes
        if found is None:
            raise Undefined(f"{self.column.name!r} shows numbers, which are not classes")
        return found

    def held(self, codes: np.ndarray) -> np.ndarray:
        """Return whether each record shows the corresponding code, alone or in its region."""
        if self.codes is not None:
            return self.codes == codes
        if self.group is None or self.regions is None:
            raise Undefined(f"{self.column.name!r} shows numbers, which contain no values")
        if self.regions.held is not None:
            words = self.regions.held[self.group, codes >> 6]
            return (words >> (codes & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
        return (self.regions.low[self.group] <= codes) & (codes <= self.regions.high[self.group])


def in_regions(column: Column, low: np.ndarray, high: np.ndarray, held: np.ndarray | None, region: np.ndarray) -> Shown:
    """Return a column in which record i shows the region of class of[i]; as codes if every region is a single one."""
    spread = held.sum(axis=1) > 1 if held is not None else low < high
    if not spread.any():
        return Shown(column, low[region])
    regions, number = Regions.distinct(column, low, high, held)
    return Shown(column, group=number[region], regions=regions)


def at_level(column: Column, level: int, values: np.ndarray) -> Shown:
    """Return a column that is published at a level of its hierarchy (0: unchanged)."""
    return Shown(column, group=values, regions=Regions.nodes(column, level)) if level else Shown(column, values)


def of_partition(release: Partition, name: str, seed: int) -> Shown:
    """Return quasi-identifiers by class, sensitive values of buckets assigned by the seed, and other columns
    unchanged."""
    table, column, records = release.table, release.table.columns[name], release.published_records
    if name in table.quasi and not release.exact:
        return _of_classes(release, name, release.group_of_record[records])
    values = table.model_view.codes[name][records]
    if name in table.sensitive and release.exact:
        values = _assign_values(
            release.classes.histograms[name], release.group_of_record[records], [seed, table.names.index(name)]
        )
    return at_level(column, table.levels.get(name, 0), values)


def of_foreign(release: Foreign, name: str) -> Shown:
    """Return the values in the file, in its order."""
    table = release.table
    if name in table.quasi:
        return _of_classes(release, name, release.of_record)
    if name not in release.values:
        raise Undefined(f"{name!r} is neither a quasi-identifier nor sensitive, and was not read record by record")
    return at_level(table.columns[name], table.levels.get(name, 0), release.values[name])


def _of_classes(release: Partition | Foreign, name: str, group: np.ndarray) -> Shown:
    classes, a = release.own_classes, release.table.quasi.index(name)
    assert classes.low is not None and classes.high is not None
    return in_regions(release.table.columns[name], classes.low[:, a], classes.high[:, a], classes.sets.get(a), group)


def _assign_values(histogram: np.ndarray, group: np.ndarray, seed: list[int]) -> np.ndarray:
    """Assign the values of each class to its records at random; uses only what the classes publish."""
    of_class, value = np.nonzero(histogram)
    count = histogram[of_class, value]
    of_class, value = np.repeat(of_class, count), np.repeat(value, count)
    shuffled = np.lexsort([np.random.default_rng(seed).random(len(value)), of_class])
    assigned = np.empty(len(group), value.dtype)
    assigned[np.argsort(group, kind="stable")] = value[shuffled]
    return assigned
