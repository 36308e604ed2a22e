"""Cells: the distinct combinations of codes in a table, with the number of records of each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import duckdb
import numpy as np
import pyarrow as pa

from workbench.base.connection import Private, Shared
from workbench.base.progress import stoppable

LARGEST_KEY = 2**62
FEW = 100_000  # records that are counted before DuckDB has started
MANY = 1_000_000  # of more DuckDB gives its memory back only where its database ends


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """`quasi` is attributes x cells (int16, or int32 if need be); `others` are the remaining columns' codes."""

    quasi: np.ndarray
    others: dict[str, np.ndarray]
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def digest(self) -> int:
        """A number that only who has the data can know, the same in whatever order the records stand."""
        secret = hashlib.blake2b(digest_size=32)
        for codes in (self.quasi, *self.others.values(), self.weight):
            secret.update(np.ascontiguousarray(codes).data)
        return int.from_bytes(secret.digest(), "big")


def collapse(quasi: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> Cells:
    """The cells of record-long code columns, in the order of their codes."""
    columns = [*quasi.values(), *others.values()]
    if columns and len(columns[0]) <= FEW:
        return _counted_here(quasi, others)
    names = [f"c{i}" for i in range(len(columns))]
    codes = pa.table(dict(zip(names, map(pa.array, columns), strict=True)))
    with Private() if columns and len(columns[0]) > MANY else Shared() as engine:
        engine.register("codes", codes)
        return counted(engine, "codes", names[: len(quasi)], dict(zip(others, names[len(quasi) :], strict=True)))


def counted(engine: duckdb.DuckDBPyConnection, records: str, quasi: Sequence[str], others: Mapping[str, str]) -> Cells:
    """The cells of records in DuckDB, by a GROUP BY; the columns are plain names."""
    names = [*quasi, *others.values()]
    listed = ", ".join(names)
    rows = engine.sql(f"SELECT {listed}, count(*) AS n FROM {records} GROUP BY {listed} ORDER BY {listed}")
    found = stoppable(rows.to_arrow_table, engine.interrupt)
    axes = [found[name].to_numpy() for name in quasi]
    rest = {name: found[field].to_numpy() for name, field in others.items()}
    return _cells(axes, rest, found["n"].to_numpy())


def _counted_here(quasi: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray]) -> Cells:
    """The cells of few records, by sorting them."""
    columns = [*quasi.values(), *others.values()]
    (key,), _ = row_keys([int(codes.max(initial=0)) + 1 for codes in columns], [len(columns[0])], columns)
    _, first, weight = np.unique(key, return_index=True, return_counts=True)
    return _cells(
        [codes[first] for codes in quasi.values()], {name: one[first] for name, one in others.items()}, weight
    )


def in_order(axes: Sequence[np.ndarray], others: Mapping[str, np.ndarray], weight: np.ndarray) -> Cells:
    """Cells that were counted elsewhere, in no order, as they stand in the order of their codes."""
    columns = [*axes, *others.values()]
    (key,), _ = row_keys([int(codes.max(initial=0)) + 1 for codes in columns], [len(weight)], columns)
    order = np.argsort(key)
    return _cells([codes[order] for codes in axes], {name: one[order] for name, one in others.items()}, weight[order])


def _cells(axes: Sequence[np.ndarray], others: Mapping[str, np.ndarray], weight: np.ndarray) -> Cells:
    narrow = max((int(codes.max(initial=0)) for codes in axes), default=0) < 2**15 - 1  # half the memory to go through
    return Cells(
        quasi=np.array(axes, dtype=np.int16 if narrow else np.int32),
        others={name: codes.astype(np.int32) for name, codes in others.items()},
        weight=weight.astype(np.int64),
    )


def locate(cells: list[np.ndarray], records: list[np.ndarray]) -> np.ndarray:
    """The cell of each record; both sides hold the same columns, cells are distinct."""
    (key, wanted), _ = row_keys(
        [int(codes.max()) + 1 for codes in cells], [len(cells[0]), len(records[0])], cells, records
    )
    order = np.argsort(key)
    return order[np.searchsorted(key[order], wanted)].astype(np.int32)


def distinct_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first index of each distinct row, in order of appearance, and the number of each row among them."""
    (key,), _ = row_keys([int(column.max(initial=0)) + 1 for column in matrix.T], [len(matrix)], list(matrix.T))
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    appearance = np.argsort(first)
    number = np.empty(len(first), np.int64)
    number[appearance] = np.arange(len(first))
    return first[appearance], number[inverse]


def row_keys(sizes: Sequence[int], rows: Sequence[int], *sides: Sequence[np.ndarray]) -> tuple[list[np.ndarray], int]:
    """One number a row, the same on every side where all its codes are, and how many there may be.

    A side is its columns, none perhaps, with so many `rows`; `sizes` says how many codes each may have. The first
    side has every row of the others.
    """
    keys, largest = [np.zeros(count, np.int64) for count in rows], 1
    for i, size in enumerate(sizes):
        if largest * size > LARGEST_KEY:  # rank what is there so far, so that the key stays in 64 bits
            ranks = np.unique(keys[0])
            keys, largest = [np.searchsorted(ranks, key) for key in keys], len(ranks)
        for key, side in zip(keys, sides, strict=True):
            key *= size
            key += side[i]
        largest *= size
    return keys, largest


def told_apart(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Who is told apart by all quasi-identifiers, as populations of one code each, and how many are alike."""
    first, group = distinct_rows(cells.quasi.T)
    sizes = np.bincount(group, weights=cells.weight).astype(np.int64)
    return np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2), sizes
