"""S-diversity (Loukides & Shao 2008, defs 2.3, 2.4): how well sensitive values can be estimated in a range."""

from __future__ import annotations

import numpy as np

from workbench.data.table import Table

NEAR = 1e-9  # contributions that differ by less are equal


def contributions(table: Table, name: str, r: float) -> np.ndarray:
    """Return the contribution of each pair of values of a sensitive column, 0 below 1 - r: values x values.

    Numbers and dates contribute by their distance, other values by the leaves of their smallest common node, counted
    among the values in the data; without a hierarchy these are two. A missing value is at the maximum distance from
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
