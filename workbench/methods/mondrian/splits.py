"""Breadth-first splitting: propose cuts for all open classes, ask the model about all parts at once, divide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.published_runs import published_levels, published_runs
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes

LARGEST_BLOCK = 2**22  # histogram entries in memory at a time

Allowed = Callable[[Classes], np.ndarray]
Shown = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Proposed = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # node, axis, cut, quota, sizes of halves


@dataclass(frozen=True, eq=False)
class Nodes:
    """Open classes with entries order[start:end]; `low` and `high` bound their codes, tightly where `exact`."""

    order: np.ndarray
    start: np.ndarray
    end: np.ndarray
    sizes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray

    @classmethod
    def root(cls, table: Table, cells: Cells) -> Nodes:
        """Return all cells as one class."""
        return cls.between(np.array([[table.columns[name].size - 1 for name in table.quasi]], dtype=np.int32), cells)

    @classmethod
    def between(cls, high: np.ndarray, cells: Cells) -> Nodes:
        """Return cells with codes up to `high` as one class; `high` is tightened in place."""
        order, ends = np.arange(len(cells), dtype=np.int32), np.array([len(cells)])
        sizes = np.array([int(cells.weight.sum())])
        return cls(order, np.zeros(1, np.int64), ends, sizes, np.zeros_like(high), high, np.zeros(high.shape, bool))

    def only(self, wanted: np.ndarray) -> Nodes:
        """Return some of the nodes, over the same order."""
        return Nodes(self.order, *(of[wanted] for of in (
            self.start, self.end, self.sizes, self.low, self.high, self.exact
        )))  # fmt: skip


class Split(NamedTuple):
    """The cuts of nodes: `node[i]` is cut on `axis[i]` at cuts[first[i]:first[i + 1]]."""

    node: np.ndarray
    axis: np.ndarray
    cuts: np.ndarray
    first: np.ndarray
    quota: np.ndarray
    sizes: np.ndarray  # records of each part, node after node

    def only(self, wanted: np.ndarray) -> Split:
        """Return some of the splits."""
        parts = np.diff(self.first)[wanted]
        cuts = np.repeat(wanted, np.diff(self.first))
        sizes = np.repeat(wanted, np.diff(self.first) + 1)
        return Split(
            self.node[wanted], self.axis[wanted], self.cuts[cuts], np.append(0, np.cumsum(parts)),
            self.quota[wanted], self.sizes[sizes],
        )  # fmt: skip

    def __add__(self, other: Split) -> Split:  # type: ignore[override]
        """These splits, and those."""
        first = np.append(self.first, self.first[-1] + other.first[1:])
        node, axis, cuts, _, quota, sizes = (np.concatenate(both) for both in zip(self, other, strict=True))
        return Split(node, axis, cuts, first, quota, sizes)

    @classmethod
    def none(cls) -> Split:
        """No cut at all."""
        whole, short = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(whole, short, short, np.zeros(1, np.int64), whole, whole)


class Splitter(Protocol):
    """Chooses the split of each node, among those whose parts are all allowed and have `floor` records."""

    cells: Cells

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split: ...

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish, classes x axes."""
        ...


SuppressingSplit = Callable[[Nodes, Split], tuple[Split, np.ndarray]]


def grow(
    nodes: Nodes, splitter: Splitter, model: Model | None, suppressing_split: SuppressingSplit | None = None
) -> np.ndarray:
    """Split until no split is allowed, and return the class of each entry, numbered from left to right.

    `dearer` adds splits that suppress records, and returns which parts are suppressed: their class is -1.
    """
    starts, ends, lost = [], [], []
    while len(nodes.start):
        split = splitter.split(nodes, allowed_by(model), model.min_class_size if model else 1)
        gone = np.zeros(len(split.sizes), bool)
        if suppressing_split is not None:
            split, gone = suppressing_split(nodes, split)
        checkpoint()
        closed = np.ones(len(nodes.start), bool)
        closed[split.node] = False
        parts = split_nodes(nodes, split, splitter.cells)
        starts += [nodes.start[closed], parts.start[gone]]
        ends += [nodes.end[closed], parts.end[gone]]
        lost += [np.zeros(closed.sum(), bool), np.ones(gone.sum(), bool)]
        nodes = parts.only(~gone) if gone.any() else parts
    start, end, left_out = np.concatenate(starts), np.concatenate(ends), np.concatenate(lost)
    left_to_right = np.argsort(start)
    kept = ~left_out[left_to_right]
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    group = np.empty(len(nodes.order), np.int32)
    group[nodes.order] = np.repeat(number, (end - start)[left_to_right])
    return group


def allowed_by(model: Model | None) -> Allowed:
    """Return the function that decides which parts the model allows."""
    return model.holds if model else lambda parts: np.ones(len(parts), bool)


