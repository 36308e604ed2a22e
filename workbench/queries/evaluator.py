"""Evaluation of a workload on a release: records grouped by the published values of the queried columns, with factors.

A release publishes for each record a region of every quasi-identifier, and other columns unchanged; or
quasi-identifiers unchanged, and the sensitive values of each bucket. A query asks for a sum over the records of the
product of one factor per column with a condition: the share of the published region that meets the condition, or
whether all or any of the region does. For a summed column, the factor is that share times the mean number in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.queries import exact, kernels
from workbench.queries.exact import CodeLevel, RegionLevel, Tree, coded, combine_sums, numbers_of, pack, unpack
from workbench.queries.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


# Regions of one column, and how many of their codes meet conditions on it.


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """Runs of codes from `low` to `high`; with `held`, the sets of codes whose bits are set in its rows."""

    column: Column
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None = None

    @classmethod
    def distinct(
        cls, column: Column, low: np.ndarray, high: np.ndarray, held: np.ndarray | None
    ) -> tuple[Regions, np.ndarray]:
        """Return the distinct regions of many classes, and the index of each class's region."""
        if held is None:
            runs = low.astype(np.int64) * column.size + high
            _, first, number = np.unique(runs, return_index=True, return_inverse=True)
        else:
            first, number = distinct_rows(np.packbits(held, axis=1))
        chosen = None if held is None else pack(held[first])
        return cls(column, low[first].astype(np.int32), high[first].astype(np.int32), chosen), number

    @classmethod
    def whole(cls, column: Column) -> Regions:
        """Return one region of all codes."""
        return cls(column, np.zeros(1, np.int32), np.full(1, column.size - 1, np.int32))

    @classmethod
    def nodes(cls, column: Column, level: int) -> Regions:
        """Return the region of each code at a level of the hierarchy (0: the codes themselves)."""
        node = column.released_at[level]
        low = np.flatnonzero(np.diff(node, prepend=-1))
        return cls(column, low.astype(np.int32), (np.append(low[1:], column.size) - 1).astype(np.int32))

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of codes in each region."""
        if self.held is None:
            return self.high - self.low + 1
        everything = pack(np.ones(self.column.size, bool))
        return kernels.in_sets(everything, np.zeros(1, np.int64), self.held)[:, 0]

    def met(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Count the codes of each region that meet each condition: regions x conditions."""
        if self.held is not None:
            return kernels.in_sets(bits, at, self.held)
        return kernels.in_runs(bits, at, self.column.size, self.low, self.high)

    def shares(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return the share of each region that meets each condition: of the codes of a set, of the width of a run."""
        met = self.met(bits, at)
        if self._plain:
            return met / self.sizes[:, None]
        part = self._amounts(bits, at, np.ones(self.column.size))
        return np.where(met == self.sizes[:, None], 1.0, np.where(met > 0, np.clip(part, 1e-300, 1.0), 0.0))

    def inside(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return 1 where all codes of a region meet a condition, else 0."""
        return (self.met(bits, at) == self.sizes[:, None]).astype(float)

    def meeting(self, bits: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return 1 where any code of a region meets a condition, else 0."""
        return (self.met(bits, at) > 0).astype(float)

    def extremes(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest number that meets each condition in each region; infinite where none does."""
        if self.held is None:
            least, most = kernels.extremes(bits, at, self.low, self.high, numbers)
            return least.T, most.T
        met = self._rows(np.stack([bits[begin : begin + self.held.shape[1]] for begin in at]))
        both = self._rows(self.held)[:, None, :] & met[None]
        return np.where(both, numbers, np.inf).min(axis=2), np.where(both, numbers, -np.inf).max(axis=2)

    def values(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the shares times the mean number that meets the condition: the expected sum."""
        if self.held is None:
            return self._amounts(bits, at, numbers)
        met = self._rows(np.stack([bits[begin : begin + self.held.shape[1]] for begin in at]))
        return self._rows(self.held).astype(float) @ (met * numbers).T / self.sizes[:, None]

    def _rows(self, words: np.ndarray) -> np.ndarray:
        """Return rows of bits as boolean arrays over codes."""
        return unpack(words, self.column.size)

    @cached_property
    def _plain(self) -> bool:
        """True if widths equal numbers of codes."""
        left, right = self.column.edges
        return self.held is not None or bool(((right - left == 1).all()) and (left[1:] == right[:-1]).all())

    def _amounts(self, bits: np.ndarray, at: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the share of the width of each run that meets each condition, each code times its number.

        The gap between two neighbors that meet the condition is included.
        """
        left, right = self.column.edges
        width, between = right - left, np.append(0.0, left[1:] - right[:-1])
        middle = np.append(0.0, (numbers[1:] + numbers[:-1]) / 2)
        found = kernels.amounts(bits, at, self.low, self.high, width * numbers, between * middle)
        return (found / (right[self.high] - left[self.low])).T


Reading = Callable[[Regions, np.ndarray, np.ndarray], np.ndarray]  # of regions under conditions, as `Regions.shares`


class RecordLevel(NamedTuple):
    """Records grouped by a column's codes, by the regions of a column, or by their buckets (no column)."""

    name: str
    codes: np.ndarray
    regions: Regions | None = None


class QueryGroup(NamedTuple):
    """Queries about the same unchanged columns, and the records grouped by these columns.

    Holds the queries, the levels, the class of each group of records, its number of people, and, if requested, the
    original codes of all columns.
    """

    which: np.ndarray
    levels: list[RecordLevel]
    group: np.ndarray
    people: np.ndarray
    codes: dict[str, np.ndarray]


def require_workload(release: Release, given: Any) -> Workload:
    """Return the workload for the release's table; raise BadInput if the argument is not a workload."""
    if not isinstance(given, Workload):
        raise BadInput(
            f"{safe_repr(given)} is not a workload; make one, such as Workload.from_texts(table, ['age >= 40'])"
        )
    return given.with_table(release.table)


class QueryEvaluator:
    """Evaluates a workload on a release; the columns in `known` are treated as published exactly."""

    def __init__(self, release: Release, workload: Workload, known: Sequence[str] = ()) -> None:
        self.release, self.workload, self.table = release, workload, release.table
        self.classes, self.conditions = release.classes, workload.conditions
        published = {*self.table.quasi, *self.table.sensitive, *release.neutral} - release.unpublished_columns
        available, self.known = [name for name in workload.columns if name in published or name in known], known
        sensitive = [name for name in available if name in self.table.sensitive and name not in known]
        self.quasi = [name for name in available if name in self.table.quasi and name not in known]
        self.dealt = sensitive if self.classes.exact else []  # published per bucket, not per record
        self.unchanged = [name for name in available if name not in (*self.quasi, *self.dealt)]
        self.hidden = [name for name in workload.columns if name not in available]
        self._numbered: dict[str, tuple[Regions, np.ndarray]] = {}

    def condition_offsets(self, name: str, which: np.ndarray) -> np.ndarray:
        """Return where the conditions of some queries on a column begin; -1 where there is none."""
        return self.conditions.at[which, self.workload.columns.index(name)]

    def at_any(self, names: Sequence[str], which: np.ndarray) -> np.ndarray:
        """Return where the last condition on any of several columns begins; -1 where there is none."""
        return np.max([self.condition_offsets(name, which) for name in names], axis=0, initial=-1)

    # --- records

    def branches(self, which: np.ndarray, original: bool = False) -> Iterator[tuple[np.ndarray, QueryGroup]]:
        """Yield the groups of queries about the same unchanged columns, each with its places in `which`.

        With `original`, include the codes of the original.
        """
        asks = self.conditions.at[which][:, [self.workload.columns.index(name) for name in self.unchanged]] >= 0
        kinds, kind = np.unique(asks, axis=0, return_inverse=True)
        for number, row in enumerate(kinds):
            names = [name for name, conditioned in zip(self.unchanged, row, strict=True) if conditioned]
            places = np.flatnonzero(kind.ravel() == number)
            yield places, self._branch(names, which[places], original)

    def _branch(self, unchanged: Sequence[str], which: np.ndarray, original: bool) -> QueryGroup:
        """Group the records: by bucket first, then by columns with few codes."""
        quasi, dealt, hidden = (
            [name for name in names if (self.condition_offsets(name, which) >= 0).any()]
            for names in (self.quasi, self.dealt, self.hidden)
        )
        needed = [*unchanged, *(quasi if self.classes.exact or original else ())]
        if original or self.known:
            group, codes, people = self.release.class_counts([*needed, *((*dealt, *hidden) if original else ())], True)
        else:
            group, codes, people = self.release.class_counts(needed)
        levels = [self._unchanged(name, codes[name], original or bool(self.known)) for name in unchanged]
        for name in quasi:
            if self.classes.exact:
                levels.append(RecordLevel(name, codes[name]))
            else:
                regions, number = self._regions(name)
                levels.append(RecordLevel(name, number[group], regions))
        levels.sort(key=lambda level: (level.regions is None, int(level.codes.max(initial=0))))
        if dealt:
            levels.insert(0, RecordLevel("", group))
        return QueryGroup(which, levels, group, people, codes if original else {})

    def _regions(self, name: str) -> tuple[Regions, np.ndarray]:
        """Return the distinct regions of a quasi-identifier, and the index of each class's region."""
        if name not in self._numbered:
            a, classes = self.table.quasi.index(name), self.classes
            assert classes.low is not None and classes.high is not None
            self._numbered[name] = Regions.distinct(
                self.table.columns[name], classes.low[:, a], classes.high[:, a], classes.sets.get(a)
            )
        return self._numbered[name]

    def _unchanged(self, name: str, codes: np.ndarray, original: bool) -> RecordLevel:
        """Return the level of an unchanged column: its nodes, if it is published above its values."""
        level = self.table.levels.get(name, 0)
        if not level or name in self.known:
            return RecordLevel(name, codes)
        nodes = self.table.columns[name].node(level - 1)[codes] if original else codes
        return RecordLevel(name, nodes, self.nodes(name))

    def nodes(self, name: str) -> Regions:
        """Return what is published for each value of a sensitive column."""
        return Regions.nodes(self.table.columns[name], self.table.levels.get(name, 0))

    @cached_property
    def suppressed_people(self) -> float:
        """The number of suppressed records, or of the people whom they represent."""
        if self.table.weight is None or not self.release.suppressed:
            return float(self.release.suppressed)
        return float(weights.people(self.table).sum() - self.release.class_counts([]).people.sum())

    # --- sums

    def sums(self, which: np.ndarray, summed: np.ndarray, reading: Reading = Regions.shares) -> np.ndarray:
        """Return the number of people who meet each query, or their sum of the column `of` (-1: none)."""
        found = np.zeros(len(which))
        for places, branch in self.branches(which):
            found[places] = self._published(branch, summed[places], reading)
        found *= self.of_anybody(self.hidden, which, summed, reading)
        if self.release.suppressed:
            found += self.suppressed_people * self.of_anybody(self.workload.columns, which, summed, reading)
        return found

    def _published(self, branch: QueryGroup, summed: np.ndarray, reading: Reading) -> np.ndarray:
        tree = Tree.from_columns([level.codes for level in branch.levels], branch.people)
        levels = [self.prepare_level(level, branch.which, summed, reading) for level in branch.levels]
        return exact.batch_sums(tree, levels, len(branch.which))

    def prepare_level(self, level: RecordLevel, which: np.ndarray, summed: np.ndarray, reading: Reading) -> exact.Level:
        """Return a level prepared for some queries."""
        if not level.name:
            at = self.at_any(self.dealt, which)
            return RegionLevel(len(self.classes), at, lambda some: self._of_buckets(which[some], summed[some], reading))
        if level.regions is None:
            return coded(self.workload, level.name, which, summed)
        name, regions, at = level.name, level.regions, self.condition_offsets(level.name, which)
        return RegionLevel(
            len(regions), at, lambda some: self.factors(name, regions, which[some], summed[some], reading)
        )

    def _of_buckets(self, which: np.ndarray, summed: np.ndarray, reading: Reading) -> np.ndarray:
        """Return buckets x queries: the share of each bucket that meets the conditions on sensitive columns."""
        found = np.ones((len(self.classes), len(which)))
        for name in self.dealt:
            if (self.condition_offsets(name, which) >= 0).any():
                found *= self.of_values(name, which, summed, reading) / self.sizes[:, None]
        return found

    def of_values(self, name: str, which: np.ndarray, summed: np.ndarray, reading: Reading) -> np.ndarray:
        """Return buckets x queries: the people of each bucket whose sensitive value meets the condition."""
        shares = self.factors(name, self.nodes(name), which, summed, reading)
        return kernels.of_groups(self.release.people_of_classes(name), shares)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The people of each class, at least the smallest positive float."""
        return np.maximum(self.release.people_of_classes()[:, 0], np.finfo(float).tiny)

    def factors(
        self, name: str, regions: Regions, which: np.ndarray, of: np.ndarray, reading: Reading = Regions.shares
    ) -> np.ndarray:
        """Return regions x queries: the share of each region that meets the condition, times the mean number where the
        query sums the column, and 1 where there is no condition."""
        at, bits = self.condition_offsets(name, which), self.conditions.bits
        summed = (of == self.workload.columns.index(name)) & (at >= 0)
        conditioned = (at >= 0) & ~summed
        if conditioned.all():
            return reading(regions, bits, at)
        found = np.ones((len(regions), len(which)))
        if conditioned.any():
            found[:, conditioned] = reading(regions, bits, at[conditioned])
        if summed.any():
            found[:, summed] = regions.values(bits, at[summed], numbers_of(self.table.columns[name]))
        return found

    def of_anybody(
        self, names: Sequence[str], which: np.ndarray, summed: np.ndarray, reading: Reading = Regions.shares
    ) -> np.ndarray:
        """Return the product over columns of the factors of a person who may be anybody.

        Shares of sensitive columns follow Q, or the distribution of suppressed records if it is known.
        """
        found = np.ones(len(which))
        for name in names:
            if name in self.table.sensitive and reading is Regions.shares:
                shares = self.release.about.suppressed_distribution.get(name, weights.shares(self.table)[name])
                found *= shares @ self.factors(name, self.nodes(name), which, summed)
            else:
                found *= self.factors(name, Regions.whole(self.table.columns[name]), which, summed, reading)[0]
        return found


def expected_answers(
    release: Release, workload: Workload, which: np.ndarray | None = None, known: Sequence[str] = ()
) -> np.ndarray:
    """Return the expected answers to all queries, or to some, if every value in a region is equally likely.

    The expected average is the expected sum divided by the expected count; nan if nobody is expected. The columns in
    `known` are treated as if they were published exactly.
    """
    evaluator = QueryEvaluator(release, require_workload(release, workload), known)
    return combine_sums(evaluator.workload, evaluator.sums, which)


# Selections: the records of a release that a user would select for a query, compared with those that meet it.


class Selected(NamedTuple):
    """For each query, the number of selected records (or people), and how many of them meet the query."""

    returned: np.ndarray
    right: np.ndarray


def select_records(release: Release, workload: Workload) -> Selected:
    """Return what a user selects: each record that meets the conditions with a probability of at least one half.

    The probability is that of a count: the share of the record's region, or of its bucket. Suppressed records are never
    selected.
    """
    evaluator = QueryEvaluator(release, require_workload(release, workload))
    found = Selected(*np.zeros((2, len(workload))))
    for places, branch in evaluator.branches(np.arange(len(workload)), original=True):
        found.returned[places], found.right[places] = _counted(evaluator, branch)
    return found


def _counted(evaluator: QueryEvaluator, branch: QueryGroup) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts for queries about the same columns."""
    which, none, one = branch.which, np.full(len(branch.which), -1), np.zeros(len(branch.people), np.int32)
    all_ask = np.zeros(len(which), np.int64)
    hidden = RegionLevel(1, all_ask, lambda some: evaluator.of_anybody(evaluator.hidden, which[some], none[some])[None])
    chances = [*(evaluator.prepare_level(level, which, none, Regions.shares) for level in branch.levels), hidden]
    codes, end = [*(level.codes for level in branch.levels), one], CodeLevel(1, all_ask, np.ones(1, np.uint64))
    met = [coded(evaluator.workload, name, which, none) for name in branch.codes]
    right = Tree.from_columns([*codes, *branch.codes.values(), one], branch.people)
    returned, cut = Tree.from_columns([*codes, one], branch.people), len(chances)
    return (
        exact.batch_sums(returned, [*chances, end], len(which), cut),
        exact.batch_sums(right, [*chances, *met, end], len(which), cut),
    )
