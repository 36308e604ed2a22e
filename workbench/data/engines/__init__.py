"""Where the records of a table live: in memory, in a file of DuckDB's, or in Spark. One engine a file."""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput, NotInMemory, TooMany, meant, said
from workbench.base.figures import join_names
from workbench.data.cells import Cells, row_keys
from workbench.data.column import Column
from workbench.data.reading.value_types import Values

if TYPE_CHECKING:
    from workbench.data.engines.elsewhere import Cutting

LIMITS = {"memory": None, "duckdb": "300MB"}  # DuckDB's, for reading and for counting each, by default
GATHERINGS = {"memory": "MemoryGathering", "duckdb": "DuckDBGathering"}  # in the engine's module
SPARK = "spark"  # gathers nothing: the records are there
ENGINES = (*LIMITS, SPARK)
OTHERWISE = (
    "only mondrian (strict, split = widest, recode = regions, suppress = 0, without weights) and remove do without all "
    "of them; else leave out a column, give the finest one fewer values, or draw a random sample (sample=100000)"
)
SAMPLE = 100_000  # records of a sample that is proposed
BATCH = 1 << 16  # records at a time that are read, or written


class ClassesOfCells(NamedTuple):
    """The class of each cell, -1 where it is left out; `of_record` counts out that of each record, where the records
    are in memory."""

    quasi: Sequence[str]
    cells: Cells
    group: np.ndarray
    of_record: Callable[[], np.ndarray]

    @property
    def others(self) -> Collection[str]:
        """The columns of the cells beside the quasi-identifiers."""
        return self.cells.others

    def keys(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Distinct codes that tell the class of a record, and the classes: of the quasi-identifiers where these do."""
        quasi = dict(zip(self.quasi, self.cells.quasi, strict=True))
        sizes = [int(codes.max(initial=0)) + 1 for codes in quasi.values()]
        (key,), _ = row_keys(sizes, [len(self.group)], [*quasi.values()])
        new = np.diff(key, prepend=-1)
        if (new < 0).any() or (np.diff(self.group)[new[1:] == 0] != 0).any():
            return {**quasi, **self.cells.others}, self.group
        return {name: codes[new > 0] for name, codes in quasi.items()}, self.group[new > 0]

    def counts(self, name: str | None, size: int) -> np.ndarray:
        """The records by class and code of one of these columns, of which there are so many; by class alone."""
        kept = self.group >= 0
        code = 0 if name is None else self.cells.others[name][kept]
        return np.bincount(self.group[kept].astype(np.int64) * size + code, self.cells.weight[kept]).astype(np.int64)


class ClassesOfParts(NamedTuple):
    """The same part by part, where all cells do not fit into memory. A part is the engine of its records alone, with
    its classes; where it is one class as a whole, that class."""

    parts: Callable[[], Iterator[tuple[Engine, ClassesOfCells | int]]]
    sizes: np.ndarray
    others: Mapping[str, np.ndarray]  # classes x codes
    cutting: Cutting | None = None  # where the engine cuts them itself

    def counts(self, name: str | None, size: int) -> np.ndarray:
        """The same."""
        return (self.sizes if name is None else self.others[name]).ravel()


class Engine(ABC):
    """The codes of records, by column. Counts leave it, and records only as they are released, in random order."""

    records: int
    in_memory = False
    cells_fit = True  # all of them at once, into the memory of this process
    _codes: dict[str, np.ndarray]

    @property
    @abstractmethod
    def about(self) -> str:
        """Where the records are, and why."""

    def __repr__(self) -> str:
        return f"<{self.records:,} records {self.about}>"

    def require_memory(self, what: str, instead: str = "") -> None:
        """Raise NotInMemory where the records are not in memory: `what` looks at each of them, `instead` does not."""
        if not self.in_memory:
            way = f"{instead}, or " if instead else ""
            raise NotInMemory(
                f"{what}, and they are not in memory; {way}draw a random sample of them (sample={SAMPLE}), or read the "
                "data with engine='memory'"
            )

    @property
    def codes(self) -> dict[str, np.ndarray]:
        """One array a column, a code a record; only where the records are in memory."""
        self.require_memory("this looks at records one by one")
        return self._codes

    def for_cells(self, columns: Mapping[str, Column], levels: Mapping[str, int]) -> Engine:
        """The same records, of which the cells are by these columns, some of them at a level of their hierarchy."""
        return self

    def few(self, names: Sequence[str], columns: Mapping[str, Column]) -> bool:
        """Whether the combinations of these columns fit into memory."""
        return True

    def require_few(self, names: Sequence[str], columns: Mapping[str, Column], instead: str = OTHERWISE) -> None:
        """Raise TooMany where they do not; `instead` says what to do."""
        if not self.few(names, columns):
            raise TooMany(f"the combinations of {join_names(names)} do not fit into memory; {instead}")

    def slices(self, names: Sequence[str], columns: Mapping[str, Column]) -> Iterator[Engine]:
        """The records in pieces, of each of which the combinations of these columns fit into memory; no two pieces have
        one in common."""
        yield self

    @abstractmethod
    def select(self, names: Sequence[str]) -> Engine:
        """The same records with these columns alone."""

    @abstractmethod
    def mapped(self, maps: Mapping[str, np.ndarray]) -> Engine:
        """Other codes for some columns, `maps[name][code]`; records with a code that becomes -1 are left out."""

    @abstractmethod
    def counts(self, name: str, size: int) -> np.ndarray:
        """The records with each of the codes 0 to size - 1."""

    @abstractmethod
    def collapse(self, quasi: Sequence[str], others: Sequence[str]) -> Cells:
        """The distinct codes of these columns, in their order, with the number of their records."""

    @abstractmethod
    def shuffled(
        self, names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
    ) -> Iterator[list[np.ndarray]]:
        """The codes of these columns (None: the class) in an order that only the operating system knows, some
        records at a time, without those that are left out."""

    @abstractmethod
    def drawn(self, records: int, seed: int) -> dict[str, np.ndarray]:
        """The codes of so many records, by column, drawn at random without replacement; by the same seed the same,
        as far as records have a number of their own."""

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """What differs where the records do."""


class Coding(ABC):
    """The values of records, by column, on their way to codes."""

    @abstractmethod
    def distinct(self, name: str) -> pa.Array:
        """The distinct values of a column, without null."""

    @abstractmethod
    def first(self, name: str, values: np.ndarray) -> int:
        """The first record, from 1, that has one of these distinct values; 0 where records have no order."""

    @abstractmethod
    def code(self, name: str, found: Values) -> Column:
        """The column, once it is known what its distinct values are."""

    @abstractmethod
    def engine(self) -> Engine:
        """The codes of all columns that were coded."""


class Gathering(Coding):
    """Records on their way from a source into an engine: first as they are read, then by column as codes."""

    @abstractmethod
    def add(self, batch: pa.RecordBatch) -> None:
        """Some records more."""


def memory_limit(engine: str) -> str | None:
    """What DuckDB may use by default; BadInput where there is no such engine."""
    if engine not in ENGINES:
        raise BadInput(f"there is no engine {said(engine)}; {meant(engine, ENGINES)}")
    return LIMITS.get(engine)


def gathering(
    engine: str,
    names: Sequence[str],
    limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
) -> Gathering:
    """What gathers these columns into the engine of that name."""
    module = importlib.import_module(f"workbench.data.engines.{engine}")
    made: Gathering = getattr(module, GATHERINGS[engine])(names, limit, temp_directory)
    return made


def changing(maps: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those of the maps that change a code."""
    return {name: places for name, places in maps.items() if (places != np.arange(len(places))).any()}


def plain(values: pa.Array) -> pa.Array:
    """Distinct values as they are typed: text of one type, and nothing but null as text too."""
    kind = values.type
    text = pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_string_view(kind) or pa.types.is_time(kind)
    return values.cast(pa.large_string()) if text else values
