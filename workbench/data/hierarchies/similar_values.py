"""Group text values that occur with similar values of other columns; rare values are merged first.

Values are merged in pairs with Ward's criterion on the square roots of their profiles (Hellinger distances), weighted
by records: Ward, Hierarchical Grouping to Optimize an Objective Function (1963).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table

LEAST, MOST = 3, 500  # minimum and maximum number of values to group
LEVELS = 4
NAMED = 3  # maximum number of values in the label of a group
SIZE = 200  # maximum number of values of the other columns
RARITY = 0.02  # minimum cost of merging, per record, so that rare values are merged first


def similar_groups(table: Table, name: str, others: Sequence[str]) -> Groups | None:
    """Return nested groups of a text column's values, or None if there are too few or too many of them."""
    column = table.columns[name]
    if column.kind != "text" or not LEAST <= len(column.values) <= MOST:
        return None
    key = ("similar values", name, *others)
    return table.remember(key, lambda: grouped(column, _profiles(table, name, others)))


def grouped(column: Column, profiles: np.ndarray) -> Groups:
    """Return the groups for one row of `profiles` per value."""
    merges = _merges(profiles, column.counts.astype(float))
    values = len(column.values)
    order = _leaves(merges, values)
    sizes = [values]
    while sizes[-1] > 2 and len(sizes) <= LEVELS:
        sizes.append((sizes[-1] + 1) // 2)
    return Groups([_level(column, _clusters(merges, values, size), order) for size in sizes[1:]])


def _profiles(table: Table, name: str, others: Sequence[str]) -> np.ndarray:
    """Return, for each value, the square roots of the shares of other columns' values, scaled to unit length."""
    column = table.columns[name]
    parts = []
    for other in others:
        size = table.columns[other].size
        if other == name or size > SIZE:
            continue
        cells = table.engine.collapse([name, other], [])
        pairs = cells.quasi[0].astype(np.int64) * size + cells.quasi[1]
        counts = np.bincount(pairs, cells.weight, minlength=column.size * size).reshape(-1, size)[: len(column.values)]
        parts.append(np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)))
    return np.hstack(parts) / np.sqrt(len(parts)) if parts else np.zeros((len(column.values), 0))


def _merges(centers: np.ndarray, weights: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of clusters to merge, in order; the i-th merge creates cluster `values + i`."""
    centers, weights = centers.copy(), np.maximum(weights, 1.0)
    clusters = np.arange(len(weights))
    costs = np.full((len(weights), len(weights)), np.inf)
    for i in range(len(weights)):
        costs[i, :i] = costs[:i, i] = _costs(centers, weights, i)[:i]
    merges = []
    for step in range(len(weights) - 1):
        merged, kept = divmod(int(np.argmin(costs)), len(weights))
        merges.append((int(clusters[kept]), int(clusters[merged])))
        total = weights[kept] + weights[merged]
        centers[kept] = (weights[kept] * centers[kept] + weights[merged] * centers[merged]) / total
        weights[kept], clusters[kept] = total, len(weights) + step
        alive = np.isfinite(costs[kept])
        alive[merged] = alive[kept] = False
        costs[merged], costs[:, merged] = np.inf, np.inf
        costs[kept] = costs[:, kept] = np.where(alive, _costs(centers, weights, kept), np.inf)
    return merges


def _costs(centers: np.ndarray, weights: np.ndarray, one: int) -> np.ndarray:
    """Return the cost of merging a cluster with each other one."""
    distances = np.square(centers - centers[one]).sum(axis=1)
    return weights * weights[one] / (weights + weights[one]) * (distances + RARITY)


def _leaves(merges: Sequence[tuple[int, int]], values: int) -> list[int]:
    """Return the values in an order in which those of every cluster are neighbors."""
    members = {code: [code] for code in range(values)}
    for step, (first, second) in enumerate(merges):
        members[values + step] = members.pop(first) + members.pop(second)
    (order,) = members.values()
    return order


def _clusters(merges: Sequence[tuple[int, int]], values: int, size: int) -> list[list[int]]:
    """Return the members of each cluster when `size` clusters are left."""
    members = {code: [code] for code in range(values)}
    for step, (first, second) in enumerate(merges[: values - size]):
        members[values + step] = members.pop(first) + members.pop(second)
    return list(members.values())


def _level(column: Column, clusters: Sequence[Sequence[int]], order: Sequence[int]) -> dict[str, list[str]]:
    """Return the labels and values of the groups, in the order of the values."""
    place = {code: i for i, code in enumerate(order)}
    ranked = sorted(clusters, key=lambda cluster: min(place[code] for code in cluster))
    return {
        _label(column, cluster): [column.labels[code] for code in sorted(cluster, key=place.__getitem__)]
        for cluster in ranked
    }


def _label(column: Column, cluster: Sequence[int]) -> str:
    """Return a label of the most frequent values; with many values, the first and the number of the others."""
    named = [column.labels[code] for code in sorted(cluster, key=lambda code: -column.counts[code])]
    label = " or ".join(named) if len(named) <= NAMED else f"{named[0]} or {len(named) - 1} others"
    return f"{label} (group)" if len(named) > 1 and label in column.labels else label
