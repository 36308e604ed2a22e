"""Sums over records for batches of 64 queries, which go down the tree of the records as bits of a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.base import query_kernels
from workbench.base.progress import checkpoint
from workbench.base.query_kernels import QUERIES
from workbench.queries.conditions import pack
from workbench.queries.tree import Tree


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
        query_kernels.across(self.bits, self.at[some], self.size, words)


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
    """A batch of queries prepared for `query_kernels.sums`."""

    some: slice
    last: int
    queries: np.uint64
    words: np.ndarray
    word_at: np.ndarray
    factors: np.ndarray
    factor_at: np.ndarray


def sums(tree: Tree, levels: Sequence[Level], count: int, cut: int = 0) -> np.ndarray:
    """Return for each query the sum over the records of their product over all levels.

    With `cut`, a record counts fully if its product over the first `cut` levels is at least one half, and otherwise not
    at all; a later level applies to the query, too.
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
    """Yield the queries in batches of 64."""
    sizes = [one.size for one in levels] or [1]
    word_at, words = np.cumsum([0, *sizes])[:-1], np.full(sum(sizes), query_kernels.EVERY)
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
