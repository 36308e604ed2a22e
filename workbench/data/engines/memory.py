"""Records in memory: an array of codes per column."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from workbench.base.randomness import operating_system_random
from workbench.data.cells import Cells, collapse
from workbench.data.column import Column
from workbench.data.engines import BATCH, ClassesOfCells, ClassesOfParts, Engine, EngineBuilder, changing, plain
from workbench.data.reading.value_types import Values

PENDING = 1 << 24  # bytes of distinct values before they are merged


class Memory(Engine):
    """The codes of every column as arrays."""

    in_memory = True
    about = "in memory, the default if they fit"

    def __init__(self, codes: Mapping[str, np.ndarray]) -> None:
        self._codes = dict(codes)
        self.records = len(next(iter(self._codes.values()), ()))

    def select(self, names: Sequence[str]) -> Memory:
        return Memory({name: self._codes[name] for name in names})

    def mapped(self, maps: Mapping[str, np.ndarray]) -> Memory:
        codes, keep = dict(self._codes), None
        for name, places in changing(maps).items():
            codes[name] = places.astype(codes[name].dtype)[codes[name]]
            if len(places) and places.min() < 0:
                here = codes[name] >= 0
                keep = here if keep is None else keep & here
        return Memory(codes if keep is None else {name: array[keep] for name, array in codes.items()})

    def counts(self, name: str, size: int) -> np.ndarray:
        return np.bincount(self._codes[name], minlength=size)

    def collapse(self, quasi: Sequence[str], others: Sequence[str]) -> Cells:
        return collapse({name: self._codes[name] for name in quasi}, {name: self._codes[name] for name in others})

    def shuffled(
        self, names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
    ) -> Iterator[list[np.ndarray]]:
        assert isinstance(partition, ClassesOfCells)  # all cells fit where the records do
        group = partition.of_record()
        order = np.arange(self.records, dtype=np.int32)
        if (partition.group < 0).any():
            order = order[group >= 0]
        operating_system_random().shuffle(order)
        columns = [group if name is None else self._codes[name] for name in names]
        for start in range(0, len(order), BATCH):
            records = order[start : start + BATCH]
            yield [codes[records] for codes in columns]

    def drawn(self, records: int, seed: int) -> dict[str, np.ndarray]:
        chosen = np.sort(np.random.default_rng(seed).choice(self.records, records, replace=False))
        return {name: codes[chosen] for name, codes in self._codes.items()}

    def content(self) -> Iterator[bytes]:
        for codes in self._codes.values():
            yield np.ascontiguousarray(codes.astype(np.int32)).tobytes()


class MemoryBuilder(EngineBuilder):
    """Collects the columns as they are read, each in its own thread."""

    def __init__(self, names: Sequence[str], *_: str | os.PathLike[str] | None) -> None:
        self._columns = {name: _ColumnBuilder() for name in names}
        self._codes: dict[str, np.ndarray] = {}
        self._threads = ThreadPoolExecutor(os.cpu_count())

    def add(self, batch: pa.RecordBatch) -> None:
        list(self._threads.map(_ColumnBuilder.add, self._columns.values(), batch.columns))

    def distinct(self, name: str) -> pa.Array:
        return self._columns[name].merged()

    def first(self, name: str, values: np.ndarray) -> int:
        return self._columns[name].first(values)

    def code(self, name: str, found: Values) -> Column:
        column, self._codes[name] = self._columns.pop(name).coded(name, found)
        return column

    def engine(self) -> Memory:
        return Memory(self._codes)


class _ColumnBuilder:
    """One column while it is read: codes within each batch, and the positions of the batch's values among all values.

    Values are merged in large portions: a Python dictionary would cost ten times as much for columns of unique values.
    """

    def __init__(self) -> None:
        self._codes: list[np.ndarray] = []
        self._where: list[np.ndarray] = []  # per batch: the index of each value among the known ones
        self._known: pa.Array | None = None
        self._pending: list[pa.Array] = []

    def add(self, batch: pa.Array) -> None:
        """Add a batch."""
        encoded = (plain(batch) if pa.types.is_null(batch.type) else batch).dictionary_encode()
        values = encoded.dictionary
        self._pending.append(plain(values))
        codes = encoded.indices.fill_null(len(values)) if encoded.null_count else encoded.indices
        self._codes.append(codes.to_numpy().astype(np.min_scalar_type(len(values))))
        known = self._known.nbytes if self._known is not None else 0
        if sum(values.nbytes for values in self._pending) > max(PENDING, known):
            self._merge()

    def _merge(self) -> None:
        before = [] if self._known is None else [self._known]
        merged = pa.concat_arrays([*before, *self._pending]).dictionary_encode()
        where, start = merged.indices.to_numpy(), len(before[0]) if before else 0
        for values in self._pending:
            stop = start + len(values)
            self._where.append(where[start:stop].copy())
            start = stop
        self._known, self._pending = merged.dictionary, []

    def merged(self) -> pa.Array:
        """Return the distinct values of all batches."""
        if self._pending:
            self._merge()
        assert self._known is not None  # a source without records raises
        return self._known

    def first(self, values: np.ndarray) -> int:
        """Return the first record, counted from 1, with one of these distinct values."""
        start = 1
        for codes, where in zip(self._codes, self._where, strict=True):
            here = np.append(np.isin(where, values), False)[codes]
            if here.any():
                return start + int(here.argmax())
            start += len(codes)
        return 0

    def coded(self, name: str, found: Values) -> tuple[Column, np.ndarray]:
        """Return the column and the code of every record; releases the memory of the batches."""
        self._known, size = None, len(found.values)
        place = np.where(found.place < 0, size, found.place).astype(np.int16 if size < 2**15 else np.int32)
        codes = np.empty(sum(map(len, self._codes)), dtype=place.dtype)
        counts, start = np.zeros(size + 1, dtype=np.int64), 0
        for batch, where in self._batches():
            part = codes[start : start + len(batch)]
            part[:] = np.append(place[where], place.dtype.type(size))[batch]
            start += len(batch)
        for part in np.array_split(codes, len(codes) // 2**20 + 1):
            counts += np.bincount(part, minlength=size + 1)
        return Column(name, found.kind, found.values, found.labels, counts[:-1], int(counts[-1])), codes

    def _batches(self) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        self._codes.reverse()
        self._where.reverse()
        while self._codes:
            yield self._codes.pop(), self._where.pop()
