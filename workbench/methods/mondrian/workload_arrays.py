"""A workload as arrays for `query_cut_kernels`: what its queries ask about the cells that Mondrian cuts.

Every query is treated as a count of records that satisfy its conditions, and every record counts once. If there are
more than `LOOKED_AT` queries, or the attributes have very many values, an even sample of the queries is used.
Conditions on unpublished columns are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from workbench.base.query_kernels import words
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.methods.mondrian import query_cut_kernels
from workbench.queries.conditions import pack, unpack
from workbench.queries.workload import Workload

LOOKED_AT = 1_000  # maximum number of queries
ROOM = 2**25  # maximum size of their arrays: queries x values of all attributes

Met = Mapping[str, np.ndarray]  # by column, which of its codes satisfy each query's condition: queries x codes


class WorkloadArrays(NamedTuple):
    """`often` is the share of the queries that have a condition on each quasi-identifier."""

    often: np.ndarray
    arrays: tuple[np.ndarray, ...]


def workload_arrays(table: Table, cells: Cells, workload: Workload, exact: bool) -> WorkloadArrays:
    """Return the arrays for cells with quasi-identifiers published in regions, or if `exact` unchanged."""
    queries = _looked_at(workload, sum(table.columns[name].size for name in table.quasi))
    codes = {**dict(zip(table.quasi, cells.quasi, strict=True)), **cells.others}
    met = {name: _met(table, workload, name, queries) for name in codes if name in workload.columns}
    # columns that are published as counts per class, not per record
    counted = {name: rows for name, rows in met.items() if name in (table.sensitive if exact else cells.others)}
    told = {name: rows for name, rows in met.items() if name not in counted}
    whole, count = _bits(met, codes, len(queries)), len(queries)
    known = _bits(told, codes, count) if exact else np.empty((len(cells), 0), np.uint64)
    kind, kept = _kinds(counted, codes, count)
    scales = _scales([table.columns[name] for name in table.quasi], met, count)
    truth = query_cut_kernels.counts(whole, cells.weight, count)
    often = np.array([(~met[name].all(axis=1)).mean() if name in met else 0.0 for name in table.quasi])
    return WorkloadArrays(often, (whole, known, kind, kept, *scales, 1 / np.maximum(truth, 1.0)))


def _looked_at(workload: Workload, values: int) -> np.ndarray:
    """Return the queries that are used."""
    most = max(min(LOOKED_AT, ROOM // max(values, 1), len(workload)), 1)
    return np.linspace(0, len(workload) - 1, most).round().astype(np.int64)


def _met(table: Table, workload: Workload, name: str, queries: np.ndarray) -> np.ndarray:
    """Return which codes of a column satisfy each query's condition on it, at the level that models use.

    A group of sensitive values satisfies a condition if most of its records do.
    """
    column = table.columns[name]
    at = workload.conditions.at[queries, workload.columns.index(name)]
    met = np.ones((len(queries), column.size), bool)
    begins = at[at >= 0]
    met[at >= 0] = unpack(workload.conditions.bits[begins[:, None] + np.arange(words(column.size))], column.size)
    if not table.levels.get(name, 0):
        return met
    first = np.flatnonzero(np.diff(column.node(table.levels[name] - 1), prepend=-1))
    inside = np.add.reduceat(met * column.totals, first, axis=1)
    return inside * 2 > np.add.reduceat(column.totals, first)


def _bits(met: Met, codes: Mapping[str, np.ndarray], queries: int) -> np.ndarray:
    """Return a bit for each query whose conditions a cell satisfies, cells x words."""
    cells = len(next(iter(codes.values())))
    found = np.repeat(pack(np.ones((1, queries), bool)), cells, axis=0)
    for name, rows in met.items():
        found &= pack(rows.T)[codes[name]]
    return found


def _kinds(met: Met, codes: Mapping[str, np.ndarray], queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct combinations of codes; return the number of each cell and the queries of each number."""
    if not met:
        return np.zeros(len(next(iter(codes.values()))), np.int32), np.ones((1, queries), np.uint8)
    first, kind = distinct_rows(np.stack([codes[name] for name in met], axis=1))
    alike = {name: codes[name][first] for name in met}
    return kind.astype(np.int32), unpack(_bits(met, alike, queries), queries).astype(np.uint8)


def _scales(columns: list[Column], met: Met, queries: int) -> tuple[np.ndarray, ...]:
    """Return for each axis the offset of its codes, the ends of each code on a scale, and running totals of the scale.

    The totals before each place are the length of the axis, and the length that satisfies each query's condition
    (places x queries). The gap between two codes satisfies a condition if both of them do.
    """
    begins, ends, places, inside, rows = [], [], [], [], 0
    for column in columns:
        place = np.unique(column.edges)
        begin, end = (np.searchsorted(place, edge) for edge in column.edges)
        part = (
            np.searchsorted(begin, np.arange(len(place) - 1), side="right") - 1
        )  # the code at each place, or the last one before it
        between = np.arange(len(place) - 1) >= end[part]
        there = np.ones((queries, len(part)), bool)
        if column.name in met:
            there = met[column.name][:, part]
            there &= np.where(between, met[column.name][:, np.minimum(part + 1, column.size - 1)], True)
        before = np.zeros((len(place), queries))
        np.cumsum((there * np.diff(place)).T, axis=0, out=before[1:])
        begins.append(begin + rows)
        ends.append(end + rows)
        places.append(np.append(0, np.cumsum(np.diff(place))))
        inside.append(before)
        rows += len(place)
    first = np.cumsum([0, *(column.size for column in columns)])[:-1]
    return first, *(np.concatenate(parts) for parts in (begins, ends, places, inside))
