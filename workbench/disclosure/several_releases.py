"""Several releases of one table: the number of people whose sensitive value follows from intersecting the files and the
tables of their classes.

Intersections of releases: Ganta, Kasiviswanathan & Smith, Composition Attacks and Auxiliary Information (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.disclosure.subtraction import Sums, propagate_bounds
from workbench.releases.base import Release
from workbench.releases.side_information import number_combinations, unchanged_columns

BLOCK = 10_000_000  # groups x values processed at once
MOST = 20_000_000  # maximum number of possible pairs of group and value for subtraction


class CertainPeople(NamedTuple):
    """The number of people for whom a sensitive value is certain: from all releases jointly, and from the worst one
    alone.
    """

    together: int
    alone: int
    joined: bool  # records are assumed to be linked across files by the columns that are published unchanged


class Units(NamedTuple):
    """The units that no release distinguishes: the table's cells, or single records if a release splits cells."""

    weight: np.ndarray  # number of records of each
    sensitive: dict[str, np.ndarray]
    cells: bool

    @classmethod
    def from_releases(cls, table: Table, releases: Sequence[Release]) -> Units:
        if any(release.group_of_cell is None for release in releases):
            codes = {name: table.sensitive_codes(name) for name in table.sensitive}
            return cls(np.ones(table.records, np.int64), codes, False)
        cells = table.cells()
        return cls(cells.weight, cells.others, True)

    def cell_numbers(self, table: Table) -> np.ndarray:
        """Return a number per unit that is equal for identical quasi-identifiers."""
        return distinct_rows(table.cells().quasi.T)[1] if self.cells else number_combinations(table, table.quasi)

    def group_in(self, release: Release) -> np.ndarray:
        found = release.group_of_cell if self.cells else None
        return release.group_of_record if found is None else found


def count_certain(table: Table, releases: Sequence[Release], shown: Sequence[Release] = ()) -> CertainPeople:
    """Count the people whose sensitive value becomes certain to an attacker with all files.

    An attacker who knows a person's quasi-identifiers finds the person's class in every file; the value is in all of
    them. An attacker who knows everybody's quasi-identifiers can also subtract the classes of one file from those of
    another.

    Swapped values do not exclude any value in combination with another file. Neutral columns may join
    the files record by record: then records that are still indistinguishable share every class, and all
    quasi-identifiers if one file has these unchanged and another has the values. The releases in `shown` have a table
    of classes, which discloses the values that all people of a class share. If files suppress different records, the
    difference between two files is known, too.
    """
    units = Units.from_releases(table, [*releases, *shown])
    found = np.zeros(len(units.weight), bool)
    joined = bool(table.neutral) and len(releases) > 1
    crossing = releases if joined else [release for release in releases if release.is_truthful]
    if crossing:
        groups = np.stack([units.group_in(release) for release in crossing], axis=1)
        apart = groups
        if joined and len({bool(unchanged_columns(release, table.sensitive)) for release in crossing}) == 2:
            apart = np.column_stack([groups, units.cell_numbers(table)])
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
    return CertainPeople(int(units.weight[found].sum()), alone, joined)


def count_certain_alone(release: Release) -> int:
    """Return the number of people for whom one release makes a sensitive value certain."""
    table = release.table
    if release.group_of_cell is not None or table.engine.in_memory:
        return count_certain(table, [release]).alone
    sizes = release.classes.sizes  # with an external engine, only the counts of groups are in memory
    return int(sizes[_certain([release], np.arange(len(sizes))[:, None], sizes)].sum())


def count_certain_with_neutral(table: Table, release: Release) -> int:
    """Return the number of people for whom a value is certain to an attacker with one file who also knows all neutral
    columns.
    """
    return release.side_information_risk.certain


def _certain(releases: Sequence[Release], groups: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return which rows of groups (one column per release) have a single value of some sensitive column that is
    possible in all releases, also after subtracting counts of classes.
    """
    found = np.zeros(len(groups), bool)
    for name, seen in releases[0].table.sensitive.items():
        publishing = [(r, groups[:, i]) for i, r in enumerate(releases) if name not in r.unpublished_columns]
        if not publishing:
            continue
        row, value = _possible([(r.posterior(name).beliefs > 0, groups_of) for r, groups_of in publishing], len(seen))
        if len(publishing) > 1 and len(row) <= MOST:
            sums = [Sums.from_keys(np.arange(len(row)), row, people)]
            sums += [
                _published_sums(counts, groups_of[row], value)
                for r, groups_of in publishing
                if (counts := _counts(r, name)) is not None
            ]
            row = row[propagate_bounds(len(row), sums)[1] > 0]
        found |= np.bincount(row, minlength=len(groups)) == 1
    return found


def _possible(publishing: Sequence[tuple[np.ndarray, np.ndarray]], values: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the values that are possible in all releases for each row."""
    rows, step, found = len(publishing[0][1]), max(1, BLOCK // values), list[np.ndarray]()
    for start in range(0, rows, step):
        common = np.logical_and.reduce([has[group[start : start + step]] for has, group in publishing])
        found.append(np.argwhere(common) + np.array([start, 0]))
    row, value = np.concatenate(found).T
    return row, value


def _counts(release: Release, name: str) -> np.ndarray | None:
    """Return the count of each value in each class, if there are classes."""
    try:
        return release.classes.histograms[name]
    except Undefined:
        return None


def _published_sums(counts: np.ndarray, group: np.ndarray, value: np.ndarray) -> Sums:
    """Return the sums that the classes of a file publish, for the records in classes."""
    parts = np.flatnonzero(group < len(counts))
    return Sums.from_keys(parts, group[parts].astype(np.int64) * counts.shape[1] + value[parts], counts.ravel())


def _left_over(units: Units, releases: Sequence[Release], groups: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Return which rows of groups are published by one file and suppressed by another, and have a single value: they
    may be the difference between the two files.
    """
    outside = [len(release.classes) if release.suppressed else -1 for release in releases]
    out = groups == outside
    mixed = out.any(axis=1) & ~out.all(axis=1)
    return mixed & _joined(units, crossed) if mixed.any() else mixed


def _joined(units: Units, crossed: np.ndarray) -> np.ndarray:
    """Return which groups of records that no file distinguishes have a single value of any sensitive column."""
    found = np.zeros(int(crossed.max()) + 1, bool)
    for codes in units.sensitive.values():
        first, _ = distinct_rows(np.stack([crossed, codes], axis=1))
        found |= np.bincount(crossed[first]) == 1
    return found
