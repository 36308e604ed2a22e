"""The population of a sample, for the number of people that each class covers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import BadInput
from workbench.base.progress import checkpoint
from workbench.base.result_cache import ResultCache
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy, Level, Misfit, key, keys

if TYPE_CHECKING:
    from workbench.data.table import Table


# Values of a population that its table lacks, and the labels of the table's column that cover them.

OF_VALUES = -1  # in place of a level: single values have their own label, other runs that of their finest node
NOWHERE = -2  # not between any two values of the table
STARS = re.compile(r"\s*\*+\s*")


@dataclass(frozen=True, eq=False)
class AbsentValues:
    """The values that the table lacks in one quasi-identifier, and the labels of the table's column that cover them."""

    column: Column  # the table's
    places: np.ndarray  # for each code of the population: the table's code, or -1 - i for absent value i
    after: np.ndarray  # code of the largest table value below each absent number or date; -1: below all of them
    nodes: np.ndarray  # levels x absent values: the node of the table's hierarchy above the value, or -1
    every: Column  # the table's column with the absent values added, without a hierarchy
    number: np.ndarray  # for each code of `every`: the index of the absent value, or -1

    def __len__(self) -> int:
        return len(self.after)

    @classmethod
    def from_tables(cls, given: Table, table: Table) -> tuple[AbsentValues, ...]:
        """Find the absent values of every quasi-identifier."""
        return tuple(cls.from_columns(given.columns[name], table.columns[name]) for name in table.quasi)

    @classmethod
    def from_columns(cls, given: Column, column: Column) -> AbsentValues:
        """Compare the values of a population's column with those of the table's.

        A missing value counts as a value, so it is absent if the table's column has none.
        """
        known = {key: code for code, key in enumerate(keys(column))}
        mine = keys(given)
        absent = [i for i, key in enumerate(mine) if key not in known]
        places = np.array([known.get(key, -1) for key in mine] + [column.size - 1] * (given.missing > 0), np.int64)
        if given.missing and not column.missing:
            absent.append(len(mine))
        places[absent] = -1 - np.arange(len(absent))
        after = np.full(len(absent), NOWHERE)
        if column.kind != "text" and len(known):
            values = np.array([mine[i] for i in absent if i < len(mine)])
            after[: len(values)] = np.searchsorted(np.array([*known]), values, side="right") - 1
        shown = [i for i in absent if i < len(mine)]
        every, number = _union(column, [given.values[i] for i in shown], [given.labels[i] for i in shown])
        nodes = np.full((len(column.hierarchy.levels) if column.hierarchy else 0, len(absent)), -1)
        nodes[:, number[number >= 0]] = _nodes(column, every)[:, number >= 0]
        return cls(column, places, after, nodes, every, number)

    def covered(self, low: int, high: int, level: int) -> np.ndarray:
        """Return which absent values the label of a run of the table's codes covers.

        The label is chosen as in `releases.labels`: a node's label from `level` on, unless `level` is OF_VALUES.
        A set of values covers only these values.
        """
        hierarchy, last = self.column.hierarchy, self.column.size - 1
        if level != OF_VALUES and high - low == last and not (level == 0 and low == high):
            return np.ones(len(self), bool)
        if self._is_star(low, high):
            return np.ones(len(self), bool)
        if self.column.missing and high == last:
            if low == high:
                return np.zeros(len(self), bool)
            high, level = high - 1, OF_VALUES
        if low == high and level <= 0:  # the label is the value
            return np.zeros(len(self), bool)
        inside = (low <= self.after) & (self.after < high)
        for j in range(max(level, 1) - 1, len(hierarchy.levels) if hierarchy else 0):
            assert hierarchy is not None
            node = int(np.searchsorted(hierarchy.levels[j].starts, low))
            if node < len(hierarchy.levels[j].starts) and hierarchy.bounds(j)[node].tolist() == [low, high]:
                everybody = STARS.fullmatch(hierarchy.levels[j].labels[node]) is not None
                return inside | (self.nodes[j] == node) | everybody
        return inside if self.column.ends is None else self._between(low, high)

    def _is_star(self, low: int, high: int) -> bool:
        """Return whether a range covers all values and has no printed end."""
        column = self.column
        if column.ends is None or column.missing or low == high or high - low < column.size - 1:
            return False
        return column.ends.printed(column, low, high) == (None, None)

    def _between(self, low: int, high: int) -> np.ndarray:
        """Return which absent values are between the printed ends of a range."""
        assert self.column.ends is not None
        below, above = self.column.ends.printed(self.column, low, high)
        values, inside = self.every.values, self.number >= 0
        kind = values.dtype if self.column.kind == "date" else np.dtype(float)
        if below is not None:
            least = np.array(below.text, kind)
            inside = inside & ((values > least) | (below.closed & (values == least)))
        if above is not None:
            most = np.array(above.text, kind)
            inside = inside & ((values < most) | (above.closed & (values == most)))
        found = np.zeros(len(self), bool)
        found[self.number[inside]] = True
        return found


