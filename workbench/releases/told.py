"""What a release tells of the columns that queries ask about: records told apart, and the factors of what is told.

A release tells of each record a region of every quasi-identifier, and other columns unchanged; or quasi-identifiers
unchanged, and which sensitive values its bucket has. What queries ask for is a sum over the records, of the product of
a factor for each column with a condition: the share of what is told of the record that meets it, or whether all or any
of it does. Where a column is summed, its factor is that share times the mean number in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.base import query_kernels
from workbench.base.errors import BadInput, said
from workbench.data import weights
from workbench.releases.regions import Regions
from workbench.workloads import together
from workbench.workloads.exact import coded, numbers_of
from workbench.workloads.together import Tabled
from workbench.workloads.tree import Tree
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release

Reading = Callable[[Regions, np.ndarray, np.ndarray], np.ndarray]  # of regions under conditions, as `Regions.shares`


class Level(NamedTuple):
    """Records told apart by a column's codes, by the regions of a column, or by their buckets (no column)."""

    name: str
    codes: np.ndarray
    regions: Regions | None = None


class Branch(NamedTuple):
    """Queries that ask about the same unchanged columns, and the records as these tell them apart: classes, levels,
    how many people are alike in all of them, and where they are asked for the original codes of all columns."""

    which: np.ndarray
    levels: list[Level]
    group: np.ndarray
    people: np.ndarray
    codes: dict[str, np.ndarray]


def asked_of(release: Release, given: Any) -> Workload:
    """A workload, asked of the table of a release; BadInput for what is none."""
    if not isinstance(given, Workload):
        raise BadInput(f"{said(given)} is no workload; make one, such as Workload.of(table, ['age >= 40'])")
    return given.with_table(release.table)


