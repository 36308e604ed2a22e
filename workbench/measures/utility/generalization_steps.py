"""Generalization steps (Samarati 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measured
from workbench.models.classes import Classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class GeneralizationSteps(AttributeLoss):
    """Levels up to the lowest single node that contains the class's values; the root counts as one level more."""

    name = "generalization steps"
    title = "Generalization steps (Samarati 2001)"
    summary = "how many hierarchy levels the released values were generalized"
    symbol = "steps"
    unit = "levels per value"

    def measure(self, release: Release) -> Measured:
        means = self.means(release)
        value, most = self.value(means, release.table), max(means, key=lambda name: means[name])
        average, largest = format_number(value), format_number(means[most])
        sentence = f"Values were generalized by {average} levels on average, {most} the most ({largest})."
        return Measured(value, sentence, {"per_attribute": means})

    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        assert classes.low is not None and classes.high is not None  # known for a finished release
        return generalized_levels(table.columns[table.quasi[a]], classes.low[:, a], classes.high[:, a])


def generalized_levels(column: Column, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the level of the lowest single node that contains each class's run: 0 for one value."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    steps = np.where(low == high, 0, len(levels) + 1)
    for j in reversed(range(len(levels))):
        node = column.node(j)
        steps = np.where((low < high) & (node[low] == node[high]), j + 1, steps)
    return steps.astype(float)
