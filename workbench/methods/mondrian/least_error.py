"""Cuts that serve a workload: after them the answers to its queries are least wrong.

How wrong a class is: the sum over the queries of how far the count that is expected of the class is from the true one,
each relative to the query's answer in the whole table. The cut after which its parts are least wrong is made, if they
are less wrong by a share (`worth`) at least: first among the attributes that the workload asks about, then among the
others. Where no cut is worth it, an attribute is cut at its median, by a rule: what a single cut cannot mend, smaller
classes can. (Cuts that gain less peel small parts off large classes.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from workbench.base import cell_kernels, query_cut_kernels
from workbench.base.progress import step
from workbench.methods.mondrian.asked import Asked
from workbench.methods.mondrian.heuristics import Preferred
from workbench.methods.mondrian.splits import Allowed, AmongAxes, Nodes, Split, classes_of, split_nodes
from workbench.models.classes import Classes

MOST = 32  # shares of the records of a class that cuts of an attribute with many values lie around
AT_ONCE = 200_000  # cells of classes that are looked at, between two looks at who waits for it
DIGITS = 9  # parts whose errors are closer than this, relative to that of the class, are as wrong
NOTHING = 1e-9


def least(wrong: Sequence[float]) -> int:
    """Which of several is least wrong, the first of those that are as wrong."""
    chosen = 0
    for i in range(1, len(wrong)):
        if wrong[i] < wrong[chosen] * (1 - NOTHING) - NOTHING:
            chosen = i
    return chosen


class Cuts(Protocol):
    """Proposes cuts on some axes, several for each node, and says how wrong their parts are beside the node."""

    inner: AmongAxes
    asked: Asked

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]: ...


class LeastError:
    """The allowed cut of each node that serves the workload best, if it is worth it; else that of `rest`."""

    def __init__(self, cuts: Cuts, rest: Preferred, worth: float) -> None:
        self.cuts, self.asked, self.rest, self.worth, self.cells = cuts, cuts.asked, rest, worth, rest.cells

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What classes show that hold these runs of codes."""
        return self.rest.shown(low, high)

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """What serves the workload, and the cuts of the nodes that have no such."""
        uncut, found = np.ones(len(nodes.start), bool), Split.none()
        for axes in (self.asked.often > 0, self.asked.often == 0):
            for some in _in_turn(nodes, np.flatnonzero(uncut)) if axes.any() else ():
                step()
                found += self._best(nodes, *self.cuts.proposed(nodes, some, axes, floor), allowed)
            uncut[found.node] = False
        return found + self.rest.of(nodes, np.flatnonzero(uncut), allowed, floor)

    def wrong(self, group: np.ndarray) -> float:
        """How wrong the answers of a whole partition are: errors of its classes may cancel each other."""
        order = np.argsort(group, kind="stable").astype(np.int32)[(group < 0).sum() :]
        end = np.cumsum(np.bincount(group[order]))
        low, high = cell_kernels.ranges(group[order], order, self.cells.quasi, len(end))
        return query_cut_kernels.error_of_all(
            order, np.append(0, end[:-1]), end, self.cells.weight, *self.shown(low, high), self.asked.arrays
        )

    def _best(self, nodes: Nodes, split: Split, wrong: np.ndarray, allowed: Allowed) -> Split:
        """Of the cuts of each node that are worth it, the best that is allowed."""
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
    """Cuts of the code order, those of an attribute with many values around equal shares of the records."""

    def __init__(self, inner: AmongAxes, asked: Asked) -> None:
        self.inner, self.asked = inner, asked

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Cuts that leave both sides `floor` records."""
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

    def __init__(self, inner: AmongAxes, asked: Asked) -> None:
        self.inner, self.asked = inner, asked

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """The children on each axis, where each has `floor` records."""
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
        """How wrong the answers of each node are that shows its nodes of the hierarchies."""
        if not len(nodes.start):
            return np.zeros(0)
        classes = classes_of(nodes, self.inner.cells, {})
        low, high = self.inner.shown(classes.low, classes.high)  # type: ignore[arg-type]
        return query_cut_kernels.errors(
            nodes.order, nodes.start, nodes.end, self.inner.cells.weight, low, high, self.asked.arrays
        )


def _in_turn(nodes: Nodes, pending: np.ndarray) -> Iterator[np.ndarray]:
    """Nodes in turn, so many that they do not have many cells."""
    blocks = np.cumsum(nodes.end[pending] - nodes.start[pending]) // AT_ONCE
    yield from np.split(pending, np.flatnonzero(np.diff(blocks)) + 1)


def _anything(parts: Classes) -> np.ndarray:
    return np.ones(len(parts), bool)
