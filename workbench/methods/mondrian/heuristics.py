"""Rules other than width that choose the attribute to cut in a class (Srivastava & Weis 2005).

A rule ranks the attributes of each class. The first rank is cut; if the model allows none of its cuts, the next one is
tried. Among attributes of equal rank the widest comes first. The position of a cut does not depend on the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods.mondrian import node_kernels as heuristic_kernels
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import Allowed, AmongAxes, Nodes, Split

Rule = Callable[[Nodes], np.ndarray]  # the rank of each axis in each class, classes x axes, 0 first


class Preferred:
    """The cuts of another splitter, on the attributes that a rule prefers."""

    def __init__(self, inner: AmongAxes, rule: Rule) -> None:
        self.cells, self.inner, self.rule = inner.cells, inner, rule

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the cut of each node that has one."""
        return self.split_some(nodes, np.arange(len(nodes.start)), allowed, floor)

    def split_some(self, nodes: Nodes, wanted: np.ndarray, allowed: Allowed, floor: int) -> Split:
        """Try rank after rank, until each wanted node has a cut or no attribute left."""
        rank, found, uncut = self.rule(nodes), Split.none(), np.zeros(len(nodes.start), bool)
        uncut[wanted] = True
        for one in range(int(rank.max()) + 1):
            pending = np.flatnonzero(uncut & (rank == one).any(axis=1))
            found += self.inner.among(nodes, pending, rank != one, allowed, floor)
            uncut[found.node] = False
        return found

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the regions that classes with these runs of codes publish."""
        return self.inner.shown(low, high)


def in_order(table: Table, names: Sequence[str]) -> Rule:
    """Return the rule that prefers the named attributes in this order, then all others."""
    rank = np.array([names.index(name) if name in names else len(names) for name in table.quasi])
    return lambda nodes: np.broadcast_to(rank, nodes.low.shape)


def workload_first(often: np.ndarray) -> Rule:
    """Return the rule that prefers attributes with conditions in a workload."""
    return lambda nodes: np.broadcast_to(np.where(often > 0, 0, 1), nodes.low.shape)


def by_repetition(table: Table, cells: Cells, levels: Levels | None, most: bool) -> Rule:
    """Return the rule that prefers the attribute with most (or fewest) records per value, times its importance.

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
