"""Median-based pre-partitioning (Loukides & Shao 2008, algorithm 2): parts that are clustered each by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import step
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.measures.privacy.s_diversity import contributions, s_diversity
from workbench.methods.clustering.entries import Entries
from workbench.methods.mondrian.splits import LARGEST_BLOCK, Allowed, Nodes, Split, grow

LARGEST = 2048  # records of a part, above which it is halved whatever its halves tell


@dataclass(eq=False)
class Halves:
    """A part is halved at the median of its widest attribute, ties in their order, as long as both halves have `size`
    records, and sensitive values of which no more than `most` can be estimated.

    Of records that are one value nearly, no half may be diverse enough: so a large part is halved anyway, else its
    clustering would take time that grows with its square.
    """

    cells: Cells
    edge: np.ndarray  # attributes x codes
    span: np.ndarray
    size: int
    near: dict[str, np.ndarray]  # the contributions of values, of each sensitive column
    most: float

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Those of the nodes that are halved; only the widest attribute of each is tried."""
        found, block = list[list[np.ndarray]](), max(1, LARGEST_BLOCK // max(map(len, self.near.values()), default=1))
        for first in range(0, len(nodes.start), block):
            step("clustering: parts")
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
        """Which nodes have two halves with diverse sensitive values."""
        told = np.zeros(2 * len(node))
        for name, near in self.near.items():
            counts = cell_kernels.halves(
                node, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(near), axis, cut, quota,
            )  # fmt: skip
            told += s_diversity(counts / sizes.reshape(-1, 1), near)
        kept = (told <= self.most + 1e-9).reshape(-1, 2).all(axis=1)
        return np.asarray(kept | (nodes.sizes[node] > LARGEST))


def in_parts(
    table: Table, entries: Entries, size: int, widths: str, r: float, most: float | None
) -> tuple[Entries, np.ndarray]:
    """The entries, each one record, part by part, and where each part begins and the last one ends.

    The widest column is so in its own units (`raw`), or as a share of the whole table's width.
    """
    near = {name: contributions(table, name, r) for name in table.sensitive}
    part = _halved(table, entries.codes, entries.values, size, widths, near, np.inf if most is None else most)
    part = _cut(part, max(LARGEST, size))
    return entries.take(np.argsort(part, kind="stable")), np.append(0, np.cumsum(np.bincount(part)))


def _cut(part: np.ndarray, most: int) -> np.ndarray:
    """Parts of twice as many records, which are equal as nothing has halved them, in pieces: the first, the next..."""
    sizes = np.bincount(part)
    pieces, order = np.maximum(sizes // most, 1), np.argsort(part, kind="stable")
    place = np.empty(len(part), np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray((np.cumsum(pieces) - pieces)[part] + place * pieces[part] // sizes[part])


def halved(table: Table, points: np.ndarray, size: int) -> np.ndarray:
    """The part of each point (points x codes), near ones together: it has `size` points, fewer than twice as many."""
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
