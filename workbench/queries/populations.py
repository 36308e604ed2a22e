"""Large populations (Li & Li 2009, section 4.2): predicates over quasi-identifiers that many records satisfy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from workbench.base import cell_kernels, progress
from workbench.base.errors import BadInput
from workbench.data import weights
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.queries import kernels

LISTED = 200_000  # maximum number of populations; more are sampled
DRAWN = 20_000  # size of the sample
COUNTED = 20_000_000  # maximum number that is counted
SLACK = 1e-9  # relative, for sums of weights
CERTAIN = 1.96  # standard errors on either side of a 95 % interval
NUMBERS = 40_000_000  # maximum size of a list: populations x sensitive values


@dataclass(frozen=True, eq=False, repr=False)
class Populations:
    """Conjunctions of one run per quasi-identifier (the whole axis: no condition), with their true counts."""

    runs: np.ndarray  # populations x quasi x (low, high)
    support: np.ndarray  # records in each, or the people whom they represent
    truth: dict[str, np.ndarray]  # the same per sensitive value
    every: int  # how many there are; if more than are listed, these are a random sample

    def __len__(self) -> int:
        return len(self.support)

    @property
    def sampled(self) -> bool:
        return len(self) < self.every

    def margin(self, loss: np.ndarray) -> float:
        """Return the 95 % margin of error of this sample's mean as an estimate of the mean over all populations."""
        return CERTAIN * float(loss.std(ddof=1)) * math.sqrt((1 - len(loss) / self.every) / len(loss))

    @cached_property
    def same(self) -> np.ndarray:
        """The number of leading attributes that each population shares with the previous one."""
        return shared_prefix(self.runs)


def shared_prefix(runs: np.ndarray) -> np.ndarray:
    """Return how many leading attributes each row shares with the previous one."""
    equal = (runs[1:] == runs[:-1]).all(axis=2)
    return np.append([0], np.cumprod(equal, axis=1).sum(axis=1)).astype(np.int64)[: len(runs)]


def large_populations(table: Table, min_support: float = 0.05) -> Populations:
    """Return all conjunctions with at least `min_support` of the records, except roots and the empty conjunction.

    With weights, `min_support` is a share of the people. More than `LISTED` populations are sampled, always in the same
    way; beyond `COUNTED` none is listed. The result is cached per table.
    """
    return table.remember(("populations", min_support), lambda: _found(table, min_support))


def _found(table: Table, min_support: float) -> Populations:
    if not 0 < min_support <= 1:
        raise BadInput(f"min_support = {min_support} must be above 0 and at most 1: a share of the records")
    needed = _needed(table, min_support)
    # Long axes first: few cells remain after them.
    axes = sorted(range(len(table.quasi)), key=lambda a: -table.columns[table.quasi[a]].size)
    runs = [_large_runs(table, table.quasi[a], needed) for a in axes]
    found, every = _walk(table, axes, runs, needed)
    order = np.lexsort(
        [found.paths[:, axes.index(a)] for a in reversed(range(len(axes)))]
    )  # so that prefixes are shared
    chosen = np.empty((len(order), len(axes), 2), np.int32)
    for depth, a in enumerate(axes):
        chosen[:, a] = runs[depth][found.paths[order, depth]]
    ends = np.cumsum([len(seen) for seen in table.sensitive.values()])[:-1]
    truth = dict(zip(table.sensitive, np.split(found.truth[order], ends, axis=1), strict=False))
    return Populations(chosen, found.support[order], truth, every)


def _needed(table: Table, min_support: float) -> float:
    """Return the number of records, or people, of a large population; sums of fractional weights get some slack."""
    if table.weight is None:
        return max(1, math.ceil(round(min_support * table.records, 6)))
    return min_support * float(weights.people(table).sum()) * (1 - SLACK)


