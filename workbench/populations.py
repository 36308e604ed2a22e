"""Large populations (Li & Li 2009, section 4.2): predicates over quasi-identifiers that many records satisfy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import BadInput

if TYPE_CHECKING:
    from workbench.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Populations:
    """Conjunctions of one run per quasi-identifier (the whole axis: no condition), and what is true of them."""

    runs: np.ndarray  # populations x quasi x (low, high)
    support: np.ndarray  # records in each
    truth: dict[str, np.ndarray]  # records per sensitive value in each

    def __len__(self) -> int:
        return len(self.support)

    @cached_property
    def same(self) -> np.ndarray:
        """How many leading attributes each population shares with the one before it."""
        return shared_prefix(self.runs)


def shared_prefix(runs: np.ndarray) -> np.ndarray:
    """How many leading attributes each row shares with the one before it."""
    equal = (runs[1:] == runs[:-1]).all(axis=2)
    return np.append([0], np.cumprod(equal, axis=1).sum(axis=1)).astype(np.int64)[: len(runs)]


def large_populations(table: Table, min_support: float) -> Populations:
    """All conjunctions with at least `min_support` of the records; roots and the empty conjunction are left out.

    Depth first over the attributes: one prefix histogram of the cells at hand serves all runs of an attribute.
    """
    if not 0 < min_support <= 1:
        raise BadInput(f"min_support = {min_support} must be above 0 and at most 1: a share of the records")
    needed = max(1, math.ceil(round(min_support * table.records, 6)))
    cells, axes = table.cells(), [table_runs(table, name) for name in table.quasi]
    whole = np.array([[0, table.columns[name].size - 1] for name in table.quasi], dtype=np.int32)
    runs: list[np.ndarray] = []
    support: list[int] = []
    truth: dict[str, list[np.ndarray]] = {name: [] for name in table.sensitive}

    def descend(axis: int, chosen: np.ndarray, members: np.ndarray) -> None:
        codes, weight = cells.quasi[axis][members], cells.weight[members]
        prefix = np.append(0, np.cumsum(np.bincount(codes, weight, minlength=whole[axis, 1] + 1)))
        low, high = axes[axis].T
        for i in np.flatnonzero(prefix[high + 1] - prefix[low] >= needed):
            narrowed = chosen.copy()
            narrowed[axis] = axes[axis][i]
            inside = members[(codes >= low[i]) & (codes <= high[i])]
            runs.append(narrowed)
            support.append(int(cells.weight[inside].sum()))
            for name, seen in table.sensitive.items():
                truth[name].append(np.bincount(cells.others[name][inside], cells.weight[inside], len(seen)))
            if axis + 1 < len(axes):
                descend(axis + 1, narrowed, inside)
        if axis + 1 < len(axes):
            descend(axis + 1, chosen, members)

    descend(0, whole, np.arange(len(cells)))
    true = {name: np.array(counts).reshape(len(runs), len(table.sensitive[name])) for name, counts in truth.items()}
    return Populations(np.array(runs, np.int32).reshape(len(runs), len(axes), 2), np.array(support, np.int64), true)


def table_runs(table: Table, name: str) -> np.ndarray:
    """The runs (low, high) of a column at every level, leaves included, each once, the whole axis left out."""
    column = table.columns[name]
    leaves = np.repeat(np.arange(column.size)[:, None], 2, axis=1)
    runs = column.hierarchy.runs() if column.hierarchy else leaves[: len(column.values)]
    if column.missing:
        runs = np.concatenate([runs, leaves[-1:]])
    whole = (runs[:, 0] == 0) & (runs[:, 1] >= len(column.values) - 1)
    return runs[~whole]
