"""Cuts that serve a workload: they minimize the error of the answers to its queries.

The error of a class is the sum over the queries of the distance between the expected and the true count of the class,
relative to the query's answer on the whole table. The cut with the smallest error is made if it reduces the error of
the class by a share of at least `worth`: first among the attributes with conditions in the workload, then among the
others. If no cut does, an attribute is cut at its median, by a rule: smaller classes can improve what a single cut
cannot. (Cuts with smaller gains peel small parts off large classes.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.methods.mondrian import kernels
from workbench.methods.mondrian.splits import Allowed, AmongAxes, Nodes, Preferred, Split, classes_of, split_nodes
from workbench.models.classes import Classes
from workbench.queries.exact import pack, unpack
from workbench.queries.kernels import words
from workbench.queries.workload import Workload

# A workload as arrays for `kernels`: what its queries ask about the cells that Mondrian cuts.
#
# Every query is treated as a count of records that satisfy its conditions, and every record counts once. If there are
# more than `LOOKED_AT` queries, or the attributes have very many values, an even sample of the queries is used.
# Conditions on unpublished columns are ignored.

LOOKED_AT = 1_000  # maximum number of queries
ROOM = 2**25  # maximum size of their arrays: queries x values of all attributes

Met = Mapping[str, np.ndarray]  # by column, which of its codes satisfy each query's condition: queries x codes


class WorkloadArrays(NamedTuple):
    """`often` is the share of the queries that have a condition on each quasi-identifier."""

    often: np.ndarray
    arrays: tuple[np.ndarray, ...]


def workload_arrays(table: Table, cells: Cells, workload: Workload, exact: bool) -> WorkloadArrays:
    """Return the arrays for cells with quasi-identifiers published in regions, or if `exact` unchanged."""
    queries = _looked_at(workload, sum(table.columns[name].size for name in table.quasi))
    codes = {**dict(zip(table.quasi, cells.quasi, strict=True)), **cells.others}
    met = {name: _met(table, workload, name, queries) for name in codes if name in workload.columns}
    # columns that are published as counts per class, not per record
    counted = {name: rows for name, rows in met.items() if name in (table.sensitive if exact else cells.others)}
    per_record = {name: rows for name, rows in met.items() if name not in counted}
    whole, count = _bits(met, codes, len(queries)), len(queries)
    known = _bits(per_record, codes, count) if exact else np.empty((len(cells), 0), np.uint64)
    kind, kept = _kinds(counted, codes, count)
    scales = _scales([table.columns[name] for name in table.quasi], met, count)
    truth = kernels.counts(whole, cells.weight, count)
    often = np.array([(~met[name].all(axis=1)).mean() if name in met else 0.0 for name in table.quasi])
    return WorkloadArrays(often, (whole, known, kind, kept, *scales, 1 / np.maximum(truth, 1.0)))


def _looked_at(workload: Workload, values: int) -> np.ndarray:
    """Return the queries that are used."""
    most = max(min(LOOKED_AT, ROOM // max(values, 1), len(workload)), 1)
    return np.linspace(0, len(workload) - 1, most).round().astype(np.int64)


def _met(table: Table, workload: Workload, name: str, queries: np.ndarray) -> np.ndarray:
    """Return which codes of a column satisfy each query's condition on it, at the level that models use.

    A group of sensitive values satisfies a condition if most of its records do.
    """
    column = table.columns[name]
    at = workload.conditions.at[queries, workload.columns.index(name)]
    met = np.ones((len(queries), column.size), bool)
    begins = at[at >= 0]
    met[at >= 0] = unpack(workload.conditions.bits[begins[:, None] + np.arange(words(column.size))], column.size)
    if not table.levels.get(name, 0):
        return met
    first = np.flatnonzero(np.diff(column.node(table.levels[name] - 1), prepend=-1))
    inside = np.add.reduceat(met * column.totals, first, axis=1)
    return inside * 2 > np.add.reduceat(column.totals, first)


def _bits(met: Met, codes: Mapping[str, np.ndarray], queries: int) -> np.ndarray:
    """Return a bit for each query whose conditions a cell satisfies, cells x words."""
    cells = len(next(iter(codes.values())))
    found = np.repeat(pack(np.ones((1, queries), bool)), cells, axis=0)
    for name, rows in met.items():
        found &= pack(rows.T)[codes[name]]
    return found


def _kinds(met: Met, codes: Mapping[str, np.ndarray], queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct combinations of codes; return the index of each cell's combination, and the queries of each
    combination."""
    if not met:
        return np.zeros(len(next(iter(codes.values()))), np.int32), np.ones((1, queries), np.uint8)
    first, kind = distinct_rows(np.stack([codes[name] for name in met], axis=1))
    alike = {name: codes[name][first] for name in met}
    return kind.astype(np.int32), unpack(_bits(met, alike, queries), queries).astype(np.uint8)


