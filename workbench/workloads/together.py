"""Sums over records for many queries together: 64 at a time go down the tree of the records, each a bit of a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.base import query_kernels
from workbench.base.progress import step
from workbench.base.query_kernels import QUERIES
from workbench.workloads.conditions import pack
from workbench.workloads.tree import Tree


@dataclass(frozen=True, eq=False)
class Coded:
    """A level of codes: a record counts for the queries whose conditions its code meets.

    `at` is where the condition of each query begins in `bits`, -1 where it has none. Where `summed` it counts as many
    times as the number of its code says.
    """

    size: int
    at: np.ndarray
    bits: np.ndarray
    numbers: np.ndarray | None = None
    summed: np.ndarray | None = None

    tabled = False

    def fill(self, some: slice, words: np.ndarray, factors: np.ndarray) -> None:
        """The queries that each code counts for."""
        query_kernels.across(self.bits, self.at[some], self.size, words)


@dataclass(frozen=True, eq=False)
class Tabled:
    """A level of regions, or of classes: a record counts as much as its row in the table of some queries says.

    `at` is -1 where a query asks nothing of the level. The table is regions x queries.
    """

    size: int
    at: np.ndarray
    table: Callable[[slice], np.ndarray]

    tabled, numbers, summed = True, None, None

    def fill(self, some: slice, words: np.ndarray, factors: np.ndarray) -> None:
        """The factor of each region for each query, and where it is not 0."""
        table = self.table(some)
        factors[:, : table.shape[1]] = table
        there = np.zeros((self.size, QUERIES), bool)
        np.not_equal(table, 0, out=there[:, : table.shape[1]])
        words[:] = np.packbits(there, axis=1, bitorder="little").view("<u8")[:, 0]


Level = Coded | Tabled


class Block(NamedTuple):
    """Some queries, ready to go down a tree: as `query_kernels.sums` takes them."""

    some: slice
    last: int
    queries: np.uint64
    words: np.ndarray
    word_at: np.ndarray
    factors: np.ndarray
    factor_at: np.ndarray


def sums(tree: Tree, levels: Sequence[Level], count: int, cut: int = 0) -> np.ndarray:
    """For each of so many queries the sum over the records of what they count on all levels.

    Where `cut`, a record counts in full if it counts a half or more on the first so many levels, and else not; the
    query asks about another level after these.
    """
    found = np.zeros(count)
    numbers = [np.zeros(0) if one.numbers is None else one.numbers for one in levels] or [np.zeros(0)]
    value_at = np.where([len(one) > 0 for one in numbers], np.cumsum([0, *map(len, numbers)])[:-1], -1)
    for block in blocks(levels, count):
        summed = [0 if one.summed is None else _word(one.summed[block.some]) for one in levels] or [0]
        answers = query_kernels.sums(
            tuple(tree), *block[1:], np.concatenate(numbers), value_at, np.array(summed, np.uint64), cut
        )
        found[block.some] = answers[: len(found[block.some])]
    return found


def blocks(levels: Sequence[Level], count: int) -> Iterator[Block]:
    """The queries, 64 at a time."""
    sizes = [one.size for one in levels] or [1]
    word_at, words = np.cumsum([0, *sizes])[:-1], np.full(sum(sizes), query_kernels.EVERY)
    rows = [one.size * one.tabled for one in levels] or [0]
    factor_at, factors = np.where(np.array(rows) > 0, np.cumsum([0, *rows])[:-1], -1), np.empty((sum(rows), QUERIES))
    for begin in range(0, count, QUERIES):
        step()
        some = slice(begin, min(begin + QUERIES, count))
        asked = [i for i, one in enumerate(levels) if (one.at[some] >= 0).any()]
        for i in range(min(max(asked, default=0) + 1, len(levels))):
            start, table = word_at[i], factors[factor_at[i] : factor_at[i] + rows[i]]
            levels[i].fill(some, words[start : start + sizes[i]], table)
        queries = _word(np.ones(some.stop - begin, bool))
        yield Block(some, max(asked, default=0), queries, words, word_at, factors, factor_at)


def _word(flags: np.ndarray) -> np.uint64:
    """Up to 64 flags as the bits of a word."""
    return np.uint64(pack(flags)[0])