def _nodes(column: Column, every: Column) -> np.ndarray:
    """Return the node of each value in the table's own hierarchy: levels x values, -1 for none.

    The hierarchy is built again over the values of both table and population; nodes are matched by their labels.
    """
    hierarchy = column.hierarchy
    found = np.full((len(hierarchy.levels) if hierarchy else 0, len(every.values)), -1)
    if hierarchy is None or hierarchy.builder is None:
        return found
    try:
        whole = hierarchy.builder(every)
    except Misfit as misfit:  # unlisted leaves have no node
        if misfit.what != "unlisted":
            raise
        listed = np.flatnonzero([label not in {*misfit.values} for label in every.labels])
        whole = hierarchy.builder(_only(every, listed))
    place = {label: code for code, label in enumerate(every.labels)}
    leaves = [place[leaf] for leaf in whole.leaves]
    for j, (level, own) in enumerate(zip(whole.levels, hierarchy.levels, strict=True)):
        names = {label: number for number, label in enumerate(own.labels)}
        found[j, leaves] = np.array([names.get(label, -1) for label in level.labels])[whole.node(j)]
    return found


def _union(column: Column, values: Sequence[object], labels: Sequence[str]) -> tuple[Column, np.ndarray]:
    """Add values to the table's column.

    Also return, for each value of the result, its index among the added values, or -1.
    """
    every = np.concatenate([column.values, np.array([*values], column.values.dtype)])
    names = (*column.labels, *labels)
    counts = np.append(column.counts, np.zeros(len(values), column.counts.dtype))
    number = np.append(np.full(len(column.values), -1), np.arange(len(values)))
    order = np.arange(len(every)) if column.kind == "text" else np.argsort(every, kind="stable")
    both = replace(column, values=every, labels=names, counts=counts, hierarchy=None)
    return _only(both, order), number[order]


def _only(column: Column, codes: np.ndarray) -> Column:
    """Restrict a column to some of its values."""
    labels = tuple(column.labels[code] for code in codes)
    return replace(column, values=column.values[codes], labels=labels, counts=column.counts[codes])


# Add values without records to a table's columns, such as values that only a synthetic file has.


def with_values(table: Table, unseen: Mapping[str, Sequence[str]]) -> Table:
    """Return the table with more values in some columns, without records.

    Numbers and dates are inserted in order, text in the hierarchy nodes that list it; any other text value becomes a
    node of its own at every level.
    """
    columns, recodes = dict(table.columns), {}
    for name, labels in unseen.items():
        column = columns[name]
        if table.levels.get(name, 0):
            raise BadInput(
                f"column {name!r}: {len(labels):,} labels do not exist at the model level of the original; publish "
                "labels of this level"
            )
        columns[name], recodes[name] = _with_values(column, labels)
    return replace(table, columns=columns, engine=table.engine.mapped(recodes), remember=ResultCache())


def _with_values(column: Column, labels: Sequence[str]) -> tuple[Column, np.ndarray]:
    """Return the column with more values, and the new code of each old one."""
    values = np.concatenate([column.values, _values(column, labels)])
    order = np.argsort(values, kind="stable")
    names = (*column.labels, *labels)
    counts = np.append(column.counts, np.zeros(len(labels), column.counts.dtype))
    bare = replace(
        column, values=values[order], labels=tuple(names[i] for i in order), counts=counts[order], hierarchy=None
    )
    if column.hierarchy is not None:
        bare, _ = bare.arranged(_hierarchy(column.hierarchy, bare, labels))
    place = {label: code for code, label in enumerate(bare.labels)}
    recode = [place[label] for label in column.labels]
    return bare, np.array([*recode, len(bare.values)] if column.missing else recode, np.int64)


def _values(column: Column, labels: Sequence[str]) -> np.ndarray:
    """Parse labels as values of the column's type, or of a finer one."""
    if column.kind == "text":
        return np.array(labels, object)
    meant = np.array([key(label, column.kind) for label in labels])
    if column.kind == "number":
        return meant
    moments = meant.astype("datetime64[us]")
    days = moments.astype("datetime64[D]")
    return days.astype(column.values.dtype) if (days == moments).all() else moments


