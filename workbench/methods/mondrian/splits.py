"""Breadth-first splitting: propose cuts for all open classes, ask the model about all parts at once, divide.

Rules choose the attribute to cut; classes without an allowed split may be split by suppressing records.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.published import published_levels, published_runs
from workbench.data.records import positions_of_quasi
from workbench.data.sensitive import Sensitive
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.methods.mondrian import kernels
from workbench.models import Model
from workbench.models.classes import Classes

if TYPE_CHECKING:
    from workbench.methods.mondrian.levels import Levels


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
        return Nodes(self.order, *(column[wanted] for column in (
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
        """Return the splits of both."""
        first = np.append(self.first, self.first[-1] + other.first[1:])
        node, axis, cuts, _, quota, sizes = (np.concatenate(both) for both in zip(self, other, strict=True))
        return Split(node, axis, cuts, first, quota, sizes)

    @classmethod
    def none(cls) -> Split:
        """Return an empty set of splits."""
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
        suppressed = np.zeros(len(split.sizes), bool)
        if suppressing_split is not None:
            split, suppressed = suppressing_split(nodes, split)
        checkpoint()
        closed = np.ones(len(nodes.start), bool)
        closed[split.node] = False
        parts = split_nodes(nodes, split, splitter.cells)
        starts += [nodes.start[closed], parts.start[suppressed]]
        ends += [nodes.end[closed], parts.end[suppressed]]
        lost += [np.zeros(closed.sum(), bool), np.ones(suppressed.sum(), bool)]
        nodes = parts.only(~suppressed) if suppressed.any() else parts
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
    edge = positions_of_quasi(table)
    ends = np.array([table.columns[name].size - 1 for name in table.quasi])
    span = edge[np.arange(len(ends)), ends] - edge[:, 0]
    return edge, np.where(span > 0, span, 1.0) / weights_of_quasi(table)


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


# Splits that suppress records, for classes without an allowed split.
#
# The parts that violate the model are suppressed, within a limit; the cheapest splits come first. A split must pay for
# itself: suppressed records lose all their quasi-identifiers, and the other parts have to gain more than that.


@dataclass
class SuppressingSplits:
    """Called with the nodes of each round and their free splits; `left` is how many records may still be suppressed."""

    table: Table
    splitter: Splitter
    model: Model
    left: int

    def __call__(self, nodes: Nodes, free: Split) -> tuple[Split, np.ndarray]:
        """Return all splits, and which of their parts are suppressed."""
        suppressed, stuck = np.zeros(len(free.sizes), bool), np.ones(len(nodes.start), bool)
        stuck[free.node] = False
        if not self.left or not stuck.any():
            return free, suppressed
        dear, broken = self._offered(nodes, np.flatnonzero(stuck))
        return free + dear, np.append(suppressed, broken)

    def _offered(self, nodes: Nodes, stuck: np.ndarray) -> tuple[Split, np.ndarray]:
        """Return the accepted splits of nodes without a free one, and which parts violate the model."""
        holds, here = allowed_by(self.model), nodes.only(stuck)
        here = replace(here, order=nodes.order.copy())
        split = self.splitter.split(here, lambda parts: holds(parts) | (parts.sizes <= self.left), 1)
        if not len(split.node):
            return split, np.zeros(0, bool)
        parts = split_nodes(here, split, self.splitter.cells)
        classes = self._classes(parts)
        broken, owner = ~holds(classes), np.repeat(np.arange(len(split.node)), np.diff(split.first) + 1)
        width, whole_width = self._width(classes), weights_of_quasi(self.table).sum()
        cost = np.bincount(owner, np.where(broken, whole_width, width) * classes.sizes, len(split.node))
        suppressed_count = np.bincount(owner, np.where(broken, classes.sizes, 0), len(split.node))
        whole = np.bincount(owner, classes.sizes, len(split.node))
        before = self._width(classes.merged(owner)) * whole
        worth = (suppressed_count < whole) & (cost < before)
        order = np.argsort(np.where(worth, suppressed_count, np.inf), kind="stable")
        accepted = np.zeros(len(worth), bool)
        accepted[order] = (np.cumsum(suppressed_count[order]) <= self.left) & worth[order]
        self.left -= int(suppressed_count[accepted].sum())
        chosen = split.only(accepted)
        return chosen._replace(node=stuck[chosen.node]), broken[accepted[owner]]

    def _classes(self, parts: Nodes) -> Classes:
        """Return the parts as classes, with the regions that they would publish."""
        sensitive = self.table.sensitive if self.model.needs_sensitive else {}
        classes = classes_of(parts, self.splitter.cells, sensitive)
        low, high = self.splitter.shown(classes.low, classes.high)  # type: ignore[arg-type]
        population = self.table.population if self.model.needs_population else None
        levels = published_levels(self.table, len(classes))
        return replace(classes, low=low, high=high, population=population, levels=levels)

    def _width(self, classes: Classes) -> np.ndarray:
        """Return the sum over axes of the share that a class spans."""
        assert classes.low is not None and classes.high is not None
        at = positions_of_quasi(self.table)
        ends = at[np.arange(len(at)), [self.table.columns[name].size - 1 for name in self.table.quasi]]
        axes = np.arange(len(at))
        widths = (at[axes, classes.high] - at[axes, classes.low]) / np.where(ends > 0, ends, 1)
        return widths @ weights_of_quasi(self.table)


# Rules other than width that choose the attribute to cut in a class (Srivastava & Weis 2005).
#
# A rule ranks the attributes of each class. The first rank is cut; if the model allows none of its cuts, the next one
# is tried. Among attributes of equal rank the widest comes first. The position of a cut does not depend on the rule.

Rule = Callable[[Nodes], np.ndarray]  # the rank of each axis in each class, classes x axes, 0 first


class Preferred:
    """The cuts of another splitter, on the attributes that a rule prefers."""

    def __init__(self, inner: AmongAxes, rule: Rule) -> None:
        self.cells, self.inner, self.rule = inner.cells, inner, rule

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cut of each node that has one."""
        return self.split_some(nodes, np.arange(len(nodes.start)), allowed, floor)

    def split_some(self, nodes: Nodes, wanted: np.ndarray, allowed: Allowed, floor: int) -> Split:
        """Try rank after rank, until each wanted node has a cut or no attribute left."""
        rank, found, uncut = self.rule(nodes), Split.none(), np.zeros(len(nodes.start), bool)
        uncut[wanted] = True
        for one in range(int(rank.max()) + 1):
            pending = np.flatnonzero(uncut & (rank == one).any(axis=1))
            found += self.inner.among(nodes, pending, rank != one, allowed, floor)
            uncut[found.node] = False
        return found

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish."""
        return self.inner.shown(low, high)


def in_order(table: Table, names: Sequence[str]) -> Rule:
    """Return the rule that prefers the named attributes in this order, then all others."""
    rank = np.array([names.index(name) if name in names else len(names) for name in table.quasi])
    return lambda nodes: np.broadcast_to(rank, nodes.low.shape)


def workload_first(often: np.ndarray) -> Rule:
    """Return the rule that prefers attributes with conditions in a workload."""
    return lambda nodes: np.broadcast_to(np.where(often > 0, 0, 1), nodes.low.shape)


def by_repetition(table: Table, cells: Cells, levels: Levels | None, most: bool) -> Rule:
    """Return the rule that prefers the attribute with most (or fewest) records per value, times its importance.

    With levels, a value is a node of the lowest level allowed.
    """
    values = cells.quasi
    if levels:
        values = np.stack([nodes[0][codes] for nodes, codes in zip(levels.nodes, cells.quasi, strict=True)])
    sizes, weights = max(table.columns[name].size for name in table.quasi), weights_of_quasi(table)

    def rule(nodes: Nodes) -> np.ndarray:
        distinct = kernels.distinct(nodes.order, nodes.start, nodes.end, values, sizes)
        wanted = weights / distinct if most else weights * distinct
        return (wanted[:, None, :] > wanted[:, :, None]).sum(axis=2)

    return rule