class Told:
    """What a release tells of the columns that a workload asks about; some may be taken as if they were `known`."""

    def __init__(self, release: Release, workload: Workload, known: Sequence[str] = ()) -> None:
        self.release, self.workload, self.table = release, workload, release.table
        self.classes, self.conditions = release.classes, workload.conditions
        published = {*self.table.quasi, *self.table.sensitive, *release.neutral} - release.removed
        asked, self.known = [name for name in workload.columns if name in published or name in known], known
        sensitive = [name for name in asked if name in self.table.sensitive and name not in known]
        self.quasi = [name for name in asked if name in self.table.quasi and name not in known]
        self.dealt = sensitive if self.classes.exact else []  # told of a bucket, not of each of its records
        self.unchanged = [name for name in asked if name not in (*self.quasi, *self.dealt)]
        self.hidden = [name for name in workload.columns if name not in asked]
        self._numbered: dict[str, tuple[Regions, np.ndarray]] = {}

    def at(self, name: str, which: np.ndarray) -> np.ndarray:
        """Where the conditions of some queries on a column begin: -1 where there is none."""
        return self.conditions.at[which, self.workload.columns.index(name)]

    def at_any(self, names: Sequence[str], which: np.ndarray) -> np.ndarray:
        """The same on any of several columns, at least -1."""
        return np.max([self.at(name, which) for name in names], axis=0, initial=-1)

    # --- records

    def branches(self, which: np.ndarray, original: bool = False) -> Iterator[tuple[np.ndarray, Branch]]:
        """The queries among some that ask about the same unchanged columns, by their place in `which`; where
        `original`, with the codes of the original."""
        asks = self.conditions.at[which][:, [self.workload.columns.index(name) for name in self.unchanged]] >= 0
        kinds, kind = np.unique(asks, axis=0, return_inverse=True)
        for number, row in enumerate(kinds):
            names = [name for name, asked in zip(self.unchanged, row, strict=True) if asked]
            places = np.flatnonzero(kind.ravel() == number)
            yield places, self._branch(names, which[places], original)

    def _branch(self, unchanged: Sequence[str], which: np.ndarray, original: bool) -> Branch:
        """The buckets come first, then columns with few codes."""
        quasi, dealt, hidden = (
            [name for name in names if (self.at(name, which) >= 0).any()]
            for names in (self.quasi, self.dealt, self.hidden)
        )
        needed = [*unchanged, *(quasi if self.classes.exact or original else ())]
        if original or self.known:
            group, codes, people = self.release.joint([*needed, *((*dealt, *hidden) if original else ())], True)
        else:
            group, codes, people = self.release.joint(needed)
        levels = [self._unchanged(name, codes[name], original or bool(self.known)) for name in unchanged]
        for name in quasi:
            if self.classes.exact:
                levels.append(Level(name, codes[name]))
            else:
                regions, number = self._regions(name)
                levels.append(Level(name, number[group], regions))
        levels.sort(key=lambda level: (level.regions is None, int(level.codes.max(initial=0))))
        if dealt:
            levels.insert(0, Level("", group))
        return Branch(which, levels, group, people, codes if original else {})

    def _regions(self, name: str) -> tuple[Regions, np.ndarray]:
        """The distinct regions of a quasi-identifier, and the number of each class's."""
        if name not in self._numbered:
            a, classes = self.table.quasi.index(name), self.classes
            assert classes.low is not None and classes.high is not None
            self._numbered[name] = Regions.of(
                self.table.columns[name], classes.low[:, a], classes.high[:, a], classes.sets.get(a)
            )
        return self._numbered[name]

    def _unchanged(self, name: str, codes: np.ndarray, original: bool) -> Level:
        """A column that is published unchanged: at a level above the values its nodes."""
        level = self.table.levels.get(name, 0)
        if not level or name in self.known:
            return Level(name, codes)
        nodes = self.table.columns[name].node(level - 1)[codes] if original else codes
        return Level(name, nodes, self.nodes(name))

    def nodes(self, name: str) -> Regions:
        """What is published of each value of a sensitive column."""
        return Regions.nodes(self.table.columns[name], self.table.levels.get(name, 0))

    @cached_property
    def people_left_out(self) -> float:
        """How many records are left out, or how many people they stand for."""
        if self.table.weight is None or not self.release.left_out:
            return float(self.release.left_out)
        return float(weights.people(self.table).sum() - self.release.joint([]).people.sum())

    # --- sums

    def sums(self, which: np.ndarray, of: np.ndarray, reading: Reading = Regions.shares) -> np.ndarray:
        """For each of some queries the people that meet it, or their sum of the column `of` (-1: none)."""
        found = np.zeros(len(which))
        for places, branch in self.branches(which):
            found[places] = self._published(branch, of[places], reading)
        found *= self.of_anybody(self.hidden, which, of, reading)
        if self.release.left_out:
            found += self.people_left_out * self.of_anybody(self.workload.columns, which, of, reading)
        return found

    def _published(self, branch: Branch, of: np.ndarray, reading: Reading) -> np.ndarray:
        tree = Tree.of([level.codes for level in branch.levels], branch.people)
        levels = [self.asked(level, branch.which, of, reading) for level in branch.levels]
        return together.sums(tree, levels, len(branch.which))

    def asked(self, level: Level, which: np.ndarray, of: np.ndarray, reading: Reading) -> together.Level:
        """A level as some queries ask about it."""
        if not level.name:
            at = self.at_any(self.dealt, which)
            return Tabled(len(self.classes), at, lambda some: self._of_buckets(which[some], of[some], reading))
        if level.regions is None:
            return coded(self.workload, level.name, which, of)
        name, regions, at = level.name, level.regions, self.at(level.name, which)
        return Tabled(len(regions), at, lambda some: self.factors(name, regions, which[some], of[some], reading))

    def _of_buckets(self, which: np.ndarray, of: np.ndarray, reading: Reading) -> np.ndarray:
        """Buckets x queries: the share of each that meets the conditions on sensitive columns."""
        found = np.ones((len(self.classes), len(which)))
        for name in self.dealt:
            if (self.at(name, which) >= 0).any():
                found *= self.of_values(name, which, of, reading) / self.sizes[:, None]
        return found

    def of_values(self, name: str, which: np.ndarray, of: np.ndarray, reading: Reading) -> np.ndarray:
        """Buckets x queries: the people of each whose sensitive value meets the condition."""
        shares = self.factors(name, self.nodes(name), which, of, reading)
        return query_kernels.of_groups(self.release.people_of_classes(name), shares)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The people of each class, at least the least number there is."""
        return np.maximum(self.release.people_of_classes()[:, 0], np.finfo(float).tiny)

    def factors(
        self, name: str, regions: Regions, which: np.ndarray, of: np.ndarray, reading: Reading = Regions.shares
    ) -> np.ndarray:
        """Regions x queries: how each region meets the condition on the column, its share times the mean number in it
        where the query sums it, and 1 where there is no condition."""
        at, bits = self.at(name, which), self.conditions.bits
        summed = (of == self.workload.columns.index(name)) & (at >= 0)
        asked = (at >= 0) & ~summed
        if asked.all():
            return reading(regions, bits, at)
        found = np.ones((len(regions), len(which)))
        if asked.any():
            found[:, asked] = reading(regions, bits, at[asked])
        if summed.any():
            found[:, summed] = regions.values(bits, at[summed], numbers_of(self.table.columns[name]))
        return found

    def of_anybody(
        self, names: Sequence[str], which: np.ndarray, of: np.ndarray, reading: Reading = Regions.shares
    ) -> np.ndarray:
        """The product over columns of the factor of who may be anybody: shares of sensitive ones by Q, or by what is
        known of who is left out."""
        found = np.ones(len(which))
        for name in names:
            if name in self.table.sensitive and reading is Regions.shares:
                shares = self.release.rest.get(name, weights.shares(self.table)[name])
                found *= shares @ self.factors(name, self.nodes(name), which, of)
            else:
                found *= self.factors(name, Regions.whole(self.table.columns[name]), which, of, reading)[0]
        return found
