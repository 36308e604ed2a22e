"""Several releases of one table together: of how many people the sensitive value follows when all that is shown of them
is crossed: their files, and the tables of their classes.

Intersections of releases: Ganta, Kasiviswanathan & Smith, Composition Attacks and Auxiliary Information (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.disclosure.subtraction import Sums, bounds
from workbench.releases.base import Release
from workbench.releases.giveaways import known_by

BLOCK = 10_000_000  # groups x values looked at together
MOST = 20_000_000  # groups and values that are possible there: of more nothing is subtracted


class Certain(NamedTuple):
    """Of how many people a sensitive value is certain: for who has all that is shown, and who has the worst release."""

    together: int
    alone: int
    joined: bool  # records were taken to be found again by the columns that are published unchanged


class _Units(NamedTuple):
    """What every release treats alike: the table's cells, or single records where a release cuts through cells."""

    weight: np.ndarray  # records of each
    sensitive: dict[str, np.ndarray]
    cells: bool

    @classmethod
    def of(cls, table: Table, releases: Sequence[Release]) -> _Units:
        if any(release.group_of_cell is None for release in releases):
            codes = {name: table.sensitive_codes(name) for name in table.sensitive}
            return cls(np.ones(table.records, np.int64), codes, False)
        cells = table.cells()
        return cls(cells.weight, cells.others, True)

    def alike(self, table: Table) -> np.ndarray:
        """Who shares all quasi-identifiers."""
        return distinct_rows(table.cells().quasi.T)[1] if self.cells else known_by(table, table.quasi)

    def group_in(self, release: Release) -> np.ndarray:
        found = release.group_of_cell if self.cells else None
        return release.group_of_record if found is None else found


def certain(table: Table, releases: Sequence[Release], shown: Sequence[Release] = ()) -> Certain:
    """Who knows a person's quasi-identifiers finds the person's class in every file; the value is in all of them. Who
    knows everybody's subtracts what the classes of one file have from those of another.

    Values that were exchanged between people rule nothing out beside another file. Neutral columns may join the files
    record by record: then what remains are the records alike in every class, and in all quasi-identifiers where one
    file has these unchanged and another the values. Of the releases `shown` there is a table of classes, which tells
    what all of a class have. Where files leave out different records, what one has more than another is known, too.
    """
    units = _Units.of(table, [*releases, *shown])
    found = np.zeros(len(units.weight), bool)
    joined = bool(table.neutral) and len(releases) > 1
    crossing = releases if joined else [release for release in releases if release.truthful]
    if crossing:
        groups = np.stack([units.group_in(release) for release in crossing], axis=1)
        apart = groups
        if joined and len({bool(release.untouched(table.sensitive)) for release in crossing}) == 2:
            apart = np.column_stack([groups, units.alike(table)])
        first, crossed = distinct_rows(apart)
        people = np.bincount(crossed, units.weight)
        rows = _joined(units, crossed) if joined else _certain(crossing, groups[first], people)
        rows |= _left_over(units, crossing, groups[first], crossed)
        found = rows[crossed]
    alone = 0
    for release in dict.fromkeys([*releases, *shown]):
        group = units.group_in(release)
        own = _certain([release], np.arange(int(group.max()) + 1)[:, None], np.bincount(group, units.weight))[group]
        alone = max(alone, int(units.weight[own].sum()))
        found = found | own
    return Certain(int(units.weight[found].sum()), alone, joined)


def certain_beside(table: Table, release: Release) -> int:
    """Of how many people a value is certain for who has one file and knows the neutral columns of everybody, too."""
    return release.beside.certain


def _certain(releases: Sequence[Release], groups: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Which rows of groups, one a release, have a single value that all believe possible, of any sensitive column; also
    where that follows when what classes have is subtracted from what others have."""
    found = np.zeros(len(groups), bool)
    for name, seen in releases[0].table.sensitive.items():
        there = [(r, groups[:, i]) for i, r in enumerate(releases) if name not in r.removed]
        if not there:
            continue
        row, value = _possible([(r.posterior(name).beliefs > 0, of) for r, of in there], len(seen))
        if len(there) > 1 and len(row) <= MOST:
            sums = [Sums.told(np.arange(len(row)), row, people)]
            sums += [_told(counts, of[row], value) for r, of in there if (counts := _counts(r, name)) is not None]
            row = row[bounds(len(row), sums)[1] > 0]
        found |= np.bincount(row, minlength=len(groups)) == 1
    return found


def _possible(there: Sequence[tuple[np.ndarray, np.ndarray]], values: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows, and the values that each may have by all releases: by what is believed possible in which group."""
    rows, step, found = len(there[0][1]), max(1, BLOCK // values), list[np.ndarray]()
    for start in range(0, rows, step):
        common = np.logical_and.reduce([has[of[start : start + step]] for has, of in there])
        found.append(np.argwhere(common) + np.array([start, 0]))
    row, value = np.concatenate(found).T
    return row, value


def _counts(release: Release, name: str) -> np.ndarray | None:
    """How often each class has each value, if there are classes."""
    try:
        return release.classes.histograms[name]
    except Undefined:
        return None


def _told(counts: np.ndarray, group: np.ndarray, value: np.ndarray) -> Sums:
    """What the classes of a file have, of those who are in one."""
    parts = np.flatnonzero(group < len(counts))
    return Sums.told(parts, group[parts].astype(np.int64) * counts.shape[1] + value[parts], counts.ravel())


def _left_over(units: _Units, releases: Sequence[Release], groups: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Which rows of groups have a single value of those that one file publishes and another leaves out: they may be
    what is left when one file is subtracted from the other."""
    outside = [len(release.classes) if release.left_out else -1 for release in releases]
    out = groups == outside
    mixed = out.any(axis=1) & ~out.all(axis=1)
    return mixed & _joined(units, crossed) if mixed.any() else mixed


def _joined(units: _Units, crossed: np.ndarray) -> np.ndarray:
    """Which groups of records that no file tells apart have a single value of any sensitive column."""
    found = np.zeros(int(crossed.max()) + 1, bool)
    for codes in units.sensitive.values():
        first, _ = distinct_rows(np.stack([crossed, codes], axis=1))
        found |= np.bincount(crossed[first]) == 1
    return found
