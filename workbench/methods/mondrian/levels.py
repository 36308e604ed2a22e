"""Mondrian on levels: a class is a node of each column's hierarchy, and cuts split it into the children of one node.

A class begins at the highest level allowed, and is published as the lowest node that contains all its records. A cut
makes all children with records at once, and is allowed if all of them are. Cuts follow one path of levels: from the
highest allowed level down, each next level nests in the one before; a level that does not nest is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.records import positions_of_quasi
from workbench.data.settings import level_range, weights_of_quasi
from workbench.data.table import Table
from workbench.methods.mondrian import kernels
from workbench.methods.mondrian.information_gain import Candidate, InformationGainSplitter, Slots, many_way
from workbench.methods.mondrian.splits import (
    LARGEST_BLOCK,
    Allowed,
    AmongAxes,
    Nodes,
    Proposed,
    Split,
    Widest,
    classes_of,
    split_nodes,
)
from workbench.methods.mondrian.workload_cuts import ChildCuts, RegionCuts, WorkloadArrays
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass(frozen=True, eq=False)
class Levels:
    """The node of each code on the levels that cuts may reach, by quasi-identifier, the lowest level first."""

    table: Table
    nodes: tuple[tuple[np.ndarray, ...], ...]

    @classmethod
    def from_table(cls, table: Table, exact: bool = False) -> Levels:
        """Return the levels of a table; raise BadInput if `exact` values of a quasi-identifier are not allowed."""
        coarse = [name for name in table.quasi if level_range(table, name)[0] > 0] if exact else []
        if coarse:
            raise BadInput(
                f"publish = bucketized publishes quasi-identifiers unchanged, but the lowest level allowed for "
                f"{coarse[0]!r} is {level_range(table, coarse[0])[0]}; allow level 0, or use publish = generalized"
            )
        return cls(table, tuple(path(table, name) for name in table.quasi))

    @classmethod
    def per_column(cls, table: Table) -> Levels:
        """Return the levels of columns that publish nodes; other columns have their values and the root."""

        def levels(name: str) -> tuple[np.ndarray, ...]:
            column = table.columns[name]
            return path(table, name) if column.shows_nodes else (column.released_at[0], np.zeros(column.size, np.int64))

        return cls(table, tuple(map(levels, table.quasi)))

    @cached_property
    def depth(self) -> np.ndarray:
        """The number of levels of each axis."""
        return np.array([len(levels) for levels in self.nodes])

    @cached_property
    def place(self) -> np.ndarray:
        """The offset of each level in the flat arrays, axes x levels."""
        found, here = np.zeros((len(self.nodes), self.depth.max()), np.int64), 0
        for a, levels in enumerate(self.nodes):
            for j, node in enumerate(levels):
                found[a, j], here = here, here + len(node)
        return found

    @cached_property
    def node_of_code(self) -> np.ndarray:
        """The node of each code, flat."""
        return np.concatenate([node for levels in self.nodes for node in levels]).astype(np.int32)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last code of each code's node, flat."""
        every = [node for levels in self.nodes for node in levels]
        first = [np.searchsorted(node, node) for node in every]
        last = [np.searchsorted(node, node, side="right") - 1 for node in every]
        return np.concatenate(first).astype(np.int32), np.concatenate(last).astype(np.int32)

    @cached_property
    def width(self) -> np.ndarray:
        """The width of each code's node as a share of its axis, flat."""
        first, last = self.bounds
        sizes = [len(levels[0]) for levels in self.nodes]
        axis = np.repeat(np.arange(len(sizes)), np.array(sizes) * self.depth)
        positions = positions_of_quasi(self.table)
        spans = np.array([positions[a, size - 1] - positions[a, 0] for a, size in enumerate(sizes)])
        share = (positions[axis, last] - positions[axis, first]) / np.where(spans > 0, spans, 1.0)[axis]
        return share * weights_of_quasi(self.table)[axis]

    def enclosing(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and last codes of the lowest nodes that contain runs of codes, classes x axes."""
        level = kernels.enclosing(low, high, self.node_of_code, self.place, self.depth)
        first, last = self.bounds
        flat = self.place[np.arange(len(self.nodes)), np.minimum(level, self.depth - 1)] + low
        return first[flat], last[flat]

    def children(self, a: int, slots: Slots) -> np.ndarray:
        """Return the child of each slot, under the lowest node that contains the slots of its class."""
        ends = np.append(slots.first[1:], len(slots.node)) - 1
        low, high = slots.code[slots.first], slots.code[ends]
        found, above = self.nodes[a][0][slots.code], np.zeros(len(slots.first), np.int64)
        for j, node in enumerate(self.nodes[a][:-1]):
            above[node[low] != node[high]] = j
        for j, node in enumerate(self.nodes[a]):
            here = (above == j)[slots.node]
            found[here] = node[slots.code[here]]
        return found

    def begin(self, nodes: Nodes, cells: Cells, model: Model | None) -> Nodes:
        """Return the classes on the highest levels allowed; raise Unsatisfiable if they violate the model."""
        for a, levels in enumerate(self.nodes):
            if levels[-1].any():  # otherwise everything is one node
                nodes = split_nodes(nodes, _split_by_nodes(nodes, a, levels[-1], cells), cells)
        if model is not None:
            self._refuse(nodes, cells, model)
        return nodes

    def _refuse(self, nodes: Nodes, cells: Cells, model: Model) -> None:
        """Raise Unsatisfiable if classes on the highest levels allowed violate a monotone model."""
        forced = [name for name, levels in zip(self.table.quasi, self.nodes, strict=True) if levels[-1].any()]
        if not forced or not model.monotone:
            return
        classes = classes_of(nodes, cells, self.table.sensitive if model.needs_sensitive else {})
        broken = int((~model.holds(classes)).sum())
        if broken:
            raise Unsatisfiable(
                f"mondrian on levels cannot satisfy {model}: on the highest levels allowed ({', '.join(forced)}), it "
                f"is violated by {broken:,} of {len(classes):,} classes; allow higher levels, or suppress records"
            )

    def shown(self, cells: Cells, group: np.ndarray) -> dict[str, Any]:
        """Return the arguments by which a partition knows what its groups publish."""
        kept = np.flatnonzero(group >= 0).astype(np.int32)
        tight = cell_kernels.ranges(group[kept], kept, cells.quasi, int(group.max()) + 1)
        lowest = {name: level_range(self.table, name)[0] for name in self.table.quasi}
        return {"runs": np.stack(self.enclosing(*tight), axis=2), "label_levels": lowest}


def _split_by_nodes(nodes: Nodes, a: int, node: np.ndarray, cells: Cells) -> Split:
    """Return the split of each class into the nodes of an axis on one level."""
    count = len(nodes.start)
    entries = np.concatenate([nodes.order[start:end] for start, end in zip(nodes.start, nodes.end, strict=True)])
    owner, codes = np.repeat(np.arange(count), nodes.end - nodes.start), cells.quasi[a][entries]
    key, part = np.unique(owner * (int(node.max()) + 1) + node[codes], return_inverse=True)
    last = np.zeros(len(key), np.int32)
    np.maximum.at(last, part, codes)
    part_of_key = key // (int(node.max()) + 1)
    return Split(
        node=np.arange(count),
        axis=np.full(count, a, np.int32),
        cuts=last[np.append(part_of_key[1:] == part_of_key[:-1], False)],
        first=np.append(0, np.cumsum(np.bincount(part_of_key, minlength=count) - 1)),
        quota=np.full(count, -1, np.int64),
        sizes=np.bincount(part, cells.weight[entries]).astype(np.int64),
    )


def path(table: Table, name: str) -> tuple[np.ndarray, ...]:
    """Return the nodes of a column's codes on the levels that cuts follow, the lowest first."""
    low, high = level_range(table, name)
    levels = table.columns[name].released_at
    found = [levels[high]]
    for node in levels[low:high][::-1]:
        if nests(node, found[-1]):
            found.append(node)
    return tuple(found[::-1])


def nests(fine: np.ndarray, coarse: np.ndarray) -> bool:
    """Return whether each node of the fine level lies within one node of the coarse level."""
    return bool((np.diff(fine)[np.diff(coarse) != 0] != 0).all())


class WidestNode:
    """The children of the widest node; if they are not allowed, of the next widest."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, levels: Levels) -> None:
        self.cells, self.levels = cells, levels
        self.sensitive = table.sensitive if model and model.needs_sensitive else {}
        self.block = LARGEST_BLOCK // max((len(seen) for seen in self.sensitive.values()), default=1)

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish."""
        return self.levels.enclosing(low, high)

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cut of each node that has one."""
        return self.among(nodes, np.arange(len(nodes.start)), np.zeros(nodes.low.shape, bool), allowed, floor)

    def among(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, allowed: Allowed, floor: int) -> Split:
        """Propose cuts in rounds, until each pending node has one or no untried attribute left."""
        levels, found = self.levels, Split.none()
        while len(pending):
            refused = [np.zeros(0, np.int64)]
            for chunk in self._chunks(nodes, pending):
                checkpoint()
                node, axis, cuts, first, sizes = kernels.propose(
                    chunk, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight, nodes.low,
                    nodes.high, nodes.exact, tried, levels.node_of_code, levels.width, levels.place, levels.depth,
                    floor,
                )  # fmt: skip
                proposed = Split(node, axis, cuts, first, np.full(len(node), -1, np.int64), sizes)
                if not len(node):
                    continue
                ok = np.logical_and.reduceat(allowed(self.parts(nodes, proposed)), first[:-1] + np.arange(len(node)))
                found += proposed.only(ok)
                tried[node[~ok], axis[~ok]] = True
                refused.append(node[~ok])
            pending = np.concatenate(refused)
        return found

    def _chunks(self, nodes: Nodes, pending: np.ndarray) -> list[np.ndarray]:
        """Return the nodes in batches whose histograms fit into a block."""
        blocks = np.cumsum(nodes.end[pending] - nodes.start[pending]) // max(self.block, 1)
        return np.split(pending, np.flatnonzero(np.diff(blocks)) + 1)

    def parts(self, nodes: Nodes, split: Split) -> Classes:
        """Return the children of each split node as classes."""
        histograms = {
            name: kernels.part_values(
                split.node, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(seen), split.axis, split.cuts, split.first,
            )
            for name, seen in self.sensitive.items()
        }  # fmt: skip
        return Classes(split.sizes, histograms, self.sensitive)


class GainOfChildren(InformationGainSplitter):
    """The cut into the children of one node with the largest information gain."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, levels: Levels, target: str, cuts: str) -> None:
        super().__init__(table, cells, model, target, cuts)
        self.levels, self.shown = levels, levels.enclosing

    def candidates(self, a: int, slots: Slots, allowed: Allowed) -> list[Candidate]:
        """Return the split into all children at once."""
        return [many_way(slots, self.levels.children(a, slots), self.sensitive, allowed)]


# Mondrian on tables where some columns publish nodes of their hierarchies and others ranges.
#
# A column of nodes is cut in two between children of the smallest node that contains the class. If there are many
# children, the first or the last one is cut off, provided that both sides have enough records, since a part with
# several children still publishes that node; otherwise the cut is as close to the median as possible. So `606**` may be
# the region of one class and `6064*` that of another.


def columns_of_nodes(table: Table) -> np.ndarray:
    """Return which quasi-identifiers publish nodes."""
    return np.array([table.columns[name].shows_nodes for name in table.quasi])


class WidestPerColumn(Widest):
    """The widest attribute, cut at the median if it publishes ranges, between children if it publishes nodes."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, even: bool = False) -> None:
        super().__init__(table, cells, model, strict=True, even=even)
        self.levels, self.of_nodes = Levels.per_column(table), columns_of_nodes(table)

    def proposed(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, floor: int) -> Proposed:
        """Return the cut of each pending node on its widest untried attribute."""
        return kernels.propose_per_column(
            pending, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight, self.edge, self.span,
            nodes.sizes, nodes.low, nodes.high, nodes.exact, tried, self.even, floor, self.of_nodes,
            self.levels.node_of_code,
            self.levels.place, self.levels.depth,
        )  # fmt: skip


class CutsPerColumn:
    """Cuts that serve a workload: between children of nodes, or in the code order of ranges."""

    def __init__(self, inner: WidestPerColumn, workload: WorkloadArrays) -> None:
        self.inner: AmongAxes = inner
        self.workload, self.of_nodes = workload, inner.of_nodes
        self.children, self.ranges = ChildCuts(inner, workload), RegionCuts(inner, workload)

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Return several cuts of each node, with the error of the parts relative to that of the node."""
        found, wrong = Split.none(), [np.zeros(0)]
        for cuts, mine in ((self.ranges, axes & ~self.of_nodes), (self.children, axes & self.of_nodes)):
            if mine.any():
                split, ratio = cuts.proposed(nodes, pending, mine, floor)
                found += split
                wrong.append(ratio)
        return found, np.concatenate(wrong)
