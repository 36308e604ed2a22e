"""From a source to coded columns: one pass over the records, then distinct values are typed and sorted."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadColumns, BadInput, columns_meant
from workbench.base.progress import step, stoppable
from workbench.data.column import Column
from workbench.data.reading.source import Source
from workbench.data.reading.value_types import KINDS, Empty, Values, find_values

PENDING = 1 << 24  # bytes of distinct values that wait to be merged


def encode(
    source: Source,
    columns: Sequence[str] | None = None,
    *,
    missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    types: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    empty: Collection[str] = (),
) -> dict[str, tuple[Column, np.ndarray]]:
    """Each column with its code per record, in the order of the source.

    `missing` lists the text that stands for a missing value, in all columns or by column, `types` the kind of columns
    whose kind is known;
    a column with nothing but missing values is refused, or left out with a note if it is among `empty`;
    `progress` is called with the number of records read so far, also while none comes, and may raise to stop.
    """
    wanted = list(dict.fromkeys(source.names if columns is None else columns))
    types = _checked(types or {}, source)
    wrong = source.unreadable(wanted)
    names = [name for name in wanted if name not in wrong]
    if wrong and not names:
        raise BadColumns(wrong)
    gathered = [Gathered() for _ in names]
    read = 0
    batches = source.batches(names)

    def look() -> None:
        step()
        source.refuse_late()
        if progress:
            progress(read)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        # a query may take for ever before its first record
        while (batch := stoppable(lambda: next(batches, None), source.interrupt, look)) is not None:
            list(threads.map(Gathered.add, gathered, batch.columns))
            read += len(batch)
            look()
    coded = {}
    for name in names:
        column = gathered.pop(0)
        try:
            found = find_values(
                column.merged(),
                source.where,
                name,
                typed=source.typed,
                missing=missing.get(name) if isinstance(missing, Mapping) else missing,
                declared=types.get(name),
                first=column.first,
            )
        except BadInput as error:
            if not isinstance(error, Empty) or name not in empty:
                wrong[name] = str(error)
                continue
            source.notes.append(f"{name}: nothing but missing values, left out")
            continue
        if found.markers:
            source.notes.append(f"{name}: {', '.join(map(repr, found.markers))} read as missing")
        source.notes += [f"{name}: {note}" for note in found.notes]
        coded[name] = column.coded(name, found)
    if wrong:
        raise BadColumns({name: wrong[name] for name in wanted if name in wrong})
    return coded


def _checked(types: Mapping[str, str], source: Source) -> Mapping[str, str]:
    for name, kind in types.items():
        if name not in source.names:
            raise BadInput(f"types: {source.where} has no column {name!r}; {columns_meant(name, source.names)}")
        if kind not in KINDS:
            raise BadInput(f"types: {name!r} is declared {kind!r}; a column is one of {', '.join(map(repr, KINDS))}")
    return types


class Gathered:
    """One column as it is read: codes within each batch, and where the values of each batch stand among all so far.

    Values are merged in large portions: a dictionary in Python would cost ten times as much for all-distinct columns.
    """

    def __init__(self) -> None:
        self._codes: list[np.ndarray] = []
        self._where: list[np.ndarray] = []  # batch value -> known value
        self._known: pa.Array | None = None
        self._pending: list[pa.Array] = []

    def add(self, batch: pa.Array) -> None:
        """One batch more."""
        if pa.types.is_null(batch.type):
            batch = batch.cast(pa.large_string())
        encoded = batch.dictionary_encode()
        values = encoded.dictionary
        text = pa.types.is_string(values.type) or pa.types.is_string_view(values.type) or pa.types.is_time(values.type)
        self._pending.append(values.cast(pa.large_string()) if text else values)
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
        """The distinct values of all batches."""
        if self._pending:
            self._merge()
        assert self._known is not None  # a source without records raises
        return self._known

    def first(self, values: np.ndarray) -> int:
        """The first record, from 1, that has one of these distinct values."""
        start = 1
        for codes, where in zip(self._codes, self._where, strict=True):
            here = np.append(np.isin(where, values), False)[codes]
            if here.any():
                return start + int(here.argmax())
            start += len(codes)
        return 0

    def coded(self, name: str, found: Values) -> tuple[Column, np.ndarray]:
        """The column, and the code of every record; gives back its memory on the way."""
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
