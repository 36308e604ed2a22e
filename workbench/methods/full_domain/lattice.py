"""The lattice of a table: every combination of one level per column, and the classes of records under each.

A node's classes are merged from those of a finer node that differs in one level, never computed from the records. The
walk is depth first, so at most one node per level of each column is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from workbench.base import cell_kernels
from workbench.base.compiled import compiled
from workbench.base.errors import BadInput
from workbench.base.progress import checkpoint
from workbench.data.sensitive import Sensitive
from workbench.data.settings import level_range
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes

MOST = 1_000_000  # nodes


class Rows(NamedTuple):
    """Classes during the walk: the node of each column, and the number of records.

    Records are counted per sensitive value, one column after the other, or in all if there is no sensitive column.
    """

    codes: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Lattice:
    """Levels are numbered as in `Column.released_at`: 0 for the values, the last one for the root."""

    table: Table
    sensitive: dict[str, Sensitive]  # the columns that are counted in each class
    nodes: tuple[tuple[np.ndarray, ...], ...]  # by column and level, the node of each code
    ranges: tuple[range, ...]  # the allowed levels of each column

    @classmethod
    def from_table(cls, table: Table, sensitive: bool) -> Lattice:
        """Return the lattice of a table, with or without its sensitive columns."""
        return table.remember(("lattice", sensitive), lambda: cls._made(table, sensitive))

    @classmethod
    def _made(cls, table: Table, sensitive: bool) -> Lattice:
        nodes = tuple(table.columns[name].released_at for name in table.quasi)
        ranges = tuple(range(low, high + 1) for low, high in (level_range(table, name) for name in table.quasi))
        if prod(map(len, ranges)) > MOST:
            raise BadInput(
                f"the hierarchies allow {prod(map(len, ranges)):,} combinations of levels, more than {MOST:,}; "
                "allow fewer levels of some columns, use hierarchies with fewer, or choose fewer quasi-identifiers"
            )
        return cls(table, table.sensitive if sensitive else {}, nodes, ranges)

    def __len__(self) -> int:
        return prod(map(len, self.ranges))

    @cached_property
    def levels(self) -> np.ndarray:
        """The levels of every node, nodes x columns, in the order of the walk."""
        every = np.array(list(product(*(self.ranges[a] for a in self._order))), np.int64)
        return every[:, np.argsort(self._order)]

    @cached_property
    def _order(self) -> list[int]:
        """The columns with most values first, so that the most frequent merges are of small tables."""
        return sorted(range(len(self.nodes)), key=lambda a: -len(self.nodes[a][0]))

    @cached_property
    def nested(self) -> bool:
        """True if every node of a column lies within one node of the next level."""
        return all(self._steps[a][j] is not None for a, levels in enumerate(self.ranges) for j in levels[1:])

    @cached_property
    def _steps(self) -> list[list[np.ndarray | None]]:
        """The parent of each node of the level below, by column and level; None if they do not nest."""
        return [[None, *(_step(fine, coarse) for fine, coarse in pairwise(levels))] for levels in self.nodes]

    # --- rows

    @property
    def cells(self) -> Rows:
        """The records at the level of values."""
        return self._cells[0]

    @property
    def row_of_cell(self) -> np.ndarray:
        """The row of each of the table's cells."""
        return self._cells[1]

    @cached_property
    def _cells(self) -> tuple[Rows, np.ndarray]:
        cells, size = self.table.cells(), max(len(levels[0]) for levels in self.nodes)
        codes = np.ascontiguousarray(cells.quasi.T)
        same = np.tile(np.arange(size, dtype=codes.dtype), (len(self.nodes), 1))
        narrow = np.int32 if self.table.records < 2**31 else np.int64
        shown, sizes, number = group_rows(codes, same, cells.weight[:, None])
        counts = [
            cell_kernels.histogram(number, cells.others[name], cells.weight, len(shown), len(seen)).astype(narrow)
            for name, seen in self.sensitive.items()
        ]
        return Rows(shown, np.hstack(counts or [sizes.astype(narrow)])), number

    @cached_property
    def _node_of_code(self) -> np.ndarray:
        """The node of each code, columns x levels x codes, padded."""
        deep, long = max(map(len, self.nodes)), max(len(levels[0]) for levels in self.nodes)
        found = np.zeros((len(self.nodes), deep, long), self.cells.codes.dtype)
        for a, levels in enumerate(self.nodes):
            for j, nodes in enumerate(levels):
                found[a, j, : len(nodes)] = nodes
        return found

    def group_rows(self, rows: Rows, levels: Sequence[int] | np.ndarray) -> tuple[Rows, np.ndarray]:
        """Return the classes at these levels of rows of values, and the class of each row."""
        shown, counts, number = group_rows(
            rows.codes, self._node_of_code[np.arange(len(self.nodes)), levels], rows.counts
        )
        return Rows(shown, counts), number

    def codes_at(self, codes: np.ndarray, levels: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the nodes that contain the values of each row."""
        axes = np.arange(len(self.nodes))
        return self._node_of_code[axes, levels, codes] if len(codes) else codes

    @cached_property
    def highest(self) -> np.ndarray:
        """The levels of the most general node."""
        return np.array([allowed[-1] for allowed in self.ranges])

    def walk(self) -> Iterator[Rows]:
        """Yield the classes of every node, in the order of `levels`."""
        return self._walk(0, self.cells)

    def _walk(self, depth: int, values: Rows) -> Iterator[Rows]:
        """Yield all nodes below these rows, whose first `depth` columns are generalized and the others values."""
        if depth == len(self._order):
            yield values
            return
        a, rows = self._order[depth], values
        for level in self.ranges[a]:
            step = self._steps[a][level] if level > self.ranges[a][0] else None
            if step is not None:
                rows = self._raised(rows, a, step)
            elif level:  # the first level, or one that does not nest
                rows = self._raised(values, a, self.nodes[a][level])
            yield from self._walk(depth + 1, rows)

    def _raised(self, rows: Rows, a: int, step: np.ndarray) -> Rows:
        nodes = self._same.copy()
        nodes[a, : len(step)] = step
        shown, counts, _ = group_rows(rows.codes, nodes, rows.counts)
        return Rows(shown, counts)

    @cached_property
    def _same(self) -> np.ndarray:
        return np.tile(np.arange(self._node_of_code.shape[2], dtype=self._node_of_code.dtype), (len(self.nodes), 1))

    # --- classes

    def classes(
        self, rows: Rows, levels: Sequence[int] | np.ndarray | None = None, labeled: np.ndarray | None = None
    ) -> Classes:
        """Return sizes and histograms as models see them, with regions if `levels` are given.

        Models of a population need regions, since labels decide which people a class covers. `labeled` are the lowest
        levels that labels name, by default `levels`.
        """
        regions: dict[str, Any] = {}
        if levels is not None:
            shown = self.shown(levels, rows.codes)
            low, high = (np.ascontiguousarray(shown[:, :, side]) for side in (0, 1))
            each = np.tile(np.asarray(levels if labeled is None else labeled), (len(rows.codes), 1))
            regions = {"low": low, "high": high, "population": self.table.population, "levels": each}
        if not self.sensitive:
            return Classes(rows.counts[:, 0].astype(np.int64), {}, {}, **regions)
        ends = np.cumsum([len(seen) for seen in self.sensitive.values()])[:-1]
        histograms = dict(zip(self.sensitive, np.split(rows.counts, ends, axis=1), strict=True))
        sizes = next(iter(histograms.values())).sum(axis=1, dtype=np.int64)
        return Classes(sizes, histograms, self.sensitive, **regions)

    def satisfies(self, model: Model, rows: Rows, levels: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return which classes at these levels satisfy the model, under the labels of local recoding."""
        lowest = np.array([allowed[0] for allowed in self.ranges])
        return model.holds(self.classes(rows, levels, lowest) if model.needs_population else self.classes(rows))

    def bounds(self, a: int, level: int) -> np.ndarray:
        """Return the first and last code of each node of a column on a level, nodes x 2."""
        nodes = self.nodes[a][level]
        first = np.flatnonzero(np.diff(nodes, prepend=-1))
        return np.column_stack([first, np.append(first[1:], len(nodes)) - 1]).astype(np.int32)

    def shown(self, levels: Sequence[int] | np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the runs that classes publish, classes x columns x (low, high)."""
        runs = [self.bounds(a, int(level))[codes[:, a]] for a, level in enumerate(levels)]
        return np.stack(runs, axis=1)


def _step(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray | None:
    found = np.zeros(fine[-1] + 1, np.int64)
    found[fine] = coarse
    return found if (found[fine] == coarse).all() else None


# Kernels: they merge identical rows without sorting. Rows have a code for each axis, and counts in a second array.

STEPS = 2_000_000  # rows between two checks for cancellation


def group_rows(codes: np.ndarray, nodes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rows after generalization, their summed counts, and the number of each given row.

    A row publishes `nodes[a, code]` on each axis.
    """
    rows, axes = codes.shape
    slots = np.full(max(16, 1 << (2 * rows - 1).bit_length() if rows else 16), -1, np.int32)
    shown, added = np.empty((rows, axes), codes.dtype), np.zeros(counts.shape, counts.dtype)
    number, found = np.empty(rows, np.int32), 0
    for start in range(0, rows, STEPS):
        found = _group(start, min(start + STEPS, rows), codes, nodes, counts, slots, shown, added, number, found)
        checkpoint()
    return shown[:found].copy(), added[:found].copy(), number


@compiled
def _group(
    start: int,
    end: int,
    codes: np.ndarray,
    nodes: np.ndarray,
    counts: np.ndarray,
    slots: np.ndarray,
    shown: np.ndarray,
    added: np.ndarray,
    number: np.ndarray,
    found: int,
) -> int:
    last, axes = np.uint64(slots.size - 1), codes.shape[1]
    for i in range(start, end):
        mixed, here = np.uint64(0), shown[found]  # written in place, kept if it is new
        for a in range(axes):
            here[a] = nodes[a, codes[i, a]]
            mixed = (mixed ^ np.uint64(here[a])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = mixed & last
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = group = found
                found += 1
                break
            same = True
            for a in range(axes):
                if shown[group, a] != here[a]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & last
        number[i] = group
        for v in range(counts.shape[1]):
            added[group, v] += counts[i, v]
    return found
