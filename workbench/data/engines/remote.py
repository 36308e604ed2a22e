"""Engines whose records are not in memory. They count in place; if the cells do not fit into memory, part by part.

A part contains the records within a range of codes of some columns. A tree of cuts separates the first parts.
"""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.engines import Engine

MOST = 50_000_000  # maximum number of cells in memory: gigabytes
SLICE = 2**22  # records per slice, unless one code has more
KEYS = 2**63  # number of possible random keys
SPREAD = 7  # standard deviations; a larger deviation cannot be random
Runs = Mapping[str, tuple[int, int]]  # first and last code by column


class Cut(NamedTuple):
    """A node of a tree of cuts: records with codes up to `code` go left.

    A side is another cut or the index of a part (-1: none).
    """

    column: str
    code: int
    left: Cut | int
    right: Cut | int


class Tallies(NamedTuple):
    """The number of records in each part, by the codes of one column after the other, in no particular order."""

    part: np.ndarray
    column: np.ndarray
    code: np.ndarray
    records: np.ndarray

    def matrix(self, column: int, parts: int, sizes: int) -> np.ndarray:
        """Return the counts of a column as a matrix: parts x `sizes` codes."""
        found, here = np.zeros((parts, sizes), np.int64), self.column == column
        found[self.part[here], self.code[here]] = self.records[here]
        return found


class CutPart(Protocol):
    """A part after cutting: its classes, and the class of each of its cells."""

    @property
    def classes(self) -> Any: ...

    @property
    def group(self) -> np.ndarray: ...


class Cutting(NamedTuple):
    """Instructions for cutting parts where the records are.

    The tree that separates the parts, a function that cuts the cells of a part, which parts are a single class, and the
    number of the first class of each part.
    """

    cuts: Cut | int
    quasi: Sequence[str]
    others: Sequence[str]
    finish: Callable[[Cells], CutPart]
    whole: np.ndarray
    first: np.ndarray