def _scales(columns: list[Column], met: Met, queries: int) -> tuple[np.ndarray, ...]:
    """Return for each axis the offset of its codes, the ends of each code on a scale, and running totals of the scale.

    The totals before each place are the length of the axis, and the length that satisfies each query's condition
    (places x queries). The gap between two codes satisfies a condition if both of them do.
    """
    begins, ends, places, inside, rows = [], [], [], [], 0
    for column in columns:
        place = np.unique(column.edges)
        begin, end = (np.searchsorted(place, edge) for edge in column.edges)
        part = (
            np.searchsorted(begin, np.arange(len(place) - 1), side="right") - 1
        )  # the code at each place, or the last one before it
        between = np.arange(len(place) - 1) >= end[part]
        covered = np.ones((queries, len(part)), bool)
        if column.name in met:
            covered = met[column.name][:, part]
            covered &= np.where(between, met[column.name][:, np.minimum(part + 1, column.size - 1)], True)
        before = np.zeros((len(place), queries))
        np.cumsum((covered * np.diff(place)).T, axis=0, out=before[1:])
        begins.append(begin + rows)
        ends.append(end + rows)
        places.append(np.append(0, np.cumsum(np.diff(place))))
        inside.append(before)
        rows += len(place)
    first = np.cumsum([0, *(column.size for column in columns)])[:-1]
    return first, *(np.concatenate(parts) for parts in (begins, ends, places, inside))


MOST = 32  # equal shares of a class's records, around which attributes with many values are cut
AT_ONCE = 200_000  # cells of classes examined between two checks for cancellation
DIGITS = 9  # relative errors are rounded to this, so that rounding does not decide
NOTHING = 1e-9


def first_minimum(wrong: Sequence[float]) -> int:
    """Return the position of the smallest error, the first one among ties."""
    chosen = 0
    for i in range(1, len(wrong)):
        if wrong[i] < wrong[chosen] * (1 - NOTHING) - NOTHING:
            chosen = i
    return chosen


class Cuts(Protocol):
    """Proposes several cuts of each node on some axes, with the error of the parts relative to that of the node."""

    inner: AmongAxes
    workload: WorkloadArrays

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]: ...


