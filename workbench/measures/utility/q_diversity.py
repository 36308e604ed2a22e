"""Q-diversity (Loukides & Shao 2008, definition 2.1): how much of a quasi-identifier's domain a class shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.data.column import Column
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Release


def is_measured_in_widths(column: Column) -> bool:
    """Return whether a column is measured in widths: numbers and dates, also with a hierarchy."""
    return column.kind != "text"


def nodes(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """Return for each level, from values to the root, the node of each code and its number of leaves as specified."""
    at, below = np.array(column.released_at), [np.ones(column.size, np.int64)]
    for level in range(1, len(at)):
        given = np.full(1, column.whole)
        if column.hierarchy and level <= len(column.hierarchy.levels):
            given = np.append(column.hierarchy.below(level - 1), 1)  # missing is the last node
        below.append(given[at[level]])
    return at, np.array(below)


def q_diversity(classes: Classes, table: Table, a: int) -> np.ndarray:
    """Return the Q-diversity of each class on quasi-identifier number `a`.

    The width as a share of the whole width; or the leaves of the smallest node of a hierarchy that contains everything
    the class shows, or without a hierarchy its number of values, as a share of all.
    """
    assert classes.low is not None and classes.high is not None  # known for a finished release
    column, low, high = table.columns[table.quasi[a]], classes.low[:, a], classes.high[:, a]
    if is_measured_in_widths(column):
        at = column.positions
        return (at[high] - at[low]) / at[-1] if at[-1] > 0 else np.zeros(len(low))
    if column.hierarchy is None:
        return (classes.spread(a) + 1) / column.whole
    at, below = nodes(column)
    held = np.where(at[:, low] == at[:, high], below[:, low], column.whole)
    return held.min(axis=0) / column.whole


def release_q_diversity(release: Release, above_floor: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return Q-diversities, classes x quasi-identifiers, and class sizes.

    Suppressed records are a last class that shows everything. Above the floor, a class with one value has 0 for a
    discrete column, not the share of one value.
    """
    classes, table = release.own_classes, release.table
    if classes.exact:  # a region is one value if quasi-identifiers are published unchanged
        classes = replace(classes, high=classes.low, sets={})
    found = np.column_stack([q_diversity(classes, table, a) for a in range(len(table.quasi))])
    found, sizes = np.vstack([found, np.ones_like(found[:1])]), np.append(classes.sizes, release.suppressed)
    if above_floor:
        discrete = [column for name in table.quasi if not is_measured_in_widths(column := table.columns[name])]
        floors = {column.name: 1 / column.whole for column in discrete if column.whole > 1}
        floor = np.array([floors.get(name, 0.0) for name in table.quasi])
        found = (found - floor) / (1 - floor)
    kept = sizes > 0
    return found[kept], sizes[kept]
