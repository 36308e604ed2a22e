"""Records that are in no cluster yet go to the cheapest one, wherever it is: a tree of regions finds it."""

from __future__ import annotations

import numpy as np

from workbench.base import placing_kernels as kernels
from workbench.base.cluster_kernels import NODES, VALUES
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.parts import halved
from workbench.methods.clustering.prices import WHOLE, Prices

TOGETHER = 32  # clusters, or nodes, below a node: they are looked at in one go
BUDGET = 10_000_000  # of them that are looked at between two looks at who waits


def placed(table: Table, clusters: Clusters, left: np.ndarray, prices: Prices, each: bool) -> Clusters:
    """The clusters with one record more for each entry in `left`, in that order.

    It goes where what is paid rises least, `each` of the cluster's records or once for the cluster; to the first such
    cluster. What has come before it counts.
    """
    if not len(left):
        return clusters
    entries, tables, chosen, i = clusters.entries, prices.tables, np.empty(len(left), np.int32), 0
    values, (first, rows) = entries.first_values(prices.names), _rows(prices)
    number, taken, begins = _near_each_other(table, clusters)
    child, parent = _tree(len(number))
    count, items, (names, most) = len(number), len(number) + len(child), prices.near.shape[:2]
    shown = (
        np.full((len(first), items), WHOLE, np.int32), np.full((len(first), items), -1, np.int32),
        np.full((rows[NODES], items), -1, np.int32), np.zeros((rows[VALUES], items), bool),
    )  # fmt: skip
    gain, sums = np.zeros((names, most, items), np.int64), (np.zeros((count, names, most)), np.zeros((count, names)))
    size, paid, of_item = np.zeros(count, np.int64), np.zeros(count, np.int64), np.append(number, np.zeros(len(child)))
    of_item = of_item.astype(np.int64)
    found = tables, prices.near, prices.scale, first, prices.depth, each
    kernels.gather(taken, begins, entries.codes, values, shown, *found, gain, sums, size, paid)
    kernels.gather_nodes(child, count, shown, tables, first, prices.depth, gain, of_item)
    while i < len(left):
        step(f"clustering: {i:,} of {len(left):,} records that are left over")
        i = kernels.place(
            i,
            BUDGET,
            left,
            entries.codes,
            values,
            shown,
            *found,
            child,
            parent,
            gain,
            of_item,
            sums,
            size,
            paid,
            chosen,
        )
    return Clusters(entries, np.append(clusters.entry, left), np.append(clusters.number, chosen))


def _rows(prices: Prices) -> tuple[np.ndarray, dict[int, int]]:
    """The first row of each attribute among those of its kind, and how many there are of a kind."""
    first, rows = np.zeros(len(prices.depth), np.int64), {NODES: 0, VALUES: 0}
    for a, kind in enumerate(prices.tables[0].tolist()):
        if kind in rows:
            first[a], rows[kind] = rows[kind], rows[kind] + int(prices.depth[a])
    return first, rows


def _near_each_other(table: Table, clusters: Clusters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of clusters in an order in which near ones are side by side, their entries, and where each begins."""
    classes = clusters.classes(table, None, regions=True)
    assert classes.low is not None and classes.high is not None
    number = np.argsort(halved(table, (classes.low + classes.high) // 2, TOGETHER // 4), kind="stable")
    place = np.empty(len(number), np.int64)
    place[number] = np.arange(len(number))
    at = place[clusters.number]
    begins = np.append(0, np.cumsum(np.bincount(at, minlength=len(number))))
    return number, clusters.entry[np.argsort(at, kind="stable")], begins


def _tree(clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the items below each node begin and end, and the node above each item; -1 above the last."""
    child, begin, below = list[np.ndarray](), 0, clusters
    while below > 1 or not child:
        firsts = np.arange(begin, begin + below, TOGETHER)
        child.append(np.column_stack([firsts, np.append(firsts[1:], begin + below)]))
        begin, below = begin + below, len(firsts)
    children = np.concatenate(child)
    parent = np.full(clusters + len(children), -1)
    for node, (first, end) in enumerate(children.tolist()):
        parent[first:end] = clusters + node
    return children, parent
