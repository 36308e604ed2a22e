"""Splits that suppress records, for classes without an allowed split.

The parts that violate the model are suppressed, within a limit; the cheapest splits come first. A split must pay for
itself: suppressed records lose all their quasi-identifiers, and the other parts have to gain more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.data.published_runs import published_levels
from workbench.data.table import Table
from workbench.methods.mondrian.splits import Nodes, Split, Splitter, allowed_by, classes_of, split_nodes
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass
class SuppressingSplits:
    """Called with the nodes of each round and their free splits; `left` is how many records may still be suppressed."""

    table: Table
    splitter: Splitter
    model: Model
    left: int

    def __call__(self, nodes: Nodes, free: Split) -> tuple[Split, np.ndarray]:
        """Return all splits, and which of their parts are suppressed."""
        gone, stuck = np.zeros(len(free.sizes), bool), np.ones(len(nodes.start), bool)
        stuck[free.node] = False
        if not self.left or not stuck.any():
            return free, gone
        dear, broken = self._offered(nodes, np.flatnonzero(stuck))
        return free + dear, np.append(gone, broken)

    def _offered(self, nodes: Nodes, stuck: np.ndarray) -> tuple[Split, np.ndarray]:
        """Return the accepted splits of nodes without a free one, and which parts violate the model."""
        holds, here = allowed_by(self.model), nodes.only(stuck)
        here = replace(here, order=nodes.order.copy())
        split = self.splitter.split(here, lambda parts: holds(parts) | (parts.sizes <= self.left), 1)
        if not len(split.node):
            return split, np.zeros(0, bool)
        parts = split_nodes(here, split, self.splitter.cells)
        classes = self._classes(parts)
        broken, owner = ~holds(classes), np.repeat(np.arange(len(split.node)), np.diff(split.first) + 1)
        width, whole_width = self._width(classes), self.table.weights_of_quasi.sum()
        cost = np.bincount(owner, np.where(broken, whole_width, width) * classes.sizes, len(split.node))
        suppressed_count = np.bincount(owner, np.where(broken, classes.sizes, 0), len(split.node))
        whole = np.bincount(owner, classes.sizes, len(split.node))
        before = self._width(classes.merged(owner)) * whole
        worth = (suppressed_count < whole) & (cost < before)
        order = np.argsort(np.where(worth, suppressed_count, np.inf), kind="stable")
        accepted = np.zeros(len(worth), bool)
        accepted[order] = (np.cumsum(suppressed_count[order]) <= self.left) & worth[order]
        self.left -= int(suppressed_count[accepted].sum())
        chosen = split.only(accepted)
        return chosen._replace(node=stuck[chosen.node]), broken[accepted[owner]]

    def _classes(self, parts: Nodes) -> Classes:
        """Return the parts as classes, with the regions that they would publish."""
        sensitive = self.table.sensitive if self.model.needs_sensitive else {}
        classes = classes_of(parts, self.splitter.cells, sensitive)
        low, high = self.splitter.shown(classes.low, classes.high)  # type: ignore[arg-type]
        population = self.table.population if self.model.needs_population else None
        levels = published_levels(self.table, len(classes))
        return replace(classes, low=low, high=high, population=population, levels=levels)

    def _width(self, classes: Classes) -> np.ndarray:
        """Return the sum over axes of the share that a class spans."""
        assert classes.low is not None and classes.high is not None
        at = self.table.positions
        ends = at[np.arange(len(at)), [self.table.columns[name].size - 1 for name in self.table.quasi]]
        axes = np.arange(len(at))
        widths = (at[axes, classes.high] - at[axes, classes.low]) / np.where(ends > 0, ends, 1)
        return widths @ self.table.weights_of_quasi
