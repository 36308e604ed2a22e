"""Breadth-first splitting: propose the cuts of all open classes, ask the model about all parts in one call, divide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from workbench import kernels
from workbench.cells import Cells
from workbench.classes import Classes
from workbench.models import Model, entropy
from workbench.table import Table

LARGEST_BLOCK = 2**22  # histogram entries held at a time
DIGITS = 10  # gains this close are equal, whatever the rounding: the first candidate stands

Allowed = Callable[[Classes], np.ndarray]


@dataclass(frozen=True, eq=False)
class Nodes:
    """Open classes: entries order[start:end]; `low` and `high` bound their codes, exactly where `exact` says so."""

    order: np.ndarray
    start: np.ndarray
    end: np.ndarray
    sizes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray

    @classmethod
    def root(cls, table: Table, cells: Cells) -> Nodes:
        """The whole table as one class."""
        high = np.array([[table.columns[name].size - 1 for name in table.quasi]], dtype=np.int32)
        order, ends = np.arange(len(cells), dtype=np.int32), np.array([len(cells)])
        sizes = np.array([table.records])
        return cls(order, np.zeros(1, np.int64), ends, sizes, np.zeros_like(high), high, np.zeros(high.shape, bool))


class Split(NamedTuple):
    """Which nodes are cut, on which axis, and where: node i at cuts[first[i]:first[i + 1]]."""

    node: np.ndarray
    axis: np.ndarray
    cuts: np.ndarray
    first: np.ndarray
    quota: np.ndarray
    sizes: np.ndarray  # records of each part, node after node


class Splitter(Protocol):
    """Chooses the split of each node, among those whose parts are all allowed."""

    cells: Cells

    def split(self, nodes: Nodes, allowed: Allowed) -> Split: ...


def grow(nodes: Nodes, splitter: Splitter, model: Model | None) -> np.ndarray:
    """Split until no split is allowed; the class of each entry, numbered from left to right."""

    def allowed(parts: Classes) -> np.ndarray:
        return model.holds(parts) if model else np.ones(len(parts), bool)

    starts, ends = [], []
    while len(nodes.start):
        split = splitter.split(nodes, allowed)
        closed = np.ones(len(nodes.start), bool)
        closed[split.node] = False
        starts.append(nodes.start[closed])
        ends.append(nodes.end[closed])
        nodes = divide(nodes, split, splitter.cells)
    start, end = np.concatenate(starts), np.concatenate(ends)
    left_to_right = np.argsort(start)
    group = np.empty(len(nodes.order), np.int32)
    group[nodes.order] = np.repeat(np.arange(len(start), dtype=np.int32), (end - start)[left_to_right])
    return group


def divide(nodes: Nodes, split: Split, cells: Cells) -> Nodes:
    """The parts of the nodes that are cut."""
    begins = kernels.divide(split.node, nodes.order, nodes.start, nodes.end, cells.quasi, *split[1:5])
    many = np.diff(split.first) + 1
    parent, axis = np.repeat(split.node, many), np.repeat(split.axis, many)
    part = np.arange(len(parent)) - np.repeat(np.cumsum(many) - many, many)
    last = part == np.repeat(many, many) - 1
    low, high, exact = nodes.low[parent], nodes.high[parent], np.zeros((len(parent), nodes.low.shape[1]), bool)
    cut_by = np.zeros(len(parent), split.cuts.dtype)
    cut_by[~last] = split.cuts
    rows = np.arange(len(parent))
    high[rows[~last], axis[~last]] = cut_by[~last]
    after = rows[part > 0]
    dealt = np.repeat(split.quota >= 0, many)[after]  # where ties are dealt, the right part may begin at the cut itself
    low[after, axis[after]] = cut_by[after - 1] + np.where(dealt, 0, 1)
    exact[rows[part == 0], axis[part == 0]] = nodes.exact[split.node, split.axis]
    end = np.where(last, nodes.end[parent], np.append(begins[1:], 0))
    return Nodes(nodes.order, begins, end, split.sizes, low, high, exact)


class Widest:
    """The median of the attribute with the widest normalised range; where that is not allowed, of the next widest."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, strict: bool) -> None:
        self.cells, self.strict = cells, strict
        self.sensitive = table.sensitive if model and model.needs_sensitive else {}
        self.edge = table.edges[0]
        ends = np.array([table.columns[name].size - 1 for name in table.quasi])
        span = self.edge[np.arange(len(ends)), ends] - self.edge[:, 0]
        self.span = np.where(span > 0, span, 1.0)
        self.block = max(1, LARGEST_BLOCK // max((len(seen) for seen in self.sensitive.values()), default=1))

    def split(self, nodes: Nodes, allowed: Allowed) -> Split:
        """Rounds of proposals, until every node has a cut or no attribute left."""
        tried = np.zeros(nodes.low.shape, bool)
        pending, found = np.arange(len(nodes.start)), []
        while len(pending):
            left_over = []
            for chunk in np.array_split(pending, -(-len(pending) // self.block)):
                proposed = kernels.propose(
                    chunk, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight, self.edge, self.span,
                    nodes.sizes, nodes.low, nodes.high, nodes.exact, tried, self.strict,
                )  # fmt: skip
                there = proposed[0] >= 0
                chunk, (axis, cut, quota, left) = chunk[there], (array[there] for array in proposed)
                sizes = np.stack([left, nodes.sizes[chunk] - left], axis=1)
                ok = allowed(self._parts(nodes, chunk, axis, cut, quota, sizes)).reshape(-1, 2).all(axis=1)
                found.append((chunk[ok], axis[ok], cut[ok], quota[ok], sizes[ok]))
                tried[chunk[~ok], axis[~ok]] = True
                left_over.append(chunk[~ok])
            pending = np.concatenate(left_over)
        node, axis, cut, quota, sizes = (np.concatenate(column) for column in zip(*found, strict=True))
        return Split(node, axis, cut, np.arange(len(node) + 1), quota, sizes.reshape(-1))

    def _parts(self, nodes: Nodes, chunk: np.ndarray, axis: np.ndarray, cut: np.ndarray, quota: np.ndarray, sizes: np.ndarray) -> Classes:
        histograms = {
            name: kernels.halves(
                chunk, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(seen), axis, cut, quota,
            )
            for name, seen in self.sensitive.items()
        }  # fmt: skip
        return Classes(sizes.reshape(-1), histograms, self.sensitive)


class InformationGain:
    """The allowed split that tells most about a target column (LeFevre et al. 2006, workload-aware anonymization).

    Candidates: every cut of an ordered attribute (numbers, dates); for text, all its values apart, or the children at
    the coarsest hierarchy level that splits the class.
    """

    def __init__(self, table: Table, cells: Cells, model: Model | None, target: str, cuts: str) -> None:
        self.cells, self.best_only = cells, cuts == "best"
        self.sensitive = table.sensitive if model and model.needs_sensitive else {}
        self.columns = [table.columns[name] for name in table.quasi]
        a = table.quasi.index(target) if target in table.quasi else None
        self.target = cells.others[target] if a is None else cells.quasi[a]
        self.values = len(table.sensitive[target]) if target in table.sensitive else table.columns[target].size
        widest = max(column.size for column in self.columns)
        deepest = max([self.values, *(len(seen) for seen in self.sensitive.values())])
        self.block = max(1, LARGEST_BLOCK // (widest * deepest))

    def split(self, nodes: Nodes, allowed: Allowed) -> Split:
        """The best candidate of each node, over all attributes."""
        chunks = np.array_split(np.arange(len(nodes.start)), -(-len(nodes.start) // self.block))
        node, axis, cuts, sizes = [], [], [], []
        for chunk in chunks:
            for n, a, codes, records in self._chosen(nodes, chunk, allowed):
                node.append(n)
                axis.append(a)
                cuts.append(codes)
                sizes.append(records)
        first = np.cumsum([0, *map(len, cuts)])
        flat = np.concatenate([np.zeros(0, np.int32), *cuts]).astype(np.int32)
        records = np.concatenate([np.zeros(0, np.int64), *sizes]).astype(np.int64)
        whole = np.full(len(node), -1, np.int64)
        return Split(np.array(node, np.int64), np.array(axis, np.int32), flat, first, whole, records)

    def _chosen(self, nodes: Nodes, chunk: np.ndarray, allowed: Allowed) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        entries = np.concatenate([nodes.order[nodes.start[n] : nodes.end[n]] for n in chunk])
        place = np.repeat(np.arange(len(chunk)), nodes.end[chunk] - nodes.start[chunk])
        best = np.zeros(len(chunk))
        choice: list[tuple[int, np.ndarray, np.ndarray] | None] = [None] * len(chunk)
        for a in range(len(self.columns)):
            for i, (gain, codes, records) in self._on_axis(a, entries, place, len(chunk), allowed).items():
                if gain > best[i]:
                    best[i], choice[i] = gain, (a, codes, records)
        for i, chosen in enumerate(choice):
            if chosen is not None:
                yield int(chunk[i]), *chosen

    def _on_axis(
        self, a: int, entries: np.ndarray, place: np.ndarray, count: int, allowed: Allowed
    ) -> dict[int, tuple[float, np.ndarray, np.ndarray]]:
        """The best candidate of each node on one attribute: gain, cuts and the records of each part."""
        size, codes = self.columns[a].size, self.cells.quasi[a][entries]
        at, weight = place * size + codes, self.cells.weight[entries]

        def table_of(value: np.ndarray, values: int) -> np.ndarray:
            flat = np.bincount(at * values + value[entries], weight, count * size * values)
            return flat.reshape(count, size, values)

        told = table_of(self.target, self.values)
        seen = {name: table_of(self.cells.others[name], len(s)) for name, s in self.sensitive.items()}
        records = told.sum(axis=2)
        if self.columns[a].kind == "text":
            candidates = [self._many_way(told, seen, records, of_code, allowed) for of_code in self._levels(a, records)]
        else:
            candidates = [self._two_way(told, seen, records, allowed)]
        gains = np.stack([gain for gain, _, _ in candidates], axis=1)
        oks = np.stack([ok for _, ok, _ in candidates], axis=1)
        if not self.best_only:
            gains = np.where(oks, gains, -np.inf)
        best = gains.argmax(axis=1)
        chosen = {}
        for i in np.flatnonzero(oks[np.arange(count), best] & (gains[np.arange(count), best] > 0)):
            cuts = candidates[best[i]][2](i)
            ends = np.append(np.searchsorted(np.arange(size), cuts), size - 1)
            upto = np.cumsum(records[i])[ends]
            chosen[int(i)] = (float(gains[i, best[i]]), cuts, np.diff(upto, prepend=0))
        return chosen

    def _levels(self, a: int, records: np.ndarray) -> list[np.ndarray]:
        """For each node, the part of each code: its values apart; its children at the coarsest level that splits it."""
        column, count = self.columns[a], len(records)
        leaves = np.broadcast_to(np.arange(column.size), records.shape)
        children, split = leaves.copy(), np.zeros(count, bool)
        for j in reversed(range(len(column.hierarchy.levels) if column.hierarchy else 0)):
            assert column.hierarchy is not None
            nodes = column.hierarchy.node(j)
            nodes = np.append(nodes, nodes[-1] + 1) if column.missing else nodes
            low = np.where(records > 0, nodes, column.size).min(axis=1)
            high = np.where(records > 0, nodes, -1).max(axis=1)
            here = (high > low) & ~split
            children[here], split = nodes, split | here
        return [leaves, children]

    def _two_way(
        self, told: np.ndarray, seen: dict[str, np.ndarray], records: np.ndarray, allowed: Allowed
    ) -> tuple[np.ndarray, np.ndarray, Callable[[int], np.ndarray]]:
        """The best cut of the code order: its gain, whether it is allowed, and where it is."""
        left, total = np.cumsum(told, axis=1), told.sum(axis=1, keepdims=True)
        n = np.cumsum(records, axis=1)
        valid = (records > 0) & (n < n[:, -1:])
        node, code = np.nonzero(valid)
        l, r = left[node, code], total[node, 0] - left[node, code]
        size = n[node, code]
        rest = n[node, -1] - size
        after = (size * entropy(l) + rest * entropy(r)) / (size + rest)
        gain = np.full(valid.shape, -np.inf)
        gain[node, code] = np.round(entropy(total[node, 0]) - after, DIGITS)
        below = {name: np.cumsum(h, axis=1)[node, code] for name, h in seen.items()}
        above = {name: h.sum(axis=1)[node] - below[name] for name, h in seen.items()}
        parts = {name: np.concatenate([below[name], above[name]]) for name in seen}
        fine = allowed(Classes(np.concatenate([size, rest]), parts, self.sensitive)).reshape(2, -1).all(axis=0)
        ok = np.zeros(valid.shape, bool)
        ok[node, code] = fine
        best = (gain if self.best_only else np.where(ok, gain, -np.inf)).argmax(axis=1)
        rows = np.arange(len(best))
        return gain[rows, best], ok[rows, best], lambda i: np.array([best[i]])

    def _many_way(
        self, told: np.ndarray, seen: dict[str, np.ndarray], records: np.ndarray, of_code: np.ndarray, allowed: Allowed
    ) -> tuple[np.ndarray, np.ndarray, Callable[[int], np.ndarray]]:
        """All parts of a level at once: their gain, and whether all of them are allowed."""
        count, size = records.shape
        part = (np.arange(count)[:, None] * size + of_code).reshape(-1)

        def by_part(table: np.ndarray) -> np.ndarray:
            grouped = np.zeros((count * size, table.shape[2]))
            np.add.at(grouped, part, table.reshape(count * size, -1))
            return grouped

        target = by_part(told)
        n = target.sum(axis=1)
        there = np.flatnonzero(n)
        owner = there // size
        after = np.bincount(owner, n[there] * entropy(target[there]), count) / records.sum(axis=1)
        gain = np.round(entropy(told.sum(axis=1)) - after, DIGITS)
        fine = allowed(Classes(n[there], {name: by_part(h)[there] for name, h in seen.items()}, self.sensitive))
        ok = np.bincount(owner, ~fine, count) == 0

        def cuts(i: int) -> np.ndarray:
            codes = np.flatnonzero(records[i])
            return codes[:-1][np.diff(of_code[i][codes]) > 0]

        return gain, ok & (np.bincount(owner, minlength=count) > 1), cuts
