"""Exact answers to queries, from the records themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data import weights
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.table import Table
from workbench.queries import batch_sums
from workbench.queries.batch_sums import CodeLevel
from workbench.queries.query import AGGREGATES
from workbench.queries.tree import Tree

if TYPE_CHECKING:
    from workbench.queries.workload import Workload

COUNT, SUM, AVG = range(len(AGGREGATES))
Sums = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of queries and the column that each sums (-1: none)


def answers(workload: Workload) -> np.ndarray:
    """Return counts, sums and averages over the records that meet the conditions, by their original codes."""
    table = workload.table
    names = sorted(workload.columns, key=lambda name: table.columns[name].size)  # few branches first
    fit = [of_records(table, table.engine, names)] if table.engine.combinations_fit(names, table.columns) else None

    def sums(which: np.ndarray, summed: np.ndarray) -> np.ndarray:
        levels, found = [coded(workload, name, which, summed) for name in names], np.zeros(len(which))
        for tree in fit or (of_records(table, one, names) for one in table.engine.slices(names, table.columns)):
            found += batch_sums.sums(tree, levels, len(which))
        return found

    return combine_sums(workload, sums)


def people(workload: Workload) -> np.ndarray:
    """Return the number of records, or of the people whom they represent, that meet the conditions of each query."""
    return answers(replace(workload, aggregate=np.full(len(workload), COUNT)))


def coded(workload: Workload, name: str, which: np.ndarray, of: np.ndarray) -> CodeLevel:
    """Return a column as a level of codes, for some queries that sum the columns `of`."""
    column, number = workload.table.columns[name], workload.columns.index(name)
    at, summed = np.ascontiguousarray(workload.conditions.at[which, number]), of == number
    return CodeLevel(column.size, at, workload.conditions.bits, *((numbers_of(column), summed) if summed.any() else ()))


def of_records(table: Table, engine: Engine, names: Sequence[str]) -> Tree:
    """Group records of a table by some columns, or all together; with weights, count people."""
    weight = [table.weight] if table.weight else []
    cells = engine.collapse([*names, *weight] or table.names[:1], [])
    amount = cells.weight * table.columns[table.weight].values[cells.quasi[-1]] if table.weight else cells.weight
    return Tree.from_columns([*cells.quasi[: len(names)]], amount)


def numbers_of(column: Column) -> np.ndarray:
    """Return the number behind each code; 0 if there is none."""
    if column.kind != "number":
        return np.zeros(column.size)
    return np.append(column.values.astype(float), 0.0)[: column.size]


def combine_sums(workload: Workload, sums: Sums, which: np.ndarray | None = None) -> np.ndarray:
    """Return the answer to each query, or to some, from sums of people and of a column; the average of nobody is
    nan."""
    chosen = np.arange(len(workload)) if which is None else which
    aggregate, of, (count, total) = workload.aggregate[chosen], workload.summed[chosen], np.zeros((2, len(chosen)))
    counted, summed = (np.flatnonzero(aggregate != other) for other in (SUM, COUNT))
    count[counted] = sums(chosen[counted], np.full(len(counted), -1)) if len(counted) else 0
    total[summed] = sums(chosen[summed], of[summed]) if len(summed) else 0
    with np.errstate(invalid="ignore", divide="ignore"):
        average = np.where(count > 0, total / count, np.nan)
    return np.choose(aggregate, [count, total, average])


def denominators(workload: Workload, guard: float) -> np.ndarray:
    """Return the denominators of relative errors: the true answers, at least those of `guard` people on average.

    For a count, that minimum is `guard`. For a sum it is `guard` times the mean absolute number of the column, and for
    an average the same divided by the number of records.
    """
    table, least = workload.table, np.full(len(workload), float(guard))
    for number in np.unique(workload.summed[workload.summed >= 0]).tolist():
        column = table.columns[workload.columns[number]]
        typical = np.abs(column.values.astype(float)) @ column.counts / max(int(column.counts.sum()), 1)
        least[workload.summed == number] *= typical or 1.0
    least[workload.aggregate == AVG] /= table.records
    return np.maximum(np.abs(np.nan_to_num(workload.truth)), least)


def largest_change(workload: Workload, guard: float, people: int) -> float:
    """Return by how much, except for rounding, the mean relative error changes at most if so many people join or leave
    each query.

    Infinite if a query sums or averages: a single person may contribute any amount.
    """
    if (workload.aggregate != COUNT).any():
        return np.inf
    return float(people * weights.max_weight(workload.table) * (1 / denominators(workload, guard)).mean())
