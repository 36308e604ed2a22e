"""What a release answers to queries: counts, sums and averages, expected where any value in a region is as likely.

A release tells of each record a region of every quasi-identifier, and other columns unchanged; or quasi-identifiers
unchanged, and which sensitive values its bucket has. An answer is the sum over the records of a factor for each column
with a condition: the share of what is told of the record that meets it. Where a column is summed, its factor is that
share times the mean number in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base import query_kernels
from workbench.data import weights
from workbench.releases.regions import Regions
from workbench.workloads.exact import numbers, numbers_of, put_together
from workbench.workloads.tree import Tree
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release

ROOM = 2_000_000  # factors that a table has at most


def expected(release: Release, workload: Workload) -> np.ndarray:
    """The expected answers; of an average the expected sum over the expected count, nan where nobody is expected."""
    told = Told(release, workload.with_table(release.table))

    def sums(which: np.ndarray, of: np.ndarray) -> np.ndarray:
        found = np.zeros(len(which))
        for unchanged, rows in told.alike(which):
            found[rows] = told.sums(unchanged, which[rows], of[rows])
        return found

    return put_together(told.workload, sums)


class Level(NamedTuple):
    """Records told apart by a column's codes, by the regions of a column, or by their buckets (no column)."""

    name: str
    codes: np.ndarray
    regions: Regions | None = None

    @property
    def tabled(self) -> bool:
        """Whether its factors are shares, and not only whether a code meets a condition."""
        return self.regions is not None or not self.name


