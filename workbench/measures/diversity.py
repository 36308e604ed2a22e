"""Diversity of classes (Loukides & Shao 2008): how much a class shows of a quasi-identifier or sensitive value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Release

NEAR = 1e-9  # contributions that differ by less are equal


def weighting_parameter() -> Any:
    """Declare how a measure averages over classes."""
    help = "weight each class equally (as in the paper) or by its number of records"
    return parameter("groups", help, choices=("groups", "records"))


# Q-diversity (definition 2.1): how much of a quasi-identifier's domain a class shows.


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


# S-diversity (definitions 2.3, 2.4): how well sensitive values can be estimated in a range.


def contributions(table: Table, name: str, r: float) -> np.ndarray:
    """Return the contributions of pairs of values of a sensitive column (values x values); those below 1 - r are 0.

    Numbers and dates contribute by their distance, other values by the leaves of their lowest common ancestor that
    occur in the data, or by two without a hierarchy. A missing value is at the maximum distance from
    every number.
    """
    column, seen = table.columns[name], table.sensitive[name]
    if column.kind == "text":
        found = _by_leaves(seen.levels, len(seen), 2 if lacks_distances(table, name) else len(seen))
    else:
        found = _by_distance(table, name)
    return np.where(found >= 1 - r - NEAR, found, 0.0)


def s_diversity(shares: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return the S-diversity of groups from their distributions (groups x values) and the contributions of values."""
    return np.asarray(((shares @ near) * shares).sum(axis=1))


def lacks_distances(table: Table, name: str) -> bool:
    """Return whether all pairs of values of a sensitive column are equally close: text without a hierarchy."""
    return table.columns[name].kind == "text" and table.columns[name].hierarchy is None


def _by_distance(table: Table, name: str) -> np.ndarray:
    """Return 1 for equal values, 0 for those at the maximum distance; a run of numbers is at its middle."""
    column, level = table.columns[name], table.levels.get(name, 0)
    node = column.node(level - 1) if level else np.arange(column.size)
    first = np.flatnonzero(np.diff(node, prepend=-1))
    ends = np.append(first[1:], column.size) - 1
    middle = (column.positions[first] + column.positions[ends]) / 2
    span = np.ptp(middle[: len(first) - (column.missing > 0)])
    found = 1 - np.minimum(np.abs(middle[:, None] - middle) / (span or 1.0), 1.0)
    if column.missing:
        found[-1, :-1] = found[:-1, -1] = 0.0
    return np.asarray(found)


def _by_leaves(levels: tuple[np.ndarray, ...], size: int, apart: int) -> np.ndarray:
    """Return 1 for equal values, otherwise less by the leaves of the smallest common node, or `apart`."""
    leaves = np.full((size, size), apart)
    for nodes in levels:
        alike = (nodes[:, None] == nodes) & (nodes >= 0)
        count = np.where(nodes >= 0, np.bincount(nodes + 1, minlength=nodes.max() + 2)[nodes + 1], size)
        leaves = np.where(alike, np.minimum(leaves, count[:, None]), leaves)
    np.fill_diagonal(leaves, 1)
    return 1 - (leaves - 1) / size
