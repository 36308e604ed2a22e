"""Exact answers to queries from the records: packed conditions, the tree of records, and sums over its branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.progress import checkpoint
from workbench.data import weights
from workbench.data.cells import row_keys
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.table import Table
from workbench.queries import kernels
from workbench.queries.kernels import QUERIES, words
from workbench.queries.query import AGGREGATES

if TYPE_CHECKING:
    from workbench.queries.workload import Workload


# Packed conditions of many queries: one bit for each code of a column, in words of 64 bits.


class Conditions(NamedTuple):
    """`at[q, c]` is where in `bits` the condition of query q on `columns[c]` begins; -1 if there is none."""

    columns: tuple[str, ...]
    bits: np.ndarray
    at: np.ndarray

    @classmethod
    def empty(cls, sizes: Mapping[str, int], conditioned: np.ndarray) -> Conditions:
        """Return conditions that nothing meets yet; `conditioned` (queries x columns) marks which exist."""
        length = np.where(conditioned, [words(size) for size in sizes.values()], 0)
        at = np.where(conditioned, np.cumsum(length).reshape(length.shape) - length, -1)
        return cls(tuple(sizes), np.zeros(int(length.sum()), np.uint64), at.astype(np.int64))

    @classmethod
    def packed(cls, queries: Iterable[Mapping[str, np.ndarray]]) -> Conditions:
        """Pack boolean arrays over codes; identical ones are stored once."""
        listed = [*queries]
        columns = tuple(dict.fromkeys(name for one in listed for name in one))
        places, pieces, length = dict[tuple[str, bytes], int](), list[np.ndarray](), 0
        at = np.full((len(listed), len(columns)), -1, np.int64)
        for q, one in enumerate(listed):
            for name, codes in one.items():
                piece = pack(codes)
                key = (name, piece.tobytes())
                if key not in places:
                    places[key] = length
                    pieces.append(piece)
                    length += len(piece)
                at[q, columns.index(name)] = places[key]
        return cls(columns, np.concatenate(pieces) if pieces else np.zeros(0, np.uint64), at)

    def met(self, q: int, column: int, size: int) -> np.ndarray:
        """Return which codes of a column meet the condition of one query."""
        begin = self.at[q, column]
        return unpack(self.bits[begin : begin + words(size)], size)


def pack(codes: np.ndarray) -> np.ndarray:
    """Pack a boolean array, or rows of them, into words."""
    room = words(codes.shape[-1]) * 64
    wide = np.zeros((*codes.shape[:-1], room), bool)
    wide[..., : codes.shape[-1]] = codes
    return np.packbits(wide, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(packed: np.ndarray, size: int) -> np.ndarray:
    """Unpack words, or rows of them, into a boolean array over codes."""
    octets = np.ascontiguousarray(packed.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=size, bitorder="little").astype(bool)


# Records as a tree with one level per column, over which queries are summed branch by branch.


class Tree(NamedTuple):
    """Nodes level after level: their `codes`, the `first` node of each level, the index of the first `child` of each
    node within the next level, and the `total` below each."""

    codes: np.ndarray
    first: np.ndarray
    child: np.ndarray
    total: np.ndarray

    @classmethod
    def from_columns(cls, columns: Sequence[np.ndarray], amount: np.ndarray) -> Tree:
        """Build from rows with a code in each column; identical rows are merged."""
        columns = [*columns] or [np.zeros(len(amount), np.int32)]
        sizes = [int(codes.max(initial=0)) + 1 for codes in columns]
        (key,), _ = row_keys(sizes, [len(amount)], columns)
        if (np.diff(key) < 0).any():
            order = np.argsort(key, kind="stable")
            columns, amount = [codes[order] for codes in columns], amount[order]
        new, levels, starts = np.zeros(len(amount), bool), [], []
        new[:1] = True
        for codes in columns:
            new[1:] |= codes[1:] != codes[:-1]
            starts.append(np.flatnonzero(new))
            levels.append(codes[starts[-1]])
        children = [np.append(np.searchsorted(below, here), len(below)) for here, below in pairwise(starts)]
        totals = [np.add.reduceat(amount, here) if len(here) else amount for here in starts]
        return cls(
            np.concatenate(levels).astype(np.int32),
            np.cumsum([0, *map(len, levels)]),
            np.concatenate([*children, np.zeros(1, np.int64)]),
            np.concatenate(totals).astype(float),
        )


# Sums over records for batches of 64 queries, which go down the tree of the records as bits of a word.


@dataclass(frozen=True, eq=False)
class CodeLevel:
    """A level of codes: a record counts for the queries whose conditions its code meets.

    `at` is where the condition of each query begins in `bits`, -1 without one. With `summed`, the record counts as
    often as the number of its code.
    """

    size: int
    at: np.ndarray
    bits: np.ndarray
    numbers: np.ndarray | None = None
    summed: np.ndarray | None = None

    has_factors = False

    def fill(self, some: slice, words: np.ndarray, factors: np.ndarray) -> None:
        """Fill in the queries for which each code counts."""
        kernels.across(self.bits, self.at[some], self.size, words)


@dataclass(frozen=True, eq=False)
class RegionLevel:
    """A level of regions or classes: a record counts with the factor in its row of the table.

    `at` is -1 if a query has no condition on the level. The table is regions x queries.
    """

    size: int
    at: np.ndarray
    table: Callable[[slice], np.ndarray]

    has_factors, numbers, summed = True, None, None

    def fill(self, some: slice, words: np.ndarray, factors: np.ndarray) -> None:
        """Fill in the factor of each region for each query, and where it is not 0."""
        table = self.table(some)
        factors[:, : table.shape[1]] = table
        present = np.zeros((self.size, QUERIES), bool)
        np.not_equal(table, 0, out=present[:, : table.shape[1]])
        words[:] = np.packbits(present, axis=1, bitorder="little").view("<u8")[:, 0]


Level = CodeLevel | RegionLevel


class Block(NamedTuple):
    """A batch of queries prepared for `kernels.sums`."""

    some: slice
    last: int
    queries: np.uint64
    words: np.ndarray
    word_at: np.ndarray
    factors: np.ndarray
    factor_at: np.ndarray


def batch_sums(tree: Tree, levels: Sequence[Level], count: int, cut: int = 0) -> np.ndarray:
    """Return for each query the sum over the records of their product over all levels.

    With `cut`, a record counts fully if its product over the first `cut` levels is at least one half, and otherwise not
    at all; a later level applies to the query, too.
    """
    found = np.zeros(count)
    numbers = [np.zeros(0) if one.numbers is None else one.numbers for one in levels] or [np.zeros(0)]
    value_at = np.where([len(one) > 0 for one in numbers], np.cumsum([0, *map(len, numbers)])[:-1], -1)
    for block in blocks(levels, count):
        summed = [0 if one.summed is None else _word(one.summed[block.some]) for one in levels] or [0]
        answers = kernels.sums(
            tuple(tree), *block[1:], np.concatenate(numbers), value_at, np.array(summed, np.uint64), cut
        )
        found[block.some] = answers[: len(found[block.some])]
    return found


def blocks(levels: Sequence[Level], count: int) -> Iterator[Block]:
    """Yield the queries in batches of 64."""
    sizes = [one.size for one in levels] or [1]
    word_at, words = np.cumsum([0, *sizes])[:-1], np.full(sum(sizes), kernels.EVERY)
    rows = [one.size * one.has_factors for one in levels] or [0]
    factor_at, factors = np.where(np.array(rows) > 0, np.cumsum([0, *rows])[:-1], -1), np.empty((sum(rows), QUERIES))
    for begin in range(0, count, QUERIES):
        checkpoint()
        some = slice(begin, min(begin + QUERIES, count))
        used = [i for i, one in enumerate(levels) if (one.at[some] >= 0).any()]
        for i in range(min(max(used, default=0) + 1, len(levels))):
            start, table = word_at[i], factors[factor_at[i] : factor_at[i] + rows[i]]
            levels[i].fill(some, words[start : start + sizes[i]], table)
        queries = _word(np.ones(some.stop - begin, bool))
        yield Block(some, max(used, default=0), queries, words, word_at, factors, factor_at)


def _word(flags: np.ndarray) -> np.uint64:
    """Return up to 64 flags as the bits of a word."""
    return np.uint64(pack(flags)[0])


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
            found += batch_sums(tree, levels, len(which))
        return found

    return combine_sums(workload, sums)


def people(workload: Workload) -> np.ndarray:
    """Return the number of records, or of the people whom they represent, that meet the conditions of each query."""
    return answers(replace(workload, aggregate=np.full(len(workload), COUNT)))


def coded(workload: Workload, name: str, which: np.ndarray, of: np.ndarray) -> CodeLevel:
    """Return a column as a level of codes, for some queries and the columns that they sum (`of`)."""
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
    """Return the answer to each query, or to some, from sums of people and of a column; an average over no records is
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
    """Return the largest change of the mean relative error, except for rounding, if this many people join or leave each
    query.

    The change is infinite if a query sums or averages, since a single person may contribute any amount.
    """
    if (workload.aggregate != COUNT).any():
        return np.inf
    return float(people * weights.max_weight(workload.table) * (1 / denominators(workload, guard)).mean())
