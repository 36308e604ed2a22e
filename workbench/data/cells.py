"""Cells: the distinct combinations of codes in a table, with their numbers of records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa

from workbench.base.connection import PrivateConnection, SharedConnection
from workbench.base.progress import run_interruptible

if TYPE_CHECKING:
    from workbench.data.table import Table

LARGEST_KEY = 2**62
FEW = 100_000  # up to here, sorting takes less time than starting DuckDB
MANY = 1_000_000  # beyond, use a database of its own: DuckDB returns the memory only when the database is closed


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Distinct combinations of codes.

    `quasi` is attributes x cells (int16, or int32 if necessary), `others` has the codes of the remaining columns.
    """

    quasi: np.ndarray
    others: dict[str, np.ndarray]
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def digest(self) -> int:
        """A digest of the content, as a number. It does not depend on the order of the records."""
        secret = hashlib.blake2b(digest_size=32)
        for codes in (self.quasi, *self.others.values(), self.weight):
            secret.update(np.ascontiguousarray(codes).data)
        return int.from_bytes(secret.digest(), "big")


def collapse(quasi: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> Cells:
    """Count the cells of columns with one code per record; sort them by their codes."""
    columns = [*quasi.values(), *others.values()]
    if columns and len(columns[0]) <= FEW:
        return _counted_here(quasi, others)
    names = [f"c{i}" for i in range(len(columns))]
    codes = pa.table(dict(zip(names, map(pa.array, columns), strict=True)))
    with PrivateConnection() if columns and len(columns[0]) > MANY else SharedConnection() as engine:
        engine.register("codes", codes)
        return counted(engine, "codes", names[: len(quasi)], dict(zip(others, names[len(quasi) :], strict=True)))


def counted(engine: duckdb.DuckDBPyConnection, records: str, quasi: Sequence[str], others: Mapping[str, str]) -> Cells:
    """Count the cells of records in DuckDB with a GROUP BY; the columns have plain names."""
    names = [*quasi, *others.values()]
    listed = ", ".join(names)
    rows = engine.sql(f"SELECT {listed}, count(*) AS n FROM {records} GROUP BY {listed} ORDER BY {listed}")
    found = run_interruptible(rows.to_arrow_table, engine.interrupt)
    axes = [found[name].to_numpy() for name in quasi]
    rest = {name: found[field].to_numpy() for name, field in others.items()}
    return _cells(axes, rest, found["n"].to_numpy())


def _counted_here(quasi: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray]) -> Cells:
    """Count the cells of a small table by sorting it."""
    columns = [*quasi.values(), *others.values()]
    (key,), _ = row_keys([int(codes.max(initial=0)) + 1 for codes in columns], [len(columns[0])], columns)
    _, first, weight = np.unique(key, return_index=True, return_counts=True)
    return _cells(
        [codes[first] for codes in quasi.values()], {name: one[first] for name, one in others.items()}, weight
    )


def in_order(axes: Sequence[np.ndarray], others: Mapping[str, np.ndarray], weight: np.ndarray) -> Cells:
    """Sort cells that another engine has counted."""
    columns = [*axes, *others.values()]
    (key,), _ = row_keys([int(codes.max(initial=0)) + 1 for codes in columns], [len(weight)], columns)
    order = np.argsort(key)
    return _cells([codes[order] for codes in axes], {name: one[order] for name, one in others.items()}, weight[order])


def _cells(axes: Sequence[np.ndarray], others: Mapping[str, np.ndarray], weight: np.ndarray) -> Cells:
    narrow = max((int(codes.max(initial=0)) for codes in axes), default=0) < 2**15 - 1  # half of the memory traffic
    return Cells(
        quasi=np.array(axes, dtype=np.int16 if narrow else np.int32),
        others={name: codes.astype(np.int32) for name, codes in others.items()},
        weight=weight.astype(np.int64),
    )


def locate(cells: list[np.ndarray], records: list[np.ndarray]) -> np.ndarray:
    """Return the cell of each record; both sides have the same columns, and cells are distinct."""
    (key, wanted), _ = row_keys(
        [int(codes.max()) + 1 for codes in cells], [len(cells[0]), len(records[0])], cells, records
    )
    order = np.argsort(key)
    return order[np.searchsorted(key[order], wanted)].astype(np.int32)


def distinct_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first index of each distinct row, in order of appearance, and the index of each row's distinct row."""
    (key,), _ = row_keys([int(column.max(initial=0)) + 1 for column in matrix.T], [len(matrix)], list(matrix.T))
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    appearance = np.argsort(first)
    number = np.empty(len(first), np.int64)
    number[appearance] = np.arange(len(first))
    return first[appearance], number[inverse]


def row_keys(sizes: Sequence[int], rows: Sequence[int], *sides: Sequence[np.ndarray]) -> tuple[list[np.ndarray], int]:
    """Return a key for each row, equal across all sides for equal codes, and the range of the keys.

    A side is a sequence of columns, possibly empty, with the given number of `rows`; `sizes` has the number of codes of
    each column. The first side must contain every row of the others.
    """
    keys, largest = [np.zeros(count, np.int64) for count in rows], 1
    for i, size in enumerate(sizes):
        if largest * size > LARGEST_KEY:  # replace the keys by their ranks, to stay within 64 bits
            ranks = np.unique(keys[0])
            keys, largest = [np.searchsorted(ranks, key) for key in keys], len(ranks)
        for key, side in zip(keys, sides, strict=True):
            key *= size
            key += side[i]
        largest *= size
    return keys, largest


def distinct_people(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct combinations of quasi-identifiers, as regions of one code each, and their record counts."""
    first, group = distinct_rows(cells.quasi.T)
    sizes = np.bincount(group, weights=cells.weight).astype(np.int64)
    return np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2), sizes


def cell_of_record(table: Table, others: Iterable[str] = ()) -> np.ndarray:
    """Return the index of each record's cell, where cells are split by `others`, too."""
    cells = table.cells(others)

    def located() -> np.ndarray:
        codes = [table.model_view.codes[name] for name in (*table.quasi, *cells.others)]
        return locate([*cells.quasi, *cells.others.values()], codes)

    return table.remember(("cell of record", *cells.others), located)
