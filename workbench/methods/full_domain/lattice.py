"""The lattice of a table: every combination of one level a column, and the classes that each makes of its records.

A node's classes are rolled up from those of a finer node that differs in one level, never from the records. The walk
goes depth first, so no more than one node for each level of each column is held at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from workbench.base import cell_kernels, lattice_kernels
from workbench.base.errors import BadInput
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes

MOST = 1_000_000  # nodes


class Rows(NamedTuple):
    """Classes while they are looked for: the node that each shows of every column, and how many records have which
    sensitive value, one column after the other; without sensitive columns, how many it has."""

    codes: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Lattice:
    """Levels of a column are counted as in `Column.released_at`: 0 for its values, last everything as one node."""

    table: Table
    sensitive: dict[str, Sensitive]  # what is counted in each class
    nodes: tuple[tuple[np.ndarray, ...], ...]  # of each column and level, the node of each code
    ranges: tuple[range, ...]  # the levels of each column that are allowed

    @classmethod
    def of(cls, table: Table, sensitive: bool) -> Lattice:
        """The lattice of a table, with or without its sensitive columns."""
        return table.remember(("lattice", sensitive), lambda: cls._made(table, sensitive))

    @classmethod
    def _made(cls, table: Table, sensitive: bool) -> Lattice:
        nodes = tuple(table.columns[name].released_at for name in table.quasi)
        ranges = tuple(range(low, high + 1) for low, high in map(table.level_range, table.quasi))
        if prod(map(len, ranges)) > MOST:
            raise BadInput(
                f"the hierarchies allow {prod(map(len, ranges)):,} combinations of levels, more than {MOST:,}; "
                "allow fewer levels of some columns, give hierarchies with fewer, or choose fewer quasi-identifiers"
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
        """The columns with most values first: what is rolled up most often is small then."""
        return sorted(range(len(self.nodes)), key=lambda a: -len(self.nodes[a][0]))

    @cached_property
    def nested(self) -> bool:
        """Whether every node of a column lies within one node of the next level."""
        return all(self._steps[a][j] is not None for a, levels in enumerate(self.ranges) for j in levels[1:])

    @cached_property
    def _steps(self) -> list[list[np.ndarray | None]]:
        """Of each column and level, the node of each node of the level below; None where they do not nest."""
        return [[None, *(_step(fine, coarse) for fine, coarse in pairwise(levels))] for levels in self.nodes]

    # --- rows

    @property
    def cells(self) -> Rows:
        """The records by their values."""
        return self._cells[0]

    @property
    def row_of_cell(self) -> np.ndarray:
        """Which row each of the table's cells is in."""
        return self._cells[1]

    @cached_property
    def _cells(self) -> tuple[Rows, np.ndarray]:
        cells, size = self.table.cells(), max(len(levels[0]) for levels in self.nodes)
        codes = np.ascontiguousarray(cells.quasi.T)
        same = np.tile(np.arange(size, dtype=codes.dtype), (len(self.nodes), 1))
        narrow = np.int32 if self.table.records < 2**31 else np.int64
        shown, sizes, number = lattice_kernels.grouped(codes, same, cells.weight[:, None])
        counts = [
            cell_kernels.histogram(number, cells.others[name], cells.weight, len(shown), len(seen)).astype(narrow)
            for name, seen in self.sensitive.items()
        ]
        return Rows(shown, np.hstack(counts or [sizes.astype(narrow)])), number

    @cached_property
    def _at(self) -> np.ndarray:
        """The node of each code, columns x levels x codes, padded."""
        deep, long = max(map(len, self.nodes)), max(len(levels[0]) for levels in self.nodes)
        found = np.zeros((len(self.nodes), deep, long), self.cells.codes.dtype)
        for a, levels in enumerate(self.nodes):
            for j, nodes in enumerate(levels):
                found[a, j, : len(nodes)] = nodes
        return found

    def grouped(self, rows: Rows, levels: Sequence[int] | np.ndarray) -> tuple[Rows, np.ndarray]:
        """The classes at these levels of rows that show values, and the class of each row."""
        shown, counts, number = lattice_kernels.grouped(
            rows.codes, self._at[np.arange(len(self.nodes)), levels], rows.counts
        )
        return Rows(shown, counts), number

    def codes_at(self, codes: np.ndarray, levels: Sequence[int] | np.ndarray) -> np.ndarray:
        """The nodes of rows of values."""
        axes = np.arange(len(self.nodes))
        return self._at[axes, levels, codes] if len(codes) else codes

    @cached_property
    def highest(self) -> np.ndarray:
        """The most general node."""
        return np.array([allowed[-1] for allowed in self.ranges])

    def walk(self) -> Iterator[Rows]:
        """The classes of every node, in the order of `levels`."""
        return self._walk(0, self.cells)

    def _walk(self, depth: int, values: Rows) -> Iterator[Rows]:
        """All nodes whose first columns are at the levels of these rows; the other columns are at their values yet."""
        if depth == len(self._order):
            yield values
            return
        a, rows = self._order[depth], values
        for level in self.ranges[a]:
            step = self._steps[a][level] if level > self.ranges[a][0] else None
            if step is not None:
                rows = self._raised(rows, a, step)
            elif level:  # the first, or one that cuts through nodes of the level below
                rows = self._raised(values, a, self.nodes[a][level])
            yield from self._walk(depth + 1, rows)

    def _raised(self, rows: Rows, a: int, step: np.ndarray) -> Rows:
        nodes = self._same.copy()
        nodes[a, : len(step)] = step
        shown, counts, _ = lattice_kernels.grouped(rows.codes, nodes, rows.counts)
        return Rows(shown, counts)

    @cached_property
    def _same(self) -> np.ndarray:
        return np.tile(np.arange(self._at.shape[2], dtype=self._at.dtype), (len(self.nodes), 1))

    # --- classes

    def classes(self, rows: Rows, shown: np.ndarray | None = None) -> Classes:
        """Sizes and histograms, as models see them; and regions, for those that count who of a population fits them."""
        regions: dict[str, Any] = {}
        if shown is not None:
            low, high = (np.ascontiguousarray(shown[:, :, side]) for side in (0, 1))
            regions = {"low": low, "high": high, "population": self.table.population}
        if not self.sensitive:
            return Classes(rows.counts[:, 0].astype(np.int64), {}, {}, **regions)
        ends = np.cumsum([len(seen) for seen in self.sensitive.values()])[:-1]
        histograms = dict(zip(self.sensitive, np.split(rows.counts, ends, axis=1), strict=True))
        sizes = next(iter(histograms.values())).sum(axis=1, dtype=np.int64)
        return Classes(sizes, histograms, self.sensitive, **regions)

    def judged(self, model: Model, rows: Rows, levels: Sequence[int] | np.ndarray) -> np.ndarray:
        """Which classes at these levels keep the model."""
        shown = self.shown(levels, rows.codes) if model.needs_population else None
        return model.holds(self.classes(rows, shown))

    def bounds(self, a: int, level: int) -> np.ndarray:
        """First and last code of each node of a column on a level, nodes x 2."""
        nodes = self.nodes[a][level]
        first = np.flatnonzero(np.diff(nodes, prepend=-1))
        return np.column_stack([first, np.append(first[1:], len(nodes)) - 1]).astype(np.int32)

    def shown(self, levels: Sequence[int] | np.ndarray, codes: np.ndarray) -> np.ndarray:
        """What classes publish: classes x columns x (low, high)."""
        runs = [self.bounds(a, int(level))[codes[:, a]] for a, level in enumerate(levels)]
        return np.stack(runs, axis=1)


def _step(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray | None:
    found = np.zeros(fine[-1] + 1, np.int64)
    found[fine] = coarse
    return found if (found[fine] == coarse).all() else None
