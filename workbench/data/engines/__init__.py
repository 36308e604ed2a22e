"""Storage of a table's records: in memory, in a DuckDB file, or in Spark. One engine per module."""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput, Fix, NotInMemory, TooMany, safe_repr, suggest
from workbench.base.figures import join_names
from workbench.data.cells import Cells, row_keys
from workbench.data.column import Column
from workbench.data.reading.value_types import Values

if TYPE_CHECKING:
    from workbench.data.engines.remote import Cutting

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
