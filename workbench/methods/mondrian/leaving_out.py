"""Splits that leave records out: where no split is allowed, one of which some parts break the model may be bought.

Those parts are left out, as long as there are records left to spend; the cheapest splits come first. A split must pay:
what is left out loses all of its quasi-identifiers, and the other parts have to gain more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.data.table import Table
from workbench.methods.mondrian.splits import Nodes, Split, Splitter, allowed_by, classes_of, split_nodes
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass
class LeavingOut:
    """Called with the nodes of each round and the splits that cost nothing; `left` is what may still be left out."""

    table: Table
    splitter: Splitter
    model: Model
    left: int

    def __call__(self, nodes: Nodes, free: Split) -> tuple[Split, np.ndarray]:
        """All splits, and which of their parts are left out."""
        gone, stuck = np.zeros(len(free.sizes), bool), np.ones(len(nodes.start), bool)
        stuck[free.node] = False
        if not self.left or not stuck.any():
            return free, gone
        dear, broken = self._offered(nodes, np.flatnonzero(stuck))
        return free + dear, np.append(gone, broken)

    def _offered(self, nodes: Nodes, stuck: np.ndarray) -> tuple[Split, np.ndarray]:
        """Of the nodes without a free split, the splits that are bought, and the parts that break the model."""
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
        price = np.bincount(owner, np.where(broken, classes.sizes, 0), len(split.node))
        whole = np.bincount(owner, classes.sizes, len(split.node))
        before = self._width(classes.merged(owner)) * whole
        worth = (price < whole) & (cost < before)
        order = np.argsort(np.where(worth, price, np.inf), kind="stable")
        bought = np.zeros(len(worth), bool)
        bought[order] = (np.cumsum(price[order]) <= self.left) & worth[order]
        self.left -= int(price[bought].sum())
        chosen = split.only(bought)
        return chosen._replace(node=stuck[chosen.node]), broken[bought[owner]]

    def _classes(self, parts: Nodes) -> Classes:
        """The parts as classes, with what they would show."""
        sensitive = self.table.sensitive if self.model.needs_sensitive else {}
        classes = classes_of(parts, self.splitter.cells, sensitive)
        low, high = self.splitter.shown(classes.low, classes.high)  # type: ignore[arg-type]
        population = self.table.population if self.model.needs_population else None
        return replace(classes, low=low, high=high, population=population)

    def _width(self, classes: Classes) -> np.ndarray:
        """How much of each axis a class spans, added up."""
        assert classes.low is not None and classes.high is not None
        at = self.table.positions
        ends = at[np.arange(len(at)), [self.table.columns[name].size - 1 for name in self.table.quasi]]
        axes = np.arange(len(at))
        widths = (at[axes, classes.high] - at[axes, classes.low]) / np.where(ends > 0, ends, 1)
        return widths @ self.table.weights_of_quasi
