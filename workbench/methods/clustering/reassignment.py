"""Dissolving of clusters that violate the model: each record moves to the cheapest cluster."""

from __future__ import annotations

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods.clustering import placing_kernels as kernels
from workbench.methods.clustering.cluster_kernels import NODES, VALUES
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.prepartition import group_points
from workbench.methods.clustering.prices import WHOLE, Prices
from workbench.models import Model

BUDGET = 10_000_000  # clusters examined between two checks for cancellation


def dissolve_violating(
    table: Table, clusters: Clusters, model: Model | None, prices: Prices, near: int | None = None
) -> Clusters:
    """Return the clusters that satisfy the model, with the records of those that violate it.

    Violating clusters are dissolved one after another. A record moves to the first cluster whose total price rises
    least; that may be a violating cluster whose turn has not come, which stays if it satisfies the model by then. Only
    the nearest `near` to 2 * `near` clusters are considered, and neighborhoods are formed again in each round; all
    clusters are considered if there are fewer, or if `near` is None.
    """
    kept = clusters.satisfies(table, model)
    while not kept.all() and len(clusters) > 1:
        floor = model.min_class_size if model else 1
        clusters, came_from = _half_dissolved(table, clusters, np.flatnonzero(~kept), floor, prices, near)
        kept = kept[came_from] | clusters.satisfies(table, model)
    return clusters


def _half_dissolved(
    table: Table, clusters: Clusters, broken: np.ndarray, floor: int, prices: Prices, near: int | None
) -> tuple[Clusters, np.ndarray]:
    """Dissolve as many violating clusters as are half of all, except those that reach the floor.

    Return the remaining clusters, and the number that each of them had before.
    """
    entries, tables, i = clusters.entries, prices.tables, 0
    values, (first, rows) = entries.first_values(prices.names), _rows(prices)
    number, blocks = _side_by_side(table, clusters, near)
    count, (names, most) = len(number), prices.near.shape[:2]
    place = np.empty(count, np.int64)
    place[number] = np.arange(count)
    at = place[clusters.number]
    order, begins = np.argsort(at, kind="stable"), np.append(0, np.cumsum(np.bincount(at, minlength=count)))
    shown = (
        np.full((len(first), count), WHOLE, np.int32), np.full((len(first), count), -1, np.int32),
        np.full((rows[NODES], count), -1, np.int32), np.zeros((rows[VALUES], count), bool),
    )  # fmt: skip
    gain, sums = np.zeros((names, most, count), np.int64), (np.zeros((count, names, most)), np.zeros((count, names)))
    size, paid = np.zeros(count, np.int64), np.zeros(count, np.int64)
    taken, chosen, came = clusters.entry[order], np.full(len(order), -1), np.arange(len(order))
    links = np.empty(count, np.int64), np.empty(len(order), np.int64), np.empty(count, np.int64)
    found = tables, prices.near, prices.scale, first, prices.depth, gain
    kernels.gather(taken, begins, entries.codes, values, shown, *found, sums, size, paid, links)
    turn = place[broken[: max(count // 2, 1)]]
    while i < len(turn):
        checkpoint(f"clustering: {len(broken) - i:,} violating clusters left")
        i = kernels.dissolve(
            i, BUDGET, turn, floor, blocks, taken, links, entries.codes, values, shown, *found, sums, size, paid,
            chosen, came,
        )  # fmt: skip
    came_from, now = np.unique(np.where(chosen < 0, clusters.number[order], number[chosen]), return_inverse=True)
    in_order = np.lexsort((came, now))  # each cluster's own records first, then the others in order of arrival
    return Clusters(entries, taken[in_order], now[in_order].astype(np.int32)), came_from


def _rows(prices: Prices) -> tuple[np.ndarray, dict[int, int]]:
    """Return the first row of each attribute among those of its kind, and the number of rows of each kind."""
    first, rows = np.zeros(len(prices.depth), np.int64), {NODES: 0, VALUES: 0}
    for a, kind in enumerate(prices.tables[0].tolist()):
        if kind in rows:
            first[a], rows[kind] = rows[kind], rows[kind] + int(prices.depth[a])
    return first, rows


def _side_by_side(table: Table, clusters: Clusters, near: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of clusters ordered so that near ones are adjacent, and the bounds of their blocks."""
    count = len(clusters)
    if near is None or count < 2 * near:
        return np.arange(count), np.array([0, count])
    low, high = cell_kernels.ranges(clusters.number, clusters.entry, clusters.entries.codes, count)
    part = group_points(table, (low + high) // 2, near)
    return np.argsort(part, kind="stable"), np.append(0, np.cumsum(np.bincount(part)))
