"""Exact answers: queries asked of the records themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data import weights
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.table import Table
from workbench.workloads import together
from workbench.workloads.query import AGGREGATES
from workbench.workloads.together import Coded
from workbench.workloads.tree import Tree

if TYPE_CHECKING:
    from workbench.workloads.workload import Workload

COUNT, SUM, AVG = range(len(AGGREGATES))
Sums = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of some queries, and of each the column that is summed: -1


def answers(workload: Workload) -> np.ndarray:
    """Counts, sums and averages over the records that meet the conditions, by their original codes."""
    table = workload.table
    names = sorted(workload.columns, key=lambda name: table.columns[name].size)  # few branches first
    fit = [of_records(table, table.engine, names)] if table.engine.few(names, table.columns) else None

    def sums(which: np.ndarray, of: np.ndarray) -> np.ndarray:
        levels, found = [coded(workload, name, which, of) for name in names], np.zeros(len(which))
        for tree in fit or (of_records(table, one, names) for one in table.engine.slices(names, table.columns)):
            found += together.sums(tree, levels, len(which))
        return found

    return put_together(workload, sums)


def people(workload: Workload) -> np.ndarray:
    """How many records meet the conditions of each query, or people that they stand for, whatever it asks of them."""
    return answers(replace(workload, aggregate=np.full(len(workload), COUNT)))


def coded(workload: Workload, name: str, which: np.ndarray, of: np.ndarray) -> Coded:
    """A column by its codes, for some queries that sum the columns `of`."""
    column, number = workload.table.columns[name], workload.columns.index(name)
    at, summed = np.ascontiguousarray(workload.conditions.at[which, number]), of == number
    return Coded(column.size, at, workload.conditions.bits, *((numbers_of(column), summed) if summed.any() else ()))


def of_records(table: Table, engine: Engine, names: Sequence[str]) -> Tree:
    """Records of a table by some columns, or all together; where they have weights, the people that they stand for."""
    weight = [table.weight] if table.weight else []
    cells = engine.collapse([*names, *weight] or table.names[:1], [])
    amount = cells.weight * table.columns[table.weight].values[cells.quasi[-1]] if table.weight else cells.weight
    return Tree.of([*cells.quasi[: len(names)]], amount)


def numbers_of(column: Column) -> np.ndarray:
    """The number behind each code, 0 where there is none."""
    if column.kind != "number":
        return np.zeros(column.size)
    return np.append(column.values.astype(float), 0.0)[: column.size]


def put_together(workload: Workload, sums: Sums, which: np.ndarray | None = None) -> np.ndarray:
    """What each query asks for, or each of some, from sums of people and of a column; no average of nobody (nan)."""
    asking = np.arange(len(workload)) if which is None else which
    aggregate, of, (count, total) = workload.aggregate[asking], workload.summed[asking], np.zeros((2, len(asking)))
    counted, summed = (np.flatnonzero(aggregate != other) for other in (SUM, COUNT))
    count[counted] = sums(asking[counted], np.full(len(counted), -1)) if len(counted) else 0
    total[summed] = sums(asking[summed], of[summed]) if len(summed) else 0
    with np.errstate(invalid="ignore", divide="ignore"):
        average = np.where(count > 0, total / count, np.nan)
    return np.choose(aggregate, [count, total, average])


def denominators(workload: Workload, guard: float) -> np.ndarray:
    """What errors are relative to: the true answers, but at least what `guard` people would answer on average.

    For a count that is `guard` itself. For a sum it is that many times the mean absolute number of the column; for an
    average the same as a share of everybody.
    """
    table, least = workload.table, np.full(len(workload), float(guard))
    for number in np.unique(workload.summed[workload.summed >= 0]).tolist():
        column = table.columns[workload.columns[number]]
        typical = np.abs(column.values.astype(float)) @ column.counts / max(int(column.counts.sum()), 1)
        least[workload.summed == number] *= typical or 1.0
    least[workload.aggregate == AVG] /= table.records
    return np.maximum(np.abs(np.nan_to_num(workload.truth)), least)


def moved_by(workload: Workload, guard: float, people: int) -> float:
    """How far the mean relative error moves at most, but for rounding, if so many people join or leave each query.

    Infinite where a query sums or averages: a single person may be any part of that.
    """
    if (workload.aggregate != COUNT).any():
        return np.inf
    return float(people * weights.heaviest(workload.table) * (1 / denominators(workload, guard)).mean())