class Told:
    """What a release tells of the columns that a workload asks about."""

    def __init__(self, release: Release, workload: Workload) -> None:
        self.release, self.workload, self.table = release, workload, release.table
        self.classes, self.conditions = release.classes, workload.conditions
        published = {*self.table.quasi, *self.table.sensitive, *release.neutral} - release.removed
        asked = [name for name in workload.columns if name in published]
        sensitive = [name for name in asked if name in self.table.sensitive]
        self.quasi = [name for name in asked if name in self.table.quasi]
        self.dealt = sensitive if self.classes.exact else []  # told of a bucket, not of each of its records
        self.unchanged = [name for name in asked if name not in (*self.quasi, *self.dealt)]
        self.hidden = [name for name in workload.columns if name not in asked]

    def alike(self, which: np.ndarray) -> Iterator[tuple[list[str], np.ndarray]]:
        """The queries among some that ask about the same unchanged columns: these, and which of them it is."""
        asks = np.array([self.at(name, which) >= 0 for name in self.unchanged]).reshape(-1, len(which)).T
        kinds, kind = np.unique(asks, axis=0, return_inverse=True)
        for number, row in enumerate(kinds):
            names = [name for name, asked in zip(self.unchanged, row, strict=True) if asked]
            yield names, np.flatnonzero(kind.ravel() == number)

    def at(self, name: str, which: np.ndarray) -> np.ndarray:
        """Where the conditions of some queries on a column begin: -1 where there is none."""
        return self.conditions.at[which, self.workload.columns.index(name)]

    def sums(self, unchanged: Sequence[str], which: np.ndarray, of: np.ndarray) -> np.ndarray:
        """For each of some queries the people that are expected, or their sum of a column."""
        found = self._of_published(unchanged, which, of) * self.of_anybody(self.hidden, which, of)
        if self.release.left_out:
            found += self.people_left_out * self.of_anybody(self.workload.columns, which, of)
        return found

    def _of_published(self, unchanged: Sequence[str], which: np.ndarray, of: np.ndarray) -> np.ndarray:
        levels, people = self.levels(unchanged, which)
        tree = Tree.of([level.codes for level in levels], people)
        asks = [np.max([self.at(name, which) for name in ([level.name] if level.name else self.dealt)], axis=0)
                for level in levels]  # fmt: skip
        at = np.column_stack(asks) if levels else np.full((len(which), 1), -1)
        places = {self.workload.columns.index(one.name): i for i, one in enumerate(levels) if not one.tabled}
        summed = np.array([places.get(column, -1) for column in of.tolist()])
        values, value_at = numbers(self.table, [level.name for level in levels if level.name])
        found, (table_at, blocks) = np.zeros(len(which)), self._blocks(levels, which, of)
        for some, table in blocks:
            found[some] = query_kernels.sums(
                tree, at[some], summed[some], self.conditions.bits, table, table_at, values, value_at
            )
        return found

    def levels(self, unchanged: Sequence[str], which: np.ndarray) -> tuple[list[Level], np.ndarray]:
        """What tells records apart for these queries, the columns with few codes first, the buckets last; and how many
        people are alike in all of it."""
        quasi, dealt = ([n for n in names if (self.at(n, which) >= 0).any()] for names in (self.quasi, self.dealt))
        group, codes, people = self.release.joint([*unchanged, *(quasi if self.classes.exact else ())])
        found = [Level(name, codes[name], self.nodes(name)) for name in unchanged]
        for name in quasi:
            regions, number = (None, None) if self.classes.exact else self.regions(name)
            found.append(Level(name, codes[name] if number is None else number[group], regions))
        found.sort(key=lambda level: int(level.codes.max(initial=0)))
        return [*found, *([Level("", group)] if dealt else [])], people

    def _blocks(
        self, levels: Sequence[Level], which: np.ndarray, of: np.ndarray
    ) -> tuple[np.ndarray, Iterator[tuple[slice, np.ndarray]]]:
        """Where the factors of each level stand in tables (-1: in none), and these, for some queries at a time."""
        wide = [len(level.regions or self.classes) if level.tabled else 0 for level in levels]
        at = np.where(np.array([*wide, 0]) > 0, np.cumsum([0, *wide]), -1)
        rows = max(ROOM // max(sum(wide), 1), 1)

        def blocks() -> Iterator[tuple[slice, np.ndarray]]:
            for begin in range(0, len(which), rows):
                some = slice(begin, begin + rows)
                queries, columns = which[some], of[some]
                parts = [self._table(level, queries, columns) for level in levels if level.tabled]
                yield some, np.concatenate([*parts, np.empty((len(queries), 0))], axis=1)

        return at, blocks()

    def _table(self, level: Level, which: np.ndarray, of: np.ndarray) -> np.ndarray:
        """The factors of the regions of a column, or of buckets: queries x regions."""
        if level.regions is not None:
            return self.factors(level.name, level.regions, which, of)
        found = np.ones((len(which), len(self.classes)))
        for name in self.dealt:
            if (self.at(name, which) >= 0).any():
                found *= self.factors(name, self._node_regions(name), which, of) @ self._beliefs(name).T
        return found

    def factors(self, name: str, regions: Regions, which: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Queries x regions: the share of each that meets the condition on the column, times the mean number in it
        where the query sums it, and 1 where there is no condition."""
        at, bits = self.at(name, which), self.conditions.bits
        summed = (of == self.workload.columns.index(name)) & (at >= 0)
        shared = (at >= 0) & ~summed
        found = np.ones((len(which), len(regions)))
        if shared.any():
            found[shared] = regions.shares(bits, at[shared])
        if summed.any():
            found[summed] = regions.values(bits, at[summed], numbers_of(self.table.columns[name]))
        return found

    def of_anybody(self, names: Sequence[str], which: np.ndarray, of: np.ndarray) -> np.ndarray:
        """The product over columns of the factor of who may be anybody: of sensitive ones by Q."""
        found = np.ones(len(which))
        for name in names:
            if name in self.table.sensitive:
                prior = weights.shares(self.table)[name]
                found *= self.factors(name, self._node_regions(name), which, of) @ prior
            else:
                found *= self.factors(name, Regions.whole(self.table.columns[name]), which, of)[:, 0]
        return found

    def regions(self, name: str) -> tuple[Regions, np.ndarray]:
        """The distinct regions of a quasi-identifier, and the number of each class's."""
        a, classes = self.table.quasi.index(name), self.classes
        assert classes.low is not None and classes.high is not None
        return Regions.of(self.table.columns[name], classes.low[:, a], classes.high[:, a], classes.sets.get(a))

    def nodes(self, name: str) -> Regions | None:
        """What stands for each code that is published unchanged: at a level above the values its node."""
        return self._node_regions(name) if self.table.levels.get(name, 0) else None

    def _node_regions(self, name: str) -> Regions:
        return Regions.nodes(self.table.columns[name], self.table.levels.get(name, 0))

    def _beliefs(self, name: str) -> np.ndarray:
        """The share of each sensitive value in each bucket."""
        counts = self.release.people_of_classes(name)
        size = counts.sum(axis=1, keepdims=True)
        return counts / np.where(size > 0, size, 1)

    @cached_property
    def people_left_out(self) -> float:
        """How many records are left out, or how many people they stand for."""
        if self.table.weight is None:
            return float(self.release.left_out)
        return float(weights.people(self.table).sum() - self.release.joint([]).people.sum())
