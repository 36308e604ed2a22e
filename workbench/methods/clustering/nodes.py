"""Clusters on levels: each shows the smallest nodes of the hierarchies, on the levels allowed, that hold it."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.data.table import Table


def holding(table: Table, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The nodes that hold these runs, as Partition takes what groups show: groups x quasi-identifiers x (low, high).

    The levels need not nest: that of the lowest level counts which holds the run.
    """
    found = np.stack([low, high], axis=2)
    for a, name in enumerate(table.quasi):
        lowest, highest = table.level_range(name)
        wanted = np.ones(len(low), bool)
        for node in table.columns[name].released_at[lowest : highest + 1]:
            inside = wanted & (node[low[:, a]] == node[high[:, a]])
            found[inside, a, 0] = np.searchsorted(node, node[low[inside, a]])
            found[inside, a, 1] = np.searchsorted(node, node[low[inside, a]], side="right") - 1
            wanted &= ~inside
        if wanted.any():
            raise Unsatisfiable(
                f"{int(wanted.sum()):,} of {len(low):,} clusters hold several nodes of {name!r} on the highest level "
                "allowed; allow higher levels, or take a method that begins there: Mondrian with recode = levels"
            )
    return found
