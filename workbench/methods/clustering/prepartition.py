"""Median-based pre-partitioning (Loukides & Shao 2008, algorithm 2): parts that are clustered separately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.measures.privacy.s_diversity import contributions, s_diversity
from workbench.methods.clustering.entries import Entries
from workbench.methods.mondrian.splits import LARGEST_BLOCK, Allowed, Nodes, Split, grow

LARGEST = 2048  # records of a part; above, it is halved even if the halves are less diverse


@dataclass(eq=False)
class Halves:
    """A splitter that halves parts at the median of the widest attribute.

    Both halves need `size` records, and sensitive values of which no more than `most` can be estimated. If nearly all
    records share one value, no half may be diverse enough; so a large part is halved anyway, since the time of its
    clustering would grow with its square.
    """

    cells: Cells
    edge: np.ndarray  # attributes x codes
    span: np.ndarray
    size: int
    near: dict[str, np.ndarray]  # the contributions of values, of each sensitive column
    most: float

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the splits of the nodes that are halved; only the widest attribute of each is tried."""
        found, block = list[list[np.ndarray]](), max(1, LARGEST_BLOCK // max(map(len, self.near.values()), default=1))
        for first in range(0, len(nodes.start), block):
            checkpoint("clustering: parts")
            proposed = cell_kernels.propose(
                np.arange(first, min(first + block, len(nodes.start))), nodes.order, nodes.start, nodes.end,
                self.cells.quasi, self.cells.weight, self.edge, self.span, nodes.sizes, nodes.low, nodes.high,
                nodes.exact, np.zeros(nodes.low.shape, bool), False, False, self.size,
            )  # fmt: skip
            found.append([array[self._protected(nodes, *proposed)] for array in proposed])
        node, axis, cut, quota, sizes = (np.concatenate(column) for column in zip(*found, strict=True))
        return Split(node, axis, cut, np.arange(len(node) + 1), quota, sizes.reshape(-1))

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return low, high

    def _protected(
        self, nodes: Nodes, node: np.ndarray, axis: np.ndarray, cut: np.ndarray, quota: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """Return which nodes have two halves with diverse sensitive values."""
        told = np.zeros(2 * len(node))
        for name, near in self.near.items():
            counts = cell_kernels.halves(
                node, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(near), axis, cut, quota,
            )  # fmt: skip
            told += s_diversity(counts / sizes.reshape(-1, 1), near)
        kept = (told <= self.most + 1e-9).reshape(-1, 2).all(axis=1)
        return np.asarray(kept | (nodes.sizes[node] > LARGEST))


def prepartition(
    table: Table, entries: Entries, size: int, widths: str, r: float, most: float | None
) -> tuple[Entries, np.ndarray]:
    """Return the entries, one record each, part by part, and the bounds of the parts.

    `widths` is "raw" to compare columns in their own units, otherwise widths are shares of the whole table's.
    """
    near = {name: contributions(table, name, r) for name in table.sensitive}
    part = _halved(table, entries.codes, entries.values, size, widths, near, np.inf if most is None else most)
    part = _cut(part, max(LARGEST, size))
    return entries.take(np.argsort(part, kind="stable")), np.append(0, np.cumsum(np.bincount(part)))


def _cut(part: np.ndarray, most: int) -> np.ndarray:
    """Cut parts of identical records, which no median can halve, into consecutive pieces of about `most` records."""
    sizes = np.bincount(part)
    pieces, order = np.maximum(sizes // most, 1), np.argsort(part, kind="stable")
    place = np.empty(len(part), np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray((np.cumsum(pieces) - pieces)[part] + place * pieces[part] // sizes[part])


def group_points(table: Table, points: np.ndarray, size: int) -> np.ndarray:
    """Return the part of each point (points x codes); a part has between `size` and 2 * `size` - 1 nearby points."""
    return _cut(_halved(table, np.ascontiguousarray(points.T), {}, size, "normalised", {}, np.inf), size)


def _halved(
    table: Table, codes: np.ndarray, values: dict[str, np.ndarray], size: int, widths: str, near: dict, most: float
) -> np.ndarray:
    ends = np.array([[table.columns[name].size - 1 for name in table.quasi]], np.int32)
    span = np.ones(len(codes))
    if widths == "normalised":
        whole = table.positions[np.arange(len(codes)), ends[0]]
        span = np.where(whole > 0, whole, 1.0)
    cells = Cells(codes, values, np.ones(codes.shape[1], np.int64))
    halves = Halves(cells, table.positions, span / table.weights_of_quasi, size, near, most)
    root = Nodes(
        np.arange(len(cells), dtype=np.int32), np.zeros(1, np.int64), np.array([len(cells)]), np.array([len(cells)]),
        np.zeros_like(ends), ends, np.zeros(ends.shape, bool),
    )  # fmt: skip
    return grow(root, halves, None)
