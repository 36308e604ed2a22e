"""Which attribute of a class is cut first, by other rules than its width (Srivastava & Weis 2005).

Rules rank the attributes of each class. The first rank is cut; where the model allows none of its cuts, the next one is
tried. Of attributes of one rank the widest comes first. Where an attribute is cut does not depend on the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from workbench.base import heuristic_kernels
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import Allowed, AmongAxes, Nodes, Split

Rule = Callable[[Nodes], np.ndarray]  # the rank of each axis in each class, classes x axes, 0 first


class Preferred:
    """The cuts of another splitter, on the attributes that a rule prefers."""

    def __init__(self, inner: AmongAxes, rule: Rule) -> None:
        self.cells, self.inner, self.rule = inner.cells, inner, rule

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """The cut of each node that has one."""
        return self.of(nodes, np.arange(len(nodes.start)), allowed, floor)

    def of(self, nodes: Nodes, wanted: np.ndarray, allowed: Allowed, floor: int) -> Split:
        """Rank after rank, until each of some nodes has a cut or no attribute left."""
        rank, found, uncut = self.rule(nodes), Split.none(), np.zeros(len(nodes.start), bool)
        uncut[wanted] = True
        for one in range(int(rank.max()) + 1):
            pending = np.flatnonzero(uncut & (rank == one).any(axis=1))
            found += self.inner.among(nodes, pending, rank != one, allowed, floor)
            uncut[found.node] = False
        return found

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What classes show that hold these runs of codes."""
        return self.inner.shown(low, high)


def in_order(table: Table, names: Sequence[str]) -> Rule:
    """Some attributes one after the other, and all others behind them."""
    rank = np.array([names.index(name) if name in names else len(names) for name in table.quasi])
    return lambda nodes: np.broadcast_to(rank, nodes.low.shape)


def asked_first(often: np.ndarray) -> Rule:
    """The attributes that a workload asks about, and all others behind them."""
    return lambda nodes: np.broadcast_to(np.where(often > 0, 0, 1), nodes.low.shape)


def by_repetition(table: Table, cells: Cells, levels: Levels | None, most: bool) -> Rule:
    """The attribute with most records a value in a class, or with fewest, times its importance.

    With levels, a value is a node of the lowest level allowed.
    """
    values = cells.quasi
    if levels:
        values = np.stack([nodes[0][codes] for nodes, codes in zip(levels.nodes, cells.quasi, strict=True)])
    sizes, weights = max(table.columns[name].size for name in table.quasi), table.weights_of_quasi

    def rule(nodes: Nodes) -> np.ndarray:
        there = heuristic_kernels.distinct(nodes.order, nodes.start, nodes.end, values, sizes)
        wanted = weights / there if most else weights * there
        return (wanted[:, None, :] > wanted[:, :, None]).sum(axis=2)

    return rule
