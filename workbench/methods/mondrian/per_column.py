"""Mondrian on tables where some columns publish nodes of their hierarchies and others ranges.

A column of nodes is cut in two between children of the smallest node that contains the class. If there are many
children, the first or the last one is cut off, provided that both sides have enough records, since a part with several
children still publishes that node; otherwise the cut is as close to the median as possible. So `606**` may be the
region of one class and `6064*` that of another.
"""

from __future__ import annotations

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods.mondrian import node_kernels
from workbench.methods.mondrian.least_error import ChildCuts, RegionCuts
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.splits import AmongAxes, Nodes, Proposed, Split, Widest
from workbench.methods.mondrian.workload_arrays import WorkloadArrays
from workbench.models import Model


def columns_of_nodes(table: Table) -> np.ndarray:
    """Return which quasi-identifiers publish nodes."""
    return np.array([table.columns[name].shows_nodes for name in table.quasi])


class WidestPerColumn(Widest):
    """The widest attribute, cut at the median if it publishes ranges, between children if it publishes nodes."""

    def __init__(self, table: Table, cells: Cells, model: Model | None, even: bool = False) -> None:
        super().__init__(table, cells, model, strict=True, even=even)
        self.levels, self.of_nodes = Levels.per_column(table), columns_of_nodes(table)

    def proposed(self, nodes: Nodes, pending: np.ndarray, tried: np.ndarray, floor: int) -> Proposed:
        """Return the cut of each pending node on its widest untried attribute."""
        return node_kernels.propose_per_column(
            pending, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight, self.edge, self.span,
            nodes.sizes, nodes.low, nodes.high, nodes.exact, tried, self.even, floor, self.of_nodes, self.levels.at,
            self.levels.place, self.levels.depth,
        )  # fmt: skip


class CutsPerColumn:
    """Cuts that serve a workload: between children of nodes, or in the code order of ranges."""

    def __init__(self, inner: WidestPerColumn, asked: WorkloadArrays) -> None:
        self.inner: AmongAxes = inner
        self.asked, self.of_nodes = asked, inner.of_nodes
        self.children, self.ranges = ChildCuts(inner, asked), RegionCuts(inner, asked)

    def proposed(self, nodes: Nodes, pending: np.ndarray, axes: np.ndarray, floor: int) -> tuple[Split, np.ndarray]:
        """Return several cuts of each node, with the error of the parts relative to that of the node."""
        found, wrong = Split.none(), [np.zeros(0)]
        for cuts, mine in ((self.ranges, axes & ~self.of_nodes), (self.children, axes & self.of_nodes)):
            if mine.any():
                split, ratio = cuts.proposed(nodes, pending, mine, floor)
                found += split
                wrong.append(ratio)
        return found, np.concatenate(wrong)
