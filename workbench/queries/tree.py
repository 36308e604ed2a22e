"""Records as a tree with one level per column, over which queries are summed branch by branch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from workbench.data.cells import row_keys


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
