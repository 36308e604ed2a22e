"""Storage of a table's records: in memory, in a DuckDB file, or in Spark. One engine per module."""

from __future__ import annotations

import copy
import importlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput, Fix, NotInMemory, TooMany, safe_repr, suggest
from workbench.base.figures import join_names
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells, row_keys
from workbench.data.column import Column
from workbench.data.reading.value_types import Values

LIMITS = {"memory": None, "duckdb": "300MB"}  # DuckDB's default limits, each for reading and for counting
BUILDERS = {"memory": "MemoryBuilder", "duckdb": "DuckDBBuilder"}  # class names in the engine's module
SPARK = "spark"  # its records stay in place
ENGINES = (*LIMITS, SPARK)
SAMPLE = 100_000  # suggested size of a sample
OTHERWISE = (
    f"remove a column, generalize the finest one, draw a random sample ({Fix.SAMPLE(SAMPLE)}), or use a method that "
    "does not need all of them: remove, or mondrian (strict, split = widest, recode = regions, suppress = 0, without "
    "weights)"
)
BATCH = 1 << 16  # records read or written at a time


class ClassesOfCells(NamedTuple):
    """The class of each cell, -1 for suppressed cells.

    `of_record` computes the class of each record, if the records are in memory.
    """

    quasi: Sequence[str]
    cells: Cells
    group: np.ndarray
    of_record: Callable[[], np.ndarray]

    @property
    def others(self) -> Collection[str]:
        """The columns of the cells other than quasi-identifiers."""
        return self.cells.others

    def keys(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Return distinct codes that determine the class of a record, and the classes.

        The codes are those of the quasi-identifiers only, if these determine the class.
        """
        quasi = dict(zip(self.quasi, self.cells.quasi, strict=True))
        sizes = [int(codes.max(initial=0)) + 1 for codes in quasi.values()]
        (key,), _ = row_keys(sizes, [len(self.group)], [*quasi.values()])
        new = np.diff(key, prepend=-1)
        if (new < 0).any() or (np.diff(self.group)[new[1:] == 0] != 0).any():
            return {**quasi, **self.cells.others}, self.group
        return {name: codes[new > 0] for name, codes in quasi.items()}, self.group[new > 0]

    def counts(self, name: str | None, size: int) -> np.ndarray:
        """Count the records by class and code of a column with `size` codes, or only by class."""
        kept = self.group >= 0
        code = 0 if name is None else self.cells.others[name][kept]
        return np.bincount(self.group[kept].astype(np.int64) * size + code, self.cells.weight[kept]).astype(np.int64)


class ClassesOfParts(NamedTuple):
    """The classes of parts, for tables whose cells do not fit into memory.

    Each part comes as an engine with its records only, and their classes; or as a class number if it is a single class.
    """

    parts: Callable[[], Iterator[tuple[Engine, ClassesOfCells | int]]]
    sizes: np.ndarray
    others: Mapping[str, np.ndarray]  # classes x codes
    cutting: Cutting | None = None  # if the engine cuts the parts itself

    def counts(self, name: str | None, size: int) -> np.ndarray:
        """Count the records by class and code of a column with `size` codes, or only by class."""
        return (self.sizes if name is None else self.others[name]).ravel()


class Engine(ABC):
    """The codes of the records, by column. An engine returns counts; it returns records only for a release, in random
    order."""

    records: int
    in_memory = False
    cells_fit = True  # all cells fit into the memory of this process
    _codes: dict[str, np.ndarray]

    @property
    @abstractmethod
    def about(self) -> str:
        """A phrase that states where the records are, and why."""

    def __repr__(self) -> str:
        return f"<{self.records:,} records {self.about}>"

    def require_memory(self, what: str, instead: str = "") -> None:
        """Raise NotInMemory if the records are not in memory.

        `what` is the operation that needs each record, `instead` an alternative that does not.
        """
        if not self.in_memory:
            way = f"{instead}, or " if instead else ""
            raise NotInMemory(
                f"{what}, and the records are not in memory; {way}draw a random sample ({Fix.SAMPLE(SAMPLE)}), or read "
                f"the data with {Fix.ENGINE('memory')}"
            )

    @property
    def codes(self) -> dict[str, np.ndarray]:
        """A code per record, by column. Only for records in memory."""
        self.require_memory("this operation needs each record")
        return self._codes

    def for_cells(self, columns: Mapping[str, Column], levels: Mapping[str, int]) -> Engine:
        """Return the same records with cells over these columns, some at a level of their hierarchy."""
        return self

    def combinations_fit(self, names: Sequence[str], columns: Mapping[str, Column]) -> bool:
        """Return whether the combinations of these columns fit into memory."""
        return True

    def require_combinations_fit(
        self, names: Sequence[str], columns: Mapping[str, Column], instead: str = OTHERWISE
    ) -> None:
        """Raise TooMany if the combinations of these columns do not fit into memory; `instead` is a fix."""
        if not self.combinations_fit(names, columns):
            raise TooMany(f"the combinations of {join_names(names)} do not fit into memory; {instead}")

    def slices(self, names: Sequence[str], columns: Mapping[str, Column]) -> Iterator[Engine]:
        """Split the records into slices whose combinations of these columns fit into memory.

        No combination occurs in two slices.
        """
        yield self

    def combinations_of(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the combinations of values of some columns, and those of a single record."""
        weight = self.collapse(names, []).weight
        return len(weight), int(np.count_nonzero(weight == 1))

    @abstractmethod
    def select(self, names: Sequence[str]) -> Engine:
        """Return the same records with these columns only."""

    @abstractmethod
    def mapped(self, maps: Mapping[str, np.ndarray]) -> Engine:
        """Replace the codes of some columns with `maps[name][code]`; drop records with the new code -1."""

    @abstractmethod
    def counts(self, name: str, size: int) -> np.ndarray:
        """Count the records with each of the codes 0 to size - 1."""

    @abstractmethod
    def collapse(self, quasi: Sequence[str], others: Sequence[str]) -> Cells:
        """Return the distinct codes of these columns, sorted, with their record counts."""

    @abstractmethod
    def shuffled(
        self, names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
    ) -> Iterator[list[np.ndarray]]:
        """Yield the codes of these columns (None: the class) in batches, without suppressed records.

        The order comes from the operating system's randomness.
        """

    @abstractmethod
    def drawn(self, records: int, seed: int) -> dict[str, np.ndarray]:
        """Return the codes, by column, of a random sample of records without replacement.

        The same seed draws the same records if the engine numbers its records.
        """

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """Yield bytes for a digest of the records."""


class CodeAssigner(ABC):
    """Assigns codes to the values of records, column by column."""

    @abstractmethod
    def distinct(self, name: str) -> pa.Array:
        """Return the distinct values of a column, without null."""

    @abstractmethod
    def first(self, name: str, values: np.ndarray) -> int:
        """Return the first record, counted from 1, with one of these distinct values; 0 if records have no order."""

    @abstractmethod
    def code(self, name: str, found: Values) -> Column:
        """Assign codes to a column whose distinct values are typed."""

    @abstractmethod
    def engine(self) -> Engine:
        """Return the codes of all columns that were coded."""


class EngineBuilder(CodeAssigner):
    """Collects the records of a source into an engine: first reads them, then codes them by column."""

    @abstractmethod
    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch of records."""


def memory_limit(engine: str) -> str | None:
    """Return DuckDB's default memory limit. Raise BadInput for an unknown engine."""
    if engine not in ENGINES:
        raise BadInput(f"engine: {safe_repr(engine)} is unknown; {suggest(engine, ENGINES)}")
    return LIMITS.get(engine)


def engine_builder(
    engine: str,
    names: Sequence[str],
    limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
) -> EngineBuilder:
    """Return a collector of these columns for the engine of this name."""
    module = importlib.import_module(f"workbench.data.engines.{engine}")
    made: EngineBuilder = getattr(module, BUILDERS[engine])(names, limit, temp_directory)
    return made


def changing(maps: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the maps that change a code."""
    return {name: places for name, places in maps.items() if (places != np.arange(len(places))).any()}


def plain(values: pa.Array) -> pa.Array:
    """Cast distinct values to a single text type if they are text or only null."""
    kind = values.type
    text = pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_string_view(kind) or pa.types.is_time(kind)
    return values.cast(pa.large_string()) if text else values


# Engines whose records are not in memory. They count in place; if the cells do not fit into memory, part by part.
#
# A part contains the records within a range of codes of some columns. A tree of cuts separates the first parts.

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