def _hierarchy(hierarchy: Hierarchy, column: Column, labels: Sequence[str]) -> Hierarchy:
    """Extend the hierarchy to more values."""
    alone: list[str] = []
    if hierarchy.builder is None:
        alone = [*labels]
    else:
        try:
            return replace(hierarchy.builder(column), builder=hierarchy.builder)
        except Misfit as misfit:
            if misfit.what != "unlisted" or column.kind != "text":
                raise
            alone = [*misfit.values]
            listed = [i for i, label in enumerate(column.labels) if label not in {*alone}]
            values, names = column.values[listed], tuple(column.labels[i] for i in listed)
            some = replace(column, values=values, labels=names, counts=column.counts[listed])
            hierarchy = replace(hierarchy.builder(some), builder=hierarchy.builder)
    if column.kind != "text":
        raise BadInput(
            f"column {column.name!r}: the hierarchy does not list {len(alone):,} of its values; list them too"
        )
    size = len(hierarchy.leaves)
    levels = tuple(
        Level(
            np.append(level.starts, size + np.arange(len(alone))).astype(np.int32),
            (*level.labels, *alone),
            np.append(hierarchy.below(j), np.ones(len(alone), np.int64)),
        )
        for j, level in enumerate(hierarchy.levels)
    )
    return Hierarchy((*hierarchy.leaves, *alone), levels, hierarchy.whole + len(alone), hierarchy.builder)


# The people of a population that the labels of classes cover.
#
# The label of a class decides, not the values that occur in the table: a node of a hierarchy covers all of its leaves,
# including those that the data lack; `*` covers everybody; a range covers every number between its ends. Labels of
# local recoding and of clusters may overlap, so that several of them cover the same person.


