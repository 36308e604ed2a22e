"""The values that a release shows for each of its records in one column: for miners and attacks, from inside.

Nothing here is exported, logged or stored: the order of the rows reveals each record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data import weights
from workbench.data.cells import locate
from workbench.data.column import Column
from workbench.queries.evaluator import Regions

if TYPE_CHECKING:
    from workbench.releases.base import Release
    from workbench.releases.foreign import Foreign
    from workbench.releases.partition import Partition


class Shown(NamedTuple):
    """One column of a release with a row per published record: a value, the index of a region, or a number.

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
        """The class of each record: its code, or the index of its region."""
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


# The records of a release by class and by columns that are published unchanged, from which queries are answered.


class ClassCounts(NamedTuple):
    """Combinations of a class and codes, with the number of records or of the people whom they represent."""

    group: np.ndarray
    codes: dict[str, np.ndarray]
    people: np.ndarray


def counts_from_histograms(release: Release, names: Sequence[str], original: bool = False) -> ClassCounts:
    """Count from the histograms of classes: by one sensitive column, or by none."""
    if original:
        raise Undefined("records of this release cannot be matched to original ones")
    if not names:
        people = release.people_of_classes()[:, 0]
        return ClassCounts(np.arange(len(people)), {}, people)
    if len(names) == 1 and names[0] not in release.table.sensitive:
        raise Undefined(f"this release has no records with values of {names[0]}; use other columns")
    if len(names) > 1:
        raise Undefined(
            f"this release does not show {', '.join(names)} jointly with the quasi-identifiers; use "
            "quasi-identifiers and one sensitive column at a time"
        )
    people = release.people_of_classes(names[0])
    group, value = np.nonzero(people)
    return ClassCounts(group, {names[0]: value}, people[group, value])


def counts_from_partition(release: Partition, names: Sequence[str], original: bool = False) -> ClassCounts:
    """Count the published records by class and some columns; with `original`, by values instead of published levels."""
    table = release.table
    if release.parts:
        return _by_record(release, names, original)
    levels = [name for name in names if original and table.levels.get(name, 0)]
    if not levels and set(names) <= {*table.quasi, *release.cells.others}:
        group, cell, people = release.weighted_entries
        axes = dict(zip(table.quasi, release.cells.quasi, strict=True)) | release.cells.others
        return ClassCounts(group, {name: axes[name][cell] for name in names}, people)
    cell, codes, people = table.remember(
        ("finer cells", release.others, tuple(names), original), lambda: _finer(release, names, original)
    )
    group = release.group_of_entry[cell]
    kept = group < len(release.classes)
    return ClassCounts(group[kept], {name: one[kept] for name, one in codes.items()}, people[kept])


def _finer(
    release: Partition, names: Sequence[str], original: bool
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return cells by more columns, each with the release's cell that contains it."""
    table, cells = release.table, release.cells
    known = [*table.quasi, *cells.others]
    every = [*dict.fromkeys([*known, *names, *([table.weight] if table.weight else [])])]
    found = table.engine.collapse(every, [])
    values = dict(zip(every, found.quasi, strict=True))
    seen = dict(values)
    for name, level in table.levels.items():
        if level and name in seen:
            seen[name] = table.columns[name].node(level - 1)[values[name]].astype(np.int32)
    cell = locate([*cells.quasi, *cells.others.values()], [seen[name] for name in known])
    people = found.weight * table.columns[table.weight].values[values[table.weight]] if table.weight else found.weight
    chosen = values if original else seen
    return cell, {name: chosen[name] for name in names}, people


def _by_record(release: Partition, names: Sequence[str], original: bool) -> ClassCounts:
    """Count record by record, for releases with split cells, whose records are in memory."""
    table = release.table
    codes = table.codes if original else table.model_view.codes
    kept = release.group_of_record < len(release.classes)
    people = weights.of_record(table) if table.weight else np.ones(table.records, np.int64)
    return ClassCounts(release.group_of_record[kept], {name: codes[name][kept] for name in names}, people[kept])
