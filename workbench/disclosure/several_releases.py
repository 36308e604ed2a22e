"""Several releases of one table: the number of people whose sensitive value follows from intersecting the files and the
tables of their classes, and the joint privacy budget of releases with noise.

Intersections of releases: Ganta, Kasiviswanathan & Smith, Composition Attacks and Auxiliary Information (2008).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.errors import Undefined
from workbench.base.figures import format_guarantee, format_number, join_names
from workbench.base.progress import checkpoint
from workbench.data.cells import distinct_rows
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.methods import Method, Spent
from workbench.releases.base import Release
from workbench.releases.partition import group_of_cell
from workbench.releases.side_information import number_combinations, unchanged_columns

BLOCK = 10_000_000  # groups x values processed at once
MOST = 20_000_000  # maximum number of possible pairs of group and value for subtraction
ROUNDS = 200  # of subtraction
LISTED = 4  # maximum number of listed budgets of a sum


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
        if any(group_of_cell(release) is None for release in releases):
            codes = {name: table.model_view.codes[name] for name in table.sensitive}
            return cls(np.ones(table.records, np.int64), codes, False)
        cells = table.cells()
        return cls(cells.weight, cells.others, True)

    def cell_numbers(self, table: Table) -> np.ndarray:
        """Return an ID per unit that is equal for identical quasi-identifiers."""
        return distinct_rows(table.cells().quasi.T)[1] if self.cells else number_combinations(table, table.quasi)

    def group_in(self, release: Release) -> np.ndarray:
        found = group_of_cell(release) if self.cells else None
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
    crossing = releases if joined else [release for release in releases if release.about.is_truthful]
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
    if group_of_cell(release) is not None or table.engine.in_memory:
        return count_certain(table, [release]).alone
    sizes = release.classes.sizes  # with an external engine, only the counts of groups are in memory
    return int(sizes[_certain([release], np.arange(len(sizes))[:, None], sizes)].sum())


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


# Subtraction: a number of people is part of several sums: of the groups and values that a class of a file contains, and
# of the values of a group. A sum minus the upper bounds of its other parts is a lower bound of this part, and minus
# their lower bounds an upper bound. Bounds are tightened until they are stable (interval propagation). The results are
# certain but not complete, and less complete if the bounds still change in the last round, which the fit reports.


class Sums(NamedTuple):
    """Sums of numbers of people: their parts, the sum that each part belongs to, and the totals."""

    parts: np.ndarray
    of: np.ndarray
    total: np.ndarray

    @classmethod
    def from_keys(cls, parts: np.ndarray, key: np.ndarray, total: np.ndarray) -> Sums:
        """Create sums from a key per part, which is an index of `total`."""
        used, sum_of_part = np.unique(key, return_inverse=True)
        return cls(parts, sum_of_part.ravel(), total[used].astype(np.int64))

    def draw_in(self, least: np.ndarray, most: np.ndarray) -> None:
        """Tighten the bounds of the parts by the bounds of the others in their sums."""
        low, high = least[self.parts], most[self.parts]
        room, need = (self.total - np.bincount(self.of, ends, len(self.total)).astype(np.int64) for ends in (low, high))
        most[self.parts] = np.minimum(high, room[self.of] + low)
        least[self.parts] = np.maximum(low, need[self.of] + high)


def propagate_bounds(parts: int, sums: Sequence[Sums]) -> tuple[np.ndarray, np.ndarray]:
    """Propagate interval bounds on unknown counts through known sums; each part is in some sum."""
    least, most = np.zeros(parts, np.int64), np.full(parts, np.iinfo(np.int32).max, np.int64)
    for one in sums:
        most[one.parts] = np.minimum(most[one.parts], one.total[one.of])
    moved, rounds = 1, 0
    while moved and rounds < ROUNDS:
        checkpoint()
        rounds += 1
        before = int((most - least).sum())
        for one in sums:
            one.draw_in(least, most)
        moved = before - int((most - least).sum())
    report_fit(Fit("subtraction of the files", rounds, float(moved), not moved))
    return least, most


def describe_joint_budget(table: Table, methods: Sequence[Method], what: str, published: bool = False) -> str:
    """Return the joint budget of releases by these methods (one each), which are called `what`, as a sentence; empty if
    no budgets add up. The published form omits budgets that depend on few people.

    Epsilon or rho add up, column by column. The same settings applied to the same values are one draw, which counts
    once. A column that some of the releases publish without noise has no joint budget.
    """
    spent = [method.spent_budgets(table) for method in methods if not method.baseline]
    draws = {name: _draws(spent, name) for name in released_columns(table) if any(name in one for one in spent)}
    bare = [name for name in draws if not all(name in one for one in spent)]
    if not bare and all(len(one) < 2 for one in draws.values()):
        return ""
    hidden = [name for name in draws if published and not all(one.is_public for one in draws[name])]
    shown = [name for name in draws if name not in (*bare, *hidden)]
    parts = [_sum(name, draws[name]) for name in shown]
    if bare:
        units = " or ".join(sorted({one.unit for name in bare for one in draws[name]}))
        parts.append(f"no {units} for {join_names(bare)}, which some of them publish without noise")
    if more := [name for name in hidden if name not in bare]:
        parts.append(f"for {join_names(more)} the sum of several, which are not published")
    every = f"both {what}" if len(spent) == 2 else f"all {len(spent):,} {what}"
    return f"Several releases add up: {every} together have {'; '.join(parts)}."


def _draws(spent: Sequence[Mapping[str, Spent]], name: str) -> list[Spent]:
    """Return the distinct draws of a column."""
    return list({one[name].draw: one[name] for one in spent if name in one}.values())


def _sum(name: str, draws: Sequence[Spent]) -> str:
    """Describe the sum of a column's budgets, never rounded down, with its terms if they are few."""
    units, amounts = sorted({one.unit for one in draws}), [one.amount() for one in draws]
    if len(units) > 1:
        return f"no sum for {name}, since its noise is of two kinds ({' and '.join(units)})"
    total = math.fsum(amounts)
    if math.isinf(total):
        return f"no {units[0]} for {name}"
    short = (
        " + ".join(format_number(one, "lower") for one in amounts) if len(draws) <= LISTED else f"{len(draws)} draws"
    )
    return f"{units[0]} {format_guarantee(total)} for {name}{f' ({short})' if len(draws) > 1 else ''}"
