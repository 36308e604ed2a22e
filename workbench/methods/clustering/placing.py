"""Clusters that do not stand are dissolved: each record goes to the cheapest cluster."""

from __future__ import annotations

import numpy as np

from workbench.base import cell_kernels
from workbench.base import placing_kernels as kernels
from workbench.base.cluster_kernels import NODES, VALUES
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.parts import halved
from workbench.methods.clustering.prices import WHOLE, Prices
from workbench.models import Model

BUDGET = 10_000_000  # clusters that are looked at between two looks at who waits


def dissolved(
    table: Table, clusters: Clusters, model: Model | None, prices: Prices, near: int | None = None
) -> Clusters:
    """The clusters that stand, with the records of those that break the model.

    They are dissolved one after another. A record goes where what all records of a cluster pay rises least, to the
    first such cluster; that may be one whose turn has not come, and which stands if it keeps the model by then. Only
    clusters `near` by are looked at, so many or nearly twice as many, again and again the nearest of those that are
    left; of fewer clusters, or where it is none, all are.
    """
    kept = clusters.kept(table, model)
    while not kept.all() and len(clusters) > 1:
        floor = model.floor if model else 1
        clusters, came_from = _half_dissolved(table, clusters, np.flatnonzero(~kept), floor, prices, near)
        kept = kept[came_from] | clusters.kept(table, model)
    return clusters


def _half_dissolved(
    table: Table, clusters: Clusters, broken: np.ndarray, floor: int, prices: Prices, near: int | None
) -> tuple[Clusters, np.ndarray]:
    """As many of the broken clusters dissolved as are half of all, but not those that have grown to the floor.

    The clusters that are there then, and which of those before they were.
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
        step(f"clustering: {len(broken) - i:,} clusters left that break the model")
        i = kernels.dissolve(
            i, BUDGET, turn, floor, blocks, taken, links, entries.codes, values, shown, *found, sums, size, paid,
            chosen, came,
        )  # fmt: skip
    came_from, now = np.unique(np.where(chosen < 0, clusters.number[order], number[chosen]), return_inverse=True)
    in_order = np.lexsort((came, now))  # each cluster's own records first, then as they came
    return Clusters(entries, taken[in_order], now[in_order].astype(np.int32)), came_from


def _rows(prices: Prices) -> tuple[np.ndarray, dict[int, int]]:
    """The first row of each attribute among those of its kind, and how many there are of a kind."""
    first, rows = np.zeros(len(prices.depth), np.int64), {NODES: 0, VALUES: 0}
    for a, kind in enumerate(prices.tables[0].tolist()):
        if kind in rows:
            first[a], rows[kind] = rows[kind], rows[kind] + int(prices.depth[a])
    return first, rows


def _side_by_side(table: Table, clusters: Clusters, near: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of clusters in an order in which near ones are side by side, and where their blocks begin and end."""
    count = len(clusters)
    if near is None or count < 2 * near:
        return np.arange(count), np.array([0, count])
    low, high = cell_kernels.ranges(clusters.number, clusters.entry, clusters.entries.codes, count)
    part = halved(table, (low + high) // 2, near)
    return np.argsort(part, kind="stable"), np.append(0, np.cumsum(np.bincount(part)))