def split_nodes(nodes: Nodes, split: Split, cells: Cells) -> Nodes:
    """Return the parts of the nodes that are cut."""
    begins = cell_kernels.divide(split.node, nodes.order, nodes.start, nodes.end, cells.quasi, *split[1:5])
    bounds = cell_kernels.bounds(split.node, nodes.low, nodes.high, nodes.exact, *split[1:5])
    ends = np.append(begins[1:], 0)
    ends[split.first[1:] + np.arange(len(split.node))] = nodes.end[split.node]  # the last part of each
    return Nodes(nodes.order, begins, ends, split.sizes, *bounds)


def classes_of(nodes: Nodes, cells: Cells, sensitive: dict[str, Sensitive]) -> Classes:
    """Return nodes as classes: sizes, tight runs, histograms."""
    count = len(nodes.start)
    entries = np.concatenate([nodes.order[a:b] for a, b in zip(nodes.start, nodes.end, strict=True)])
    group = np.repeat(np.arange(count, dtype=np.int32), nodes.end - nodes.start)
    low, high = cell_kernels.ranges(group, entries, cells.quasi, count)
    weight = cells.weight[entries]
    histograms = {
        name: cell_kernels.histogram(group, cells.others[name][entries], weight, count, len(seen))
        for name, seen in sensitive.items()
    }
    return Classes(nodes.sizes, histograms, sensitive, low, high)


def spans(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of each code of each quasi-identifier, and the whole width divided by the importance."""
    edge = table.positions
    ends = np.array([table.columns[name].size - 1 for name in table.quasi])
    span = edge[np.arange(len(ends)), ends] - edge[:, 0]
    return edge, np.where(span > 0, span, 1.0) / table.weights_of_quasi


class AmongAxes(Splitter, Protocol):
    """A splitter that can be restricted to some axes."""

    def among(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, allowed: Allowed, floor: int) -> Split: ...

    def parts(self, nodes: Nodes, split: Split) -> Classes:
        """Return the parts of splits as models see them."""
        ...


def unchanged(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return runs unchanged."""
    return low, high


class Widest:
    """The median cut of the attribute with the widest normalized range; if it is not allowed, of the next widest."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, strict: bool, even: bool = False) -> None:
        self.cells, self.strict, self.even = cells, strict, even
        self.sensitive = table.sensitive if model and model.needs_sensitive else {}
        self.population = table.population if model and model.needs_population else None
        self.shown: Shown = partial(published_runs, table)
        self.node_levels = published_levels(table, 1)
        self.edge, self.span = spans(table)
        self.block = max(1, LARGEST_BLOCK // max((len(seen) for seen in self.sensitive.values()), default=1))

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cut of each node that has one."""
        return self.among(nodes, np.arange(len(nodes.start)), np.zeros(nodes.low.shape, bool), allowed, floor)

    def among(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, allowed: Allowed, floor: int) -> Split:
        """Propose cuts in rounds, until each pending node has one or no untried attribute left."""
        found = []
        while len(pending):
            refused = []
            for first in range(0, len(pending), self.block):
                checkpoint()
                proposed = self.proposed(nodes, pending[first : first + self.block], tried, floor)
                ok = allowed(self._parts(nodes, *proposed)).reshape(-1, 2).all(axis=1)
                found.append([array[ok] for array in proposed])
                node, axis = (array[~ok] for array in proposed[:2])
                tried[node, axis] = True
                refused.append(node)
            pending = np.concatenate(refused)
        if not found:
            return Split.none()
        node, axis, cut, quota, sizes = (np.concatenate(column) for column in zip(*found, strict=True))
        return Split(node, axis, cut, np.arange(len(node) + 1), quota, sizes.reshape(-1))

    def proposed(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, floor: int) -> Proposed:
        """Return the median cut of each pending node on its widest untried attribute."""
        return cell_kernels.propose(
            pending, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight, self.edge, self.span,
            nodes.sizes, nodes.low, nodes.high, nodes.exact, tried, self.strict, self.even, floor,
        )  # fmt: skip

    def parts(self, nodes: Nodes, split: Split) -> Classes:
        """Return the two halves of each split as classes."""
        return self._parts(nodes, split.node, split.axis, split.cuts, split.quota, split.sizes)

    def _parts(
        self, nodes: Nodes, node: np.ndarray, axis: np.ndarray, cut: np.ndarray, quota: np.ndarray, sizes: np.ndarray
    ) -> Classes:
        histograms = {
            name: cell_kernels.halves(
                node, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(seen), axis, cut, quota,
            )
            for name, seen in self.sensitive.items()
        }  # fmt: skip
        if self.population is None:
            return Classes(sizes.reshape(-1), histograms, self.sensitive)
        low, high = cell_kernels.half_ranges(
            node, nodes.order, nodes.start, nodes.end, self.cells.quasi, axis, cut, quota
        )
        return Classes(
            sizes.reshape(-1), histograms, self.sensitive, *self.shown(low, high), population=self.population,
            levels=np.tile(self.node_levels, (2 * len(node), 1)),
        )  # fmt: skip
