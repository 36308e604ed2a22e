"""Records that are not in memory: counted where they are; where their cells do not fit here, part by part.

A part is the records between two codes of some columns. The first parts are told apart by a tree of cuts.
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
from workbench.base.progress import step
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.engines import Engine

MOST = 50_000_000  # cells that are in memory at a time: gigabytes
SLICE = 2**22  # records that are looked at together, at least those of one code
KEYS = 2**63  # that records may have
SPREAD = 7  # standard deviations: what is as far off its mean is no chance
Runs = Mapping[str, tuple[int, int]]  # the first and the last code, by column


class Cut(NamedTuple):
    """Records with codes up to `code` are on the left; a side is a cut again, or the number of a part (-1: none)."""

    column: str
    code: int
    left: Cut | int
    right: Cut | int


class Tallies(NamedTuple):
    """The records of each part by the codes of one column after the other, in no order."""

    part: np.ndarray
    column: np.ndarray
    code: np.ndarray
    records: np.ndarray

    def of(self, column: int, parts: int, sizes: int) -> np.ndarray:
        """Parts x codes of a column, of which there are so many."""
        found, here = np.zeros((parts, sizes), np.int64), self.column == column
        found[self.part[here], self.code[here]] = self.records[here]
        return found


class CutPart(Protocol):
    """A part once it is cut: its classes, and the class of each of its cells."""

    @property
    def classes(self) -> Any: ...

    @property
    def group(self) -> np.ndarray: ...


class Cutting(NamedTuple):
    """Parts that are cut where the records are: the tree that tells them apart, what cuts the cells of one, which are
    one class as a whole, and the number of the first class of each."""

    cuts: Cut | int
    quasi: Sequence[str]
    others: Sequence[str]
    finish: Callable[[Cells], CutPart]
    whole: np.ndarray
    first: np.ndarray


class Elsewhere(Engine):
    """An engine that knows which of its columns make the cells, and whether these fit into memory."""

    may_change = False  # while they are asked: others write there too
    _cells: tuple[Mapping[str, Column], Mapping[str, int]] = ({}, {})

    def for_cells(self, columns: Mapping[str, Column], levels: Mapping[str, int]) -> Elsewhere:
        same = copy.copy(self)
        for known in ("combinations", "cells_fit"):
            same.__dict__.pop(known, None)
        same._cells = columns, levels
        return same

    @cached_property
    def combinations(self) -> int:
        """At most so many cells there are, or about so many, where these do not fit."""
        columns, levels = self._cells
        if (most := self._at_most([*columns], columns)) <= MOST:
            return most
        seen = self.mapped({name: columns[name].node(level - 1) for name, level in levels.items() if level})
        return seen.different([*columns])

    @cached_property
    def cells_fit(self) -> bool:  # type: ignore[override]
        return self.combinations <= MOST

    def few(self, names: Sequence[str], columns: Mapping[str, Column]) -> bool:
        if {*names} >= {*self._cells[0]} and not self.cells_fit:
            return False
        return self._at_most(names, columns) <= MOST or self.different(names) <= MOST

    def slices(self, names: Sequence[str], columns: Mapping[str, Column]) -> Iterator[Engine]:
        if self.few(names, columns):
            yield self
            return
        name = max(names, key=lambda name: columns[name].size)
        totals = columns[name].totals
        begins = np.flatnonzero(np.diff(np.cumsum(totals) // SLICE, prepend=-1))
        for low, high in pairwise([*begins.tolist(), len(totals)]):
            if records := int(totals[low:high].sum()):
                yield self.within({name: (low, high - 1)}, records)

    def _at_most(self, names: Sequence[str], columns: Mapping[str, Column]) -> int:
        return min(self.records, math.prod(columns[name].size for name in names))

    def __repr__(self) -> str:
        """Which of three sizes it is: all in memory, cells in memory, or parts of the cells."""
        if not self._cells[0]:
            return super().__repr__()
        found, many = f"{self.records:,} records {self.about}", _many(self.combinations, self._cells[0])
        if self.cells_fit:
            most = self._at_most([*self._cells[0]], self._cells[0])
            return f"<{found}; there are {'at most' if most <= MOST else 'about'} {many}, which fit into memory>"
        return (
            f"<{found}; there are about {many}, more than the {MOST:,} that fit into memory: Mondrian makes the first "
            f"cuts by counts, and the others {self.where_cut}>"
        )

    @property
    def where_cut(self) -> str:
        """Where parts are cut."""
        return "part by part"

    def classes_there(self, cutting: Cutting, most: int) -> pa.Table | None:
        """The classes of parts that the engine cuts itself, up to one more than `most`; None where it can't."""
        return None

    def drawn(self, records: int, seed: int) -> dict[str, np.ndarray]:
        """Each record has a key that follows from its number and the seed; those with the least keys are drawn."""
        step(f"a random sample of {records:,} of {self.records:,} records")
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
        """The keys that are below a limit, and the codes of their records by column. The key of a record is as likely
        any number below KEYS as any other; another salt makes other keys."""

    def changed(self) -> BadInput:
        """What is said when the records are no longer those that were read."""
        return BadInput("the records have changed since they were read, and figures of both would be wrong; read again")

    @abstractmethod
    def within(self, runs: Runs, records: int) -> Elsewhere:
        """The records between two codes of some columns; there are so many."""

    @abstractmethod
    def tallies(self, cuts: Cut | int, names: Sequence[str]) -> Tallies:
        """The records of each part of a tree of cuts, by the codes of each of these columns."""

    @abstractmethod
    def mapped(self, maps: Mapping[str, np.ndarray]) -> Elsewhere: ...

    @abstractmethod
    def different(self, names: Sequence[str]) -> int:
        """About how many combinations of codes these columns have."""


def renumbered(cuts: Cut | int, numbers: np.ndarray) -> Cut | int:
    """The same tree with other numbers of its parts."""
    if isinstance(cuts, int):
        return cuts if cuts < 0 else int(numbers[cuts])
    return cuts._replace(left=renumbered(cuts.left, numbers), right=renumbered(cuts.right, numbers))


def columns_of(cuts: Cut | int) -> list[str]:
    """The columns that are cut."""
    if isinstance(cuts, int):
        return []
    return [cuts.column, *columns_of(cuts.left), *columns_of(cuts.right)]


def case(cuts: Cut | int, field: Callable[[str], str]) -> str:
    """The number of the part that a record is in, as SQL has it."""
    if isinstance(cuts, int):
        return str(cuts)
    left, right = (case(side, field) for side in (cuts.left, cuts.right))
    return f"CASE WHEN {field(cuts.column)} <= {cuts.code} THEN {left} ELSE {right} END"


def between(runs: Runs, field: Callable[[str], str]) -> str:
    """The condition that a record is in a part."""
    return " AND ".join(f"{field(name)} BETWEEN {low} AND {high}" for name, (low, high) in runs.items())


def union(names: Sequence[str], field: Callable[[str], str], found_in: Callable[[str], str]) -> str:
    """One query for the tallies of all columns; `found_in` has a column's part and code."""
    return " UNION ALL ".join(
        f"SELECT part, {i} AS number, code, count(*) AS n FROM {found_in(field(name))} WHERE part >= 0 "
        "GROUP BY part, code"
        for i, name in enumerate(names)
    )


def _many(count: int, names: Collection[str]) -> str:
    return f"{count:,} combinations of {join_names([*names])}"
