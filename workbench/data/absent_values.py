"""Values of a population that its table lacks, and the labels of the table's column that cover them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.result_cache import ResultCache
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy, Level, Misfit
from workbench.data.hierarchies.matching import key, keys

if TYPE_CHECKING:
    from workbench.data.table import Table


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