class LeastError:
    """The allowed cut of each node that serves the workload best, if it is worth it, otherwise that of `rest`."""

    def __init__(self, cuts: Cuts, rest: Preferred, worth: float) -> None:
        self.cuts, self.workload, self.rest, self.worth, self.cells = cuts, cuts.workload, rest, worth, rest.cells

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish."""
        return self.rest.shown(low, high)

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cuts that serve the workload, and the rule's cuts of the other nodes."""
        uncut, found = np.ones(len(nodes.start), bool), Split.none()
        for axes in (self.workload.often > 0, self.workload.often == 0):
            for some in _in_turn(nodes, np.flatnonzero(uncut)) if axes.any() else ():
                checkpoint()
                found += self._best(nodes, *self.cuts.proposed(nodes, some, axes, floor), allowed)
            uncut[found.node] = False
        return found + self.rest.split_some(nodes, np.flatnonzero(uncut), allowed, floor)

    def error(self, group: np.ndarray) -> float:
        """Return the error of the answers of a whole partition; errors of its classes may cancel out."""
        order = np.argsort(group, kind="stable").astype(np.int32)[(group < 0).sum() :]
        end = np.cumsum(np.bincount(group[order]))
        low, high = cell_kernels.ranges(group[order], order, self.cells.quasi, len(end))
        return kernels.error_of_all(
            order, np.append(0, end[:-1]), end, self.cells.weight, *self.shown(low, high), self.workload.arrays
        )

    def _best(self, nodes: Nodes, split: Split, wrong: np.ndarray, allowed: Allowed) -> Split:
        """Return the best allowed cut of each node among those that are worth it."""
        wrong = np.round(wrong, DIGITS)
        rank = np.lexsort((wrong, split.node))
        rank = rank[wrong[rank] <= 1 - self.worth]
        found = Split.none()
        while len(rank):
            first = np.flatnonzero(np.diff(split.node[rank], prepend=-1))
            chosen = np.zeros(len(wrong), bool)
            chosen[rank[first]] = True
            tried = split.only(chosen)
            parts = self.cuts.inner.parts(nodes, tried)
            ok = np.logical_and.reduceat(allowed(parts), tried.first[:-1] + np.arange(len(tried.node)))
            found += tried.only(ok)
            rank = np.delete(rank, first)
            rank = rank[~np.isin(split.node[rank], tried.node[ok])]
        return found


class RegionCuts:
    """Cuts of the code order; for attributes with many values, those around equal shares of the records."""

    def __init__(self, inner: AmongAxes, workload: WorkloadArrays) -> None:
        self.inner, self.workload = inner, workload

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Return the cuts that leave both sides `floor` records."""
        cells = self.inner.cells
        before, node, axis, cut, below, after = kernels.cuts(
            pending, nodes.order, nodes.start, nodes.end, cells.quasi, cells.weight, nodes.sizes, axes, floor, MOST,
            self.workload.arrays,
        )  # fmt: skip
        sizes = np.stack([below, nodes.sizes[node] - below], axis=1).reshape(-1)
        split = Split(node, axis, cut, np.arange(len(node) + 1), np.full(len(node), -1, np.int64), sizes)
        return split, after / before[np.searchsorted(pending, node)]


class ChildCuts:
    """Cuts into the children of one node of a hierarchy, on each attribute."""

    def __init__(self, inner: AmongAxes, workload: WorkloadArrays) -> None:
        self.inner, self.workload = inner, workload

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Return the children on each axis on which all of them have `floor` records."""
        before = np.zeros(len(nodes.start))
        before[pending] = self._errors(nodes.only(pending))
        found, wrong = Split.none(), [np.zeros(0)]
        for a in np.flatnonzero(axes):
            tried = np.broadcast_to(np.arange(len(axes)) != a, nodes.low.shape).copy()
            split = self.inner.among(nodes, pending[before[pending] > NOTHING], tried, _anything, floor)
            parts = split_nodes(replace(nodes, order=nodes.order.copy()), split, self.inner.cells)
            owner = np.repeat(np.arange(len(split.node)), np.diff(split.first) + 1)
            wrong.append(np.bincount(owner, self._errors(parts), len(split.node)) / before[split.node])
            found += split
        return found, np.concatenate(wrong)

    def _errors(self, nodes: Nodes) -> np.ndarray:
        """Return the error of the answers of each node, if it publishes its nodes of the hierarchies."""
        if not len(nodes.start):
            return np.zeros(0)
        classes = classes_of(nodes, self.inner.cells, {})
        low, high = self.inner.shown(classes.low, classes.high)  # type: ignore[arg-type]
        return kernels.errors(
            nodes.order, nodes.start, nodes.end, self.inner.cells.weight, low, high, self.workload.arrays
        )


def _in_turn(nodes: Nodes, pending: np.ndarray) -> Iterator[np.ndarray]:
    """Yield nodes in batches with a limited number of cells."""
    blocks = np.cumsum(nodes.end[pending] - nodes.start[pending]) // AT_ONCE
    yield from np.split(pending, np.flatnonzero(np.diff(blocks)) + 1)


def _anything(parts: Classes) -> np.ndarray:
    return np.ones(len(parts), bool)