class _Lists(NamedTuple):
    """For each listed population: a run on each axis, its records, those of each sensitive value, and its random
    number."""

    paths: np.ndarray
    support: np.ndarray
    truth: np.ndarray
    chances: np.ndarray

    @classmethod
    def empty(cls, axes: int, values: int, kind: np.dtype) -> _Lists:
        return cls(np.empty((0, axes), np.int32), np.empty(0, kind), np.empty((0, values), kind), np.empty(0))

    def longer(self, most: int) -> _Lists:
        more = min(1000 + len(self.support), most - len(self.support))
        return _Lists(*(np.concatenate([one, np.empty((more, *one.shape[1:]), one.dtype)]) for one in self))

    def only(self, which: np.ndarray) -> _Lists:
        return _Lists(*(one[which] for one in self))


def _walk(table: Table, axes: Sequence[int], runs: Sequence[np.ndarray], needed: float) -> tuple[_Lists, int]:
    """Return the listed populations, and how many there are."""
    cells, runs = _counted(table, axes, runs)
    values = sum(map(len, table.sensitive.values()))
    trie = _trie(table, cells, axes, runs)
    frames, state = _frames(cells, trie, axes[0]), np.zeros(3, np.int64)
    most = max(min(LISTED, NUMBERS // max(values, 1)), 10)
    drawn, limit = most // 10, 1.0
    found = _Lists.empty(len(axes), values, cells.weight.dtype)
    while state[0] >= 0 and state[1] <= COUNTED:
        if state[2] == len(found.support):
            found = found.longer(most + 1)
        kernels.descend(trie, frames, state, found, needed, limit, cell_kernels.STEPS)
        progress.checkpoint(f"{state[1]:,} populations found")
        if state[2] > most:  # keep the smallest random numbers: an unbiased sample
            found, limit = _smallest(found, drawn)
            state[2] = drawn
    found = found.only(np.arange(state[2] if state[1] <= COUNTED else 0))
    return (found if limit == 1 else _smallest(found, drawn)[0]), int(state[1])


def _smallest(found: _Lists, count: int) -> tuple[_Lists, float]:
    """Return the populations with the smallest random numbers, in the order found, and the largest of these numbers."""
    if len(found.support) <= count:
        return found, 1.0
    limit = float(np.partition(found.chances, count - 1)[count - 1])
    return found.only(found.chances <= limit), limit


def _counted(table: Table, axes: Sequence[int], runs: Sequence[np.ndarray]) -> tuple[Cells, list[np.ndarray]]:
    """Return the cells with their records, or with the people whom they represent.

    If cells do not fit in memory, codes that no run distinguishes are merged, in the cells and in the runs.
    """
    if not table.engine.cells_fit and table.weight is None:
        maps = [atoms(one, table.columns[table.quasi[a]].size) for a, one in zip(axes, runs, strict=True)]
        seen = table.model_view.mapped({table.quasi[a]: atom for a, atom in zip(axes, maps, strict=True)})
        columns = [*table.quasi, *table.sensitive]
        seen.require_combinations_fit(columns, table.columns, "raise min_support, or choose fewer quasi-identifiers")
        return seen.collapse(table.quasi, [*table.sensitive]), [atom[one] for atom, one in zip(maps, runs, strict=True)]
    cells, people = table.cells(), weights.people(table)
    if table.weight is None:
        return cells, [*runs]
    counted = people > 0
    others = {name: codes[counted] for name, codes in cells.others.items()}
    return Cells(np.ascontiguousarray(cells.quasi[:, counted]), others, people[counted]), [*runs]


def atoms(runs: np.ndarray, size: int) -> np.ndarray:
    """Number the codes of an axis, with one number for codes that no run distinguishes."""
    begins = np.zeros(size + 1, np.int32)
    begins[runs[:, 0]] = 1
    begins[runs[:, 1] + 1] = 1
    begins[0] = 0
    return np.cumsum(begins[:size]).astype(np.int32)


def _trie(table: Table, cells: Cells, axes: Sequence[int], runs: Sequence[np.ndarray]) -> tuple:
    """Return the arrays for `kernels.descend`: the cells of the remaining axes, axis by axis, from all of
    them."""
    number, value = _distinct([cells.others[name] for name in table.sensitive], len(cells))
    levels: list[tuple[np.ndarray, np.ndarray]] = []
    for a in reversed(axes[1:]):
        number, (codes, after) = _distinct([cells.quasi[a], number], len(cells))
        levels.insert(0, (codes, after))
    levels.insert(0, (cells.quasi[axes[0]], number))
    progress.checkpoint()
    return (
        _begins(len(codes) for codes, _ in levels),
        np.concatenate([codes for codes, _ in levels]).astype(np.int32),
        np.concatenate([after for _, after in levels]).astype(np.int32),
        _begins(table.columns[table.quasi[a]].size + 1 for a in axes),
        _begins(map(len, runs)),
        np.concatenate(runs),
        value.astype(np.int32),
        _begins(len(seen) for seen in table.sensitive.values())[:-1],
    )


def _distinct(columns: Sequence[np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct rows, and return the distinct rows as columns."""
    number, distinct = np.zeros(count, np.int64), np.empty((0, 1), np.int64)
    for codes in columns:
        progress.checkpoint()
        size = int(codes.max(initial=0)) + 1
        number, keys = pd.factorize(number * size + codes)
        distinct = np.vstack([distinct[:, keys // size], keys % size])
    return number, distinct


def _frames(every: Cells, trie: tuple, axis: int) -> tuple:
    """Return the start of the walk: all cells in the order of their codes on the first axis, and buffers for the
    others."""
    progress.checkpoint()
    first, first_code, value = trie[0], trie[3], trie[6]
    codes, weight = every.quasi[axis], every.weight
    order = np.argsort(codes, kind="stable")
    progress.checkpoint()
    cells, weights = np.empty(first[-1], np.int32), np.empty(first[-1], weight.dtype)
    cells[: len(order)], weights[: len(order)] = order, weight[order]
    begin, total = np.zeros(first_code[-1], np.int64), np.zeros(first_code[-1], weight.dtype)
    size = first_code[1] - 1
    begin[1 : size + 1] = np.cumsum(np.bincount(codes, minlength=size))
    total[1 : size + 1] = np.cumsum(np.bincount(codes, weight, size))
    most = max([*np.diff(first)[1:], value.shape[1]])
    return (
        cells,
        weights,
        begin,
        total,
        np.zeros(len(first) - 1, np.int64),
        np.zeros(most, weight.dtype),
        np.empty(most, np.int32),
    )


def _begins(lengths: Iterable[int]) -> np.ndarray:
    """Return where each of several pieces begins in one long array, and where the last one ends."""
    return np.cumsum([0, *lengths]).astype(np.int64)


def _large_runs(table: Table, name: str, needed: float) -> np.ndarray:
    """Return the whole axis, then its runs with enough records."""
    column, runs, totals = table.columns[name], table_runs(table, name), table.columns[name].totals
    if table.weight is not None:
        totals = np.bincount(table.cells().quasi[table.quasi.index(name)], weights.people(table), column.size)
    before = np.append(0, np.cumsum(totals))
    large = before[runs[:, 1] + 1] - before[runs[:, 0]] >= needed
    return np.vstack([[[0, column.size - 1]], runs[large]]).astype(np.int32)


def table_runs(table: Table, name: str) -> np.ndarray:
    """Return the distinct runs (low, high) of a column at every level, leaves included, except the whole axis."""
    column = table.columns[name]
    leaves = np.repeat(np.arange(column.size)[:, None], 2, axis=1)
    runs = column.hierarchy.runs() if column.hierarchy else leaves[: len(column.values)]
    if column.missing:
        runs = np.concatenate([runs, leaves[-1:]])
    whole = (runs[:, 0] == 0) & (runs[:, 1] >= len(column.values) - 1)
    return runs[~whole]