@dataclass(frozen=True, eq=False)
class Coverage:
    """Regions of classes over the codes of the table and over the values that only the population has."""

    population: Population
    low: np.ndarray
    high: np.ndarray
    sets: Mapping[int, np.ndarray]
    region: np.ndarray  # classes x attributes: the row of `absent`
    absent: tuple[np.ndarray, ...]  # for each attribute: distinct regions x values that the table lacks

    @classmethod
    def from_regions(
        cls,
        population: Population,
        low: np.ndarray,
        high: np.ndarray,
        sets: Mapping[int, np.ndarray] | None = None,
        levels: np.ndarray | None = None,
        known: Mapping[int, np.ndarray] | None = None,
    ) -> Coverage:
        """Find the people whom regions of the table's codes cover by their labels.

        Parameters
        ----------
        levels
            Classes x attributes: the level from which nodes have their labels, or OF_VALUES, which is the default.
        known
            For some attributes, the absent values that each class covers: classes x absent values.
        """
        region, absent = np.zeros(low.shape, np.int32), []
        for a, values in enumerate(population.absent):
            if known and a in known:
                region[:, a] = np.arange(len(low))
                absent.append(known[a])
            elif not len(values) or (sets and a in sets):  # a set lists values of the table
                absent.append(np.zeros((1, len(values)), bool))
            else:
                level = np.full(len(low), OF_VALUES) if levels is None else levels[:, a]
                ends = np.stack([low[:, a], high[:, a], level - OF_VALUES], axis=1).astype(np.int64)
                first, region[:, a] = distinct_rows(ends)
                rows = [(int(low[i, a]), int(high[i, a]), int(level[i])) for i in first]
                absent.append(np.array([values.covered(*row) for row in rows]))
        return cls(population, low, high, sets or {}, region, tuple(absent))

    @property
    def people(self) -> np.ndarray:
        """The number of people that each class covers."""
        return self._counted[0]

    def presence(self, sizes: np.ndarray) -> Presence:
        """Return the probability that people of the population are in the table, given the sizes of the classes.

        A person covered by a class of n records that covers N people has probability n / N. For a person covered by
        several classes, the probabilities are added.
        """
        share = np.where(self.people > 0, sizes / np.maximum(self.people, 1), 0.0)
        times, people = self._counted[1], self.population.people
        uncovered = int(people[times == 0].sum())
        if times.max(initial=0) <= 1:
            return Presence(np.minimum(share, 1.0), np.minimum(share, 1.0), uncovered)
        total = np.zeros(len(people))
        for block in self._blocks:
            checkpoint()
            cell_kernels.spread(*block, share, self._regions, total)
        total, least, most = np.minimum(total, 1.0), np.ones(len(share)), np.zeros(len(share))
        for block in self._blocks:
            checkpoint()
            cell_kernels.extremes(*block, total, self._regions, least, most)
        return Presence(least, most, uncovered)

    @cached_property
    def _counted(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of people that each class covers, and the number of classes that cover each cell."""
        found, times = np.zeros(len(self.low), np.int64), np.zeros(len(self.population.people), np.int32)
        for block in self._blocks:
            checkpoint()
            cell_kernels.fitting(*block, self.population.people, self._regions, found, times)
        return found, times

    @cached_property
    def _blocks(self) -> list[tuple[int, np.ndarray, np.ndarray, int, np.ndarray]]:
        """The cells to search for the people of each class, split into blocks of bounded work.

        The search runs along the attribute with the fewest cells to look at.
        """
        works = [self._cells(a) for a in range(self.low.shape[1])]
        begin, end, outside, order = min(works, key=lambda one: int((one[1] - one[0]).sum()) + len(self.low) * one[2])
        work = np.cumsum(end - begin + outside) // cell_kernels.STEPS
        parts = np.split(np.arange(len(begin)), np.flatnonzero(np.diff(work)) + 1)
        return [(int(part[0]), begin[part], end[part], outside, order) for part in parts if len(part)]

    def _cells(self, a: int) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
        """Return the begin and end of each class's cells in the order of an attribute.

        Cells `outside` the table's values come first; their number and the order are returned, too.
        """
        order, places = self.population.order(a)
        begin = np.searchsorted(places, self.low[:, a])
        end = np.searchsorted(places, self.high[:, a], side="right")
        return begin, end, int(np.searchsorted(places, 0)), order

    @cached_property
    def _regions(self) -> tuple[np.ndarray, ...]:
        """The regions as arrays for the kernels."""
        within, held = np.full(self.low.shape[1], -1), _stacked(self.sets, len(self.low))
        within[list(self.sets)] = np.arange(len(self.sets))
        width = np.array([rows.shape[1] for rows in self.absent], np.int64)
        offset = np.append(0, np.cumsum([rows.size for rows in self.absent]))[:-1].astype(np.int64)
        absent = np.concatenate([rows.ravel() for rows in self.absent] or [np.zeros(0, bool)])
        low, high = (np.ascontiguousarray(ends, np.int32) for ends in (self.low, self.high))
        return self.population.places, low, high, within, held, self.region, absent, offset, width


class Presence(NamedTuple):
    """The minimum and maximum presence of the people covered by each class, and the number of uncovered people."""

    least: np.ndarray
    most: np.ndarray
    uncovered: int


def _stacked(sets: Mapping[int, np.ndarray], classes: int) -> np.ndarray:
    """Return sets of codes as one array: sets x classes x codes."""
    most = max((held.shape[1] for held in sets.values()), default=1)
    stacked = np.zeros((len(sets), classes, most), bool)
    for i, held in enumerate(sets.values()):
        stacked[i, :, : held.shape[1]] = held
    return stacked


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Cells over the quasi-identifiers of a table.

    `places` (cells x attributes) has the table's code of a value, or -1 - i for absent value i.
    """

    places: np.ndarray
    people: np.ndarray
    records: int
    absent: tuple[AbsentValues, ...] = ()
    lacking: int = 0  # records of the table that are not in the population
    _orders: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def from_tables(cls, given: Table, table: Table) -> Population:
        """Count the cells of a population in terms of the table's codes."""
        given.engine.require_combinations_fit(
            table.quasi, given.columns, "use a population with fewer or coarser columns"
        )
        found, absent = given.engine.collapse(table.quasi, ()), AbsentValues.from_tables(given, table)
        places = np.stack([one.places[codes] for one, codes in zip(absent, found.quasi, strict=True)], axis=1)
        bare = cls(np.ascontiguousarray(places, np.int32), found.weight, given.records, absent)
        cells = (one.collapse(table.quasi, ()) for one in table.engine.slices(table.quasi, table.columns))
        lacking = map(bare._lacking, [table.cells()] if table.engine.cells_fit else cells)
        return replace(bare, lacking=sum(lacking))

    def order(self, a: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the cells sorted by an attribute, and their places on it."""
        if a not in self._orders:
            order = np.argsort(self.places[:, a], kind="stable")
            self._orders[a] = order, self.places[order, a]
        return self._orders[a]

    def coverage(
        self,
        low: np.ndarray,
        high: np.ndarray,
        sets: Mapping[int, np.ndarray] | None = None,
        levels: np.ndarray | None = None,
        known: Mapping[int, np.ndarray] | None = None,
    ) -> Coverage:
        """Find the people whom regions of the table's codes cover; parameters as in `Coverage.from_regions`."""
        return Coverage.from_regions(self, low, high, sets, levels, known)

    def fitting(self, low: np.ndarray, high: np.ndarray, sets: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """Return the number of people in the population whom the label of each region covers."""
        return self.coverage(low, high, sets).people

    def _lacking(self, cells: Cells) -> int:
        """Count the records in excess of the population, where more records than people share the same values."""
        first, number = np.unique(cells.quasi.T, axis=0, return_inverse=True)
        have = np.bincount(number.ravel(), weights=cells.weight)
        codes = np.ascontiguousarray(first, np.int32)
        return int(np.maximum(have - self.fitting(codes, codes), 0).sum())