class RemoteEngine(Engine):
    """An engine that knows the columns of its cells, and whether the cells fit into memory."""

    may_change = False  # whether others can write to the records
    _cells: tuple[Mapping[str, Column], Mapping[str, int]] = ({}, {})

    def for_cells(self, columns: Mapping[str, Column], levels: Mapping[str, int]) -> RemoteEngine:
        same = copy.copy(self)
        for known in ("combinations", "cells_fit"):
            same.__dict__.pop(known, None)
        same._cells = columns, levels
        return same

    @cached_property
    def combinations(self) -> int:
        """An upper bound on the number of cells, or an estimate if the bound exceeds the memory."""
        columns, levels = self._cells
        if (most := self._max_combinations([*columns], columns)) <= MOST:
            return most
        seen = self.mapped({name: columns[name].node(level - 1) for name, level in levels.items() if level})
        return seen.different([*columns])

    @cached_property
    def cells_fit(self) -> bool:  # type: ignore[override]
        return self.combinations <= MOST

    def combinations_fit(self, names: Sequence[str], columns: Mapping[str, Column]) -> bool:
        if {*names} >= {*self._cells[0]} and not self.cells_fit:
            return False
        return self._max_combinations(names, columns) <= MOST or self.different(names) <= MOST

    def slices(self, names: Sequence[str], columns: Mapping[str, Column]) -> Iterator[Engine]:
        if self.combinations_fit(names, columns):
            yield self
            return
        name = max(names, key=lambda name: columns[name].size)
        totals = columns[name].totals
        begins = np.flatnonzero(np.diff(np.cumsum(totals) // SLICE, prepend=-1))
        for low, high in pairwise([*begins.tolist(), len(totals)]):
            if records := int(totals[low:high].sum()):
                yield self.within({name: (low, high - 1)}, records)

    def _max_combinations(self, names: Sequence[str], columns: Mapping[str, Column]) -> int:
        return min(self.records, math.prod(columns[name].size for name in names))

    def __repr__(self) -> str:
        """Describe which case applies: cells that fit into memory, or cells in parts."""
        if not self._cells[0]:
            return super().__repr__()
        found, many = f"{self.records:,} records {self.about}", _many(self.combinations, self._cells[0])
        if self.cells_fit:
            most = self._max_combinations([*self._cells[0]], self._cells[0])
            return f"<{found}; there are {'at most' if most <= MOST else 'about'} {many}, which fit into memory>"
        return (
            f"<{found}; there are about {many}, more than the {MOST:,} that fit into memory: Mondrian makes the first "
            f"cuts from counts, and the others {self.where_cut}>"
        )

    @property
    def where_cut(self) -> str:
        """A phrase that states how parts are cut."""
        return "part by part"

    def classes_there(self, cutting: Cutting, most: int) -> pa.Table | None:
        """Return the classes of parts that the engine cuts, at most one more than `most`; None if it cannot."""
        return None

    def drawn(self, records: int, seed: int) -> dict[str, np.ndarray]:
        """Draw the records with the smallest random keys, which depend on the record's index and the seed."""
        checkpoint(f"a random sample of {records:,} of {self.records:,} records")
        every = records >= self.records
        expected = min(records + SPREAD * math.sqrt(records) + SPREAD**2, self.records)
        limit = KEYS if every else int(KEYS * (expected / self.records))
        keys, codes = self.below(limit, int(np.random.default_rng(seed).integers(KEYS)))
        most = self.records if every else expected + SPREAD * math.sqrt(expected) + SPREAD**2
        if not min(records, self.records) <= len(keys) <= most:
            raise self.changed()
        order = np.argsort(keys, kind="stable")[:records]
        return {name: found[order] for name, found in codes.items()}

    @abstractmethod
    def below(self, limit: int, salt: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the keys below a limit, and the codes of their records by column.

        The key of a record is a uniform number below KEYS; another salt gives other keys.
        """

    def changed(self) -> BadInput:
        """Return the error for records that have changed since they were read."""
        return BadInput("the records have changed since they were read; read them again")

    @abstractmethod
    def within(self, runs: Runs, records: int) -> RemoteEngine:
        """Return the records within ranges of codes of some columns; their number is known."""

    @abstractmethod
    def tallies(self, cuts: Cut | int, names: Sequence[str]) -> Tallies:
        """Count the records of each part in a tree of cuts, by the codes of each of these columns."""

    @abstractmethod
    def mapped(self, maps: Mapping[str, np.ndarray]) -> RemoteEngine: ...

    def counts(self, name: str, size: int) -> np.ndarray:
        cells, found = self.collapse([name], []), np.zeros(size, np.int64)
        found[cells.quasi[0]] = cells.weight
        return found

    @abstractmethod
    def different(self, names: Sequence[str]) -> int:
        """Estimate the number of combinations of codes of these columns."""


def renumbered(cuts: Cut | int, numbers: np.ndarray) -> Cut | int:
    """Return the tree with other indices for its parts."""
    if isinstance(cuts, int):
        return cuts if cuts < 0 else int(numbers[cuts])
    return cuts._replace(left=renumbered(cuts.left, numbers), right=renumbered(cuts.right, numbers))


def columns_of(cuts: Cut | int) -> list[str]:
    """Return the columns of all cuts in a tree."""
    if isinstance(cuts, int):
        return []
    return [cuts.column, *columns_of(cuts.left), *columns_of(cuts.right)]


def case(cuts: Cut | int, field: Callable[[str], str]) -> str:
    """Return the SQL expression for the index of a record's part."""
    if isinstance(cuts, int):
        return str(cuts)
    left, right = (case(side, field) for side in (cuts.left, cuts.right))
    return f"CASE WHEN {field(cuts.column)} <= {cuts.code} THEN {left} ELSE {right} END"


def _many(count: int, names: Collection[str]) -> str:
    return f"{count:,} combinations of {join_names([*names])}"
