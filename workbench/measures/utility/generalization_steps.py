"""Generalization steps (Samarati 2001): how many hierarchy levels the released values were raised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.column import Column
from workbench.measures import Measure, Measured, average, everybody
from workbench.releases.base import Release


@dataclass(frozen=True)
class GeneralizationSteps(Measure):
    """Up to the lowest level with one run over all of the class's; the root counts as one level more."""

    name = "generalization steps"
    symbol = "steps"
    side = "utility"
    unit = "levels a value"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        classes, table = everybody(release), release.table
        assert classes.low is not None and classes.high is not None  # of a finished release they are known
        steps = {name: np.zeros(len(classes)) for name in table.quasi}
        if not classes.exact:
            for a, name in enumerate(table.quasi):
                steps[name] = raised(table.columns[name], classes.low[:, a], classes.high[:, a])
        means = {name: average(per_class, classes.sizes) for name, per_class in steps.items()}
        most = max(means, key=lambda name: means[name])
        sentence = (
            f"A value was raised {np.mean(list(means.values())):.2g} levels on average, {most} most: {means[most]:.2g}."
        )
        return Measured(float(np.mean(list(means.values()))), sentence, {"per_attribute": means})


def raised(column: Column, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The level of the lowest single run over each class's run: 0 for one value."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    steps = np.where(low == high, 0, len(levels) + 1)
    for j in reversed(range(len(levels))):
        node = column.node(j)
        steps = np.where((low < high) & (node[low] == node[high]), j + 1, steps)
    return steps.astype(float)
