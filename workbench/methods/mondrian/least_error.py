"""Cuts that serve a workload: they minimize the error of the answers to its queries.

The error of a class is the sum over the queries of the distance between the expected and the true count of the class,
relative to the query's answer on the whole table. The cut with the smallest error is made if it reduces the error of
the class by a share of at least `worth`: first among the attributes with conditions in the workload, then among the
others. If no cut does, an attribute is cut at its median, by a rule: smaller classes can improve what a single cut
cannot. (Cuts with smaller gains peel small parts off large classes.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.methods.mondrian import query_cut_kernels
from workbench.methods.mondrian.heuristics import Preferred
from workbench.methods.mondrian.splits import Allowed, AmongAxes, Nodes, Split, classes_of, split_nodes
from workbench.methods.mondrian.workload_arrays import WorkloadArrays
from workbench.models.classes import Classes

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
    asked: WorkloadArrays

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]: ...


class LeastError:
    """The allowed cut of each node that serves the workload best, if it is worth it, otherwise that of `rest`."""

    def __init__(self, cuts: Cuts, rest: Preferred, worth: float) -> None:
        self.cuts, self.asked, self.rest, self.worth, self.cells = cuts, cuts.asked, rest, worth, rest.cells

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish."""
        return self.rest.shown(low, high)

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cuts that serve the workload, and the rule's cuts of the other nodes."""
        uncut, found = np.ones(len(nodes.start), bool), Split.none()
        for axes in (self.asked.often > 0, self.asked.often == 0):
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
        return query_cut_kernels.error_of_all(
            order, np.append(0, end[:-1]), end, self.cells.weight, *self.shown(low, high), self.asked.arrays
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

    def __init__(self, inner: AmongAxes, asked: WorkloadArrays) -> None:
        self.inner, self.asked = inner, asked

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Return the cuts that leave both sides `floor` records."""
        cells = self.inner.cells
        before, node, axis, cut, below, after = query_cut_kernels.cuts(
            pending, nodes.order, nodes.start, nodes.end, cells.quasi, cells.weight, nodes.sizes, axes, floor, MOST,
            self.asked.arrays,
        )  # fmt: skip
        sizes = np.stack([below, nodes.sizes[node] - below], axis=1).reshape(-1)
        split = Split(node, axis, cut, np.arange(len(node) + 1), np.full(len(node), -1, np.int64), sizes)
        return split, after / before[np.searchsorted(pending, node)]


class ChildCuts:
    """Cuts into the children of one node of a hierarchy, on each attribute."""

    def __init__(self, inner: AmongAxes, asked: WorkloadArrays) -> None:
        self.inner, self.asked = inner, asked

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
        return query_cut_kernels.errors(
            nodes.order, nodes.start, nodes.end, self.inner.cells.weight, low, high, self.asked.arrays
        )


def _in_turn(nodes: Nodes, pending: np.ndarray) -> Iterator[np.ndarray]:
    """Yield nodes in batches with a limited number of cells."""
    blocks = np.cumsum(nodes.end[pending] - nodes.start[pending]) // AT_ONCE
    yield from np.split(pending, np.flatnonzero(np.diff(blocks)) + 1)


def _anything(parts: Classes) -> np.ndarray:
    return np.ones(len(parts), bool)
