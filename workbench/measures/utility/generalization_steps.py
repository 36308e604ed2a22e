"""Generalization steps (Samarati 2001): how many hierarchy levels the released values were raised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.column import Column
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measured
from workbench.models.classes import Classes
from workbench.releases.base import Release


@dataclass(frozen=True)
class GeneralizationSteps(AttributeLoss):
    """Up to the lowest level with one run over all of the class's; the root counts as one level more."""

    name = "generalization steps"
    symbol = "steps"
    unit = "levels a value"

    def measure(self, release: Release) -> Measured:
        means = self.means(release)
        value, most = self.value(means, release.table), max(means, key=lambda name: means[name])
        sentence = f"A value was raised {value:.2g} levels on average, {most} most: {means[most]:.2g}."
        return Measured(value, sentence, {"per_attribute": means})

    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        assert classes.low is not None and classes.high is not None  # of a finished release they are known
        return raised(table.columns[table.quasi[a]], classes.low[:, a], classes.high[:, a])


def raised(column: Column, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The level of the lowest single run over each class's run: 0 for one value."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    steps = np.where(low == high, 0, len(levels) + 1)
    for j in reversed(range(len(levels))):
        node = column.node(j)
        steps = np.where((low < high) & (node[low] == node[high]), j + 1, steps)
    return steps.astype(float)
