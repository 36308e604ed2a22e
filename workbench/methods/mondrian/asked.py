"""What a workload asks of the cells that Mondrian cuts, in the arrays that `query_cut_kernels` takes.

Every query counts as a count of its conditions, and every record once. Of more than `LOOKED_AT` queries, or where the
attributes have very many values, some are looked at, evenly drawn. A condition on what is not published is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from workbench.base import query_cut_kernels
from workbench.base.query_kernels import words
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.workloads.conditions import pack, unpack
from workbench.workloads.workload import Workload

LOOKED_AT = 1_000  # queries at most
ROOM = 2**25  # numbers that are held of them: one for each query and each value of an attribute

Met = Mapping[str, np.ndarray]  # by column, which of its codes meet the condition of each query: queries x codes


class Asked(NamedTuple):
    """`often` says of each quasi-identifier what share of the queries asks about it."""

    often: np.ndarray
    arrays: tuple[np.ndarray, ...]


def asked_of(table: Table, cells: Cells, workload: Workload, exact: bool) -> Asked:
    """Asked of cells whose quasi-identifiers are published in regions, or where `exact` unchanged."""
    queries = _looked_at(workload, sum(table.columns[name].size for name in table.quasi))
    codes = {**dict(zip(table.quasi, cells.quasi, strict=True)), **cells.others}
    met = {name: _met(table, workload, name, queries) for name in codes if name in workload.columns}
    # what is told of a class by counts, and not of each of its records
    counted = {name: rows for name, rows in met.items() if name in (table.sensitive if exact else cells.others)}
    told = {name: rows for name, rows in met.items() if name not in counted}
    whole, count = _bits(met, codes, len(queries)), len(queries)
    known = _bits(told, codes, count) if exact else np.empty((len(cells), 0), np.uint64)
    kind, kept = _kinds(counted, codes, count)
    scales = _scales([table.columns[name] for name in table.quasi], met, count)
    truth = query_cut_kernels.counts(whole, cells.weight, count)
    often = np.array([(~met[name].all(axis=1)).mean() if name in met else 0.0 for name in table.quasi])
    return Asked(often, (whole, known, kind, kept, *scales, 1 / np.maximum(truth, 1.0)))


def _looked_at(workload: Workload, values: int) -> np.ndarray:
    """Which queries are looked at."""
    most = max(min(LOOKED_AT, ROOM // max(values, 1), len(workload)), 1)
    return np.linspace(0, len(workload) - 1, most).round().astype(np.int64)


def _met(table: Table, workload: Workload, name: str, queries: np.ndarray) -> np.ndarray:
    """Which codes of a column meet each query's condition on it, of a sensitive column those that models see.

    A group of sensitive values meets a condition where most of its records do.
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
    """A bit for each query whose conditions each cell meets: cells x words."""
    cells = len(next(iter(codes.values())))
    found = np.repeat(pack(np.ones((1, queries), bool)), cells, axis=0)
    for name, rows in met.items():
        found &= pack(rows.T)[codes[name]]
    return found


def _kinds(met: Met, codes: Mapping[str, np.ndarray], queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells that are alike in some columns have one number: of each cell, and which queries each kind meets there."""
    if not met:
        return np.zeros(len(next(iter(codes.values()))), np.int32), np.ones((1, queries), np.uint8)
    first, kind = distinct_rows(np.stack([codes[name] for name in met], axis=1))
    alike = {name: codes[name][first] for name in met}
    return kind.astype(np.int32), unpack(_bits(met, alike, queries), queries).astype(np.uint8)


def _scales(columns: list[Column], met: Met, queries: int) -> tuple[np.ndarray, ...]:
    """Of each axis its first code among all of them; where each code begins and ends on a scale; and of each place on
    it what lies before, and what of that meets each query's condition (places x queries).

    What lies between two codes meets a condition that both of them meet.
    """
    begins, ends, places, inside, rows = [], [], [], [], 0
    for column in columns:
        place = np.unique(column.edges)
        begin, end = (np.searchsorted(place, edge) for edge in column.edges)
        part = np.searchsorted(begin, np.arange(len(place) - 1), side="right") - 1  # the code there, or before
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
