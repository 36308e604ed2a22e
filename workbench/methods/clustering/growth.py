"""Growth of clusters one after the other, the dissolving of violating ones, and parts clustered separately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import Remaining, checkpoint
from workbench.data.cells import Cells
from workbench.data.records import positions_of_quasi
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.measures.diversity import contributions, s_diversity
from workbench.methods.clustering import kernels
from workbench.methods.clustering.clusters import WHOLE, Clusters, Entries, Prices
from workbench.methods.clustering.kernels import NODES, VALUES
from workbench.methods.mondrian.splits import LARGEST_BLOCK, Allowed, Nodes, Split, grow
from workbench.models import Model

BUDGET = 30_000_000  # entries examined between two checks for cancellation
SPARSE = 0.8  # entries are compacted if fewer than this share have records left


class Growth:
    """`taken` has the entry of each clustered record, cluster by cluster; `sizes` has the size of each cluster."""

    def __init__(self, entries: Entries, prices: Prices) -> None:
        self.prices, records, (names, most) = prices, int(entries.records.sum()), prices.near.shape[:2]
        axes, widest = len(entries.codes), int(prices.tables[1].max())
        self._taken, self._firsts = np.empty(records, np.int32), np.empty(records, np.int64)
        self._filled = np.zeros(2, np.int64)
        self._entries = (
            entries.codes.copy(), entries.first_values(names), entries.records.copy(),
            np.arange(len(entries), dtype=np.int32),
        )  # fmt: skip
        self._start, self._end = 0, len(entries)  # of the entries that are searched
        self._state = (
            np.full(axes, widest, np.int32), np.full(axes, -1, np.int32), np.zeros((axes, widest), bool),
            np.zeros(axes, np.int32), np.zeros((names, most)), np.zeros(names), np.zeros(2, np.int64),
        )  # fmt: skip
        self._work = np.zeros(len(entries), np.int32), np.zeros(widest, np.int32), np.zeros((names, most), np.int32)
        self._progress = ClusteringProgress(records)

    @property
    def left(self) -> int:
        """The number of records that are in no cluster yet."""
        return len(self._taken) - int(self._filled[0])

    @property
    def taken_entries(self) -> np.ndarray:
        return self._taken[: self._filled[0]]

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self._firsts[: self._filled[1]], append=self._filled[0])

    @property
    def open(self) -> np.ndarray:
        """The entries of the open cluster."""
        return self._taken[self._firsts[self._filled[1] - 1] : self._filled[0]]

    def begin(self, at: int) -> None:
        """Open a new cluster with one record of the entry at this position."""
        tables, near = self.prices.tables, self.prices.near
        kernels.start(at, self._entries, self._state, tables, near, self._taken, self._firsts, self._filled)
        kernels.score_all(self._start, self._end, self._entries[0], self._state, tables, self._work)

    def extend(self, until: int, limit: int = kernels.MOST) -> bool:
        """Add the cheapest records until the cluster has `until` records; return False if it stops earlier."""
        status = kernels.PAUSED
        while status == kernels.PAUSED:
            self._step()
            status = kernels.extend(
                self._start, self._end, until, limit, BUDGET, self._entries, self._state, self.prices.tables,
                self.prices.near, self.prices.scale, self._work, self._taken, self._filled,
            )  # fmt: skip
        return bool(status == kernels.GROWN)

    def most_distant_from(self, codes: np.ndarray, prices: Prices) -> int:
        """Return the position of the entry that would cost most in a cluster with a record of these codes."""
        self._compact()
        kernels.alone(codes, self._state, prices.tables)
        kernels.score_all(self._start, self._end, self._entries[0], self._state, prices.tables, self._work)
        return int(kernels.highest_score(self._start, self._end, self._entries[2], self._work[0]))

    def look_at(self, start: int, end: int) -> None:
        """Restrict the search to these entries, which have not been moved yet."""
        self._start, self._end = start, end

    def first(self) -> int | None:
        """Return the position of the first entry with records left, None if there is none."""
        self._compact()
        left = self._entries[2][self._start : self._end] > 0
        return self._start + int(np.argmax(left)) if left.any() else None

    def in_parts(self, starts: np.ndarray, limit: int) -> None:
        """Cluster each part starts[i]:starts[i + 1] separately; each seed is the first remaining record of its part."""
        part = 0
        while part < len(starts) - 1:
            self._step()
            part = kernels.cluster_parts(
                part, starts, limit, BUDGET, self._entries, self._state, self.prices.tables, self.prices.near,
                self.prices.scale, self._work, self._taken, self._filled, self._firsts,
            )  # fmt: skip

    def _compact(self) -> None:
        """Compact the entries between clusters if many of them have no records left."""
        left = self._entries[2][self._start : self._end]
        if np.count_nonzero(left) < SPARSE * len(left):
            self._end = int(kernels.compact(self._start, self._end, self._entries))

    def _step(self) -> None:
        self._progress.report(int(self._filled[0]))


class ClusteringProgress:
    """Reports how many of the records are in clusters, and about how long the others will take."""

    def __init__(self, records: int) -> None:
        self.records, self._remaining = records, Remaining()

    def report(self, done: int) -> None:
        """Report the number of clustered records, unless the work was canceled."""
        left = self._remaining.text(done, self.records)
        checkpoint(f"clustering: {done:,} of {self.records:,} records{f', {left}' if left else ''}")


# Median-based pre-partitioning (Loukides & Shao 2008, algorithm 2): parts that are clustered separately.

LARGEST = 2048  # records of a part; above, it is halved even if the halves are less diverse


@dataclass(eq=False)
class Halves:
    """A splitter that halves parts at the median of the widest attribute.

    Both halves need `size` records, and sensitive values of which no more than `most` can be estimated. If nearly all
    records share one value, no half may be diverse enough; so a large part is halved anyway, since the time of its
    clustering would grow with its square.
    """

    cells: Cells
    edge: np.ndarray  # attributes x codes
    span: np.ndarray
    size: int
    near: dict[str, np.ndarray]  # the contributions of values, of each sensitive column
    most: float

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the splits of the nodes that are halved; only the widest attribute of each is tried."""
        found, block = list[list[np.ndarray]](), max(1, LARGEST_BLOCK // max(map(len, self.near.values()), default=1))
        for first in range(0, len(nodes.start), block):
            checkpoint("clustering: parts")
            proposed = cell_kernels.propose(
                np.arange(first, min(first + block, len(nodes.start))), nodes.order, nodes.start, nodes.end,
                self.cells.quasi, self.cells.weight, self.edge, self.span, nodes.sizes, nodes.low, nodes.high,
                nodes.exact, np.zeros(nodes.low.shape, bool), False, False, self.size,
            )  # fmt: skip
            found.append([array[self._protected(nodes, *proposed)] for array in proposed])
        node, axis, cut, quota, sizes = (np.concatenate(column) for column in zip(*found, strict=True))
        return Split(node, axis, cut, np.arange(len(node) + 1), quota, sizes.reshape(-1))

    def shown(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return low, high

    def _protected(
        self, nodes: Nodes, node: np.ndarray, axis: np.ndarray, cut: np.ndarray, quota: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """Return which nodes have two halves with diverse sensitive values."""
        total = np.zeros(2 * len(node))
        for name, near in self.near.items():
            counts = cell_kernels.halves(
                node, nodes.order, nodes.start, nodes.end, self.cells.quasi, self.cells.weight,
                self.cells.others[name], len(near), axis, cut, quota,
            )  # fmt: skip
            total += s_diversity(counts / sizes.reshape(-1, 1), near)
        kept = (total <= self.most + 1e-9).reshape(-1, 2).all(axis=1)
        return np.asarray(kept | (nodes.sizes[node] > LARGEST))


def prepartition(
    table: Table, entries: Entries, size: int, widths: str, r: float, most: float | None
) -> tuple[Entries, np.ndarray]:
    """Return the entries, one record each, part by part, and the bounds of the parts.

    `widths` is "raw" to compare columns in their own units, otherwise widths are shares of the whole table's.
    """
    near = {name: contributions(table, name, r) for name in table.sensitive}
    part = _halved(table, entries.codes, entries.values, size, widths, near, np.inf if most is None else most)
    part = _cut(part, max(LARGEST, size))
    return entries.take(np.argsort(part, kind="stable")), np.append(0, np.cumsum(np.bincount(part)))


def _cut(part: np.ndarray, most: int) -> np.ndarray:
    """Cut parts of identical records, which no median can halve, into consecutive pieces of about `most` records."""
    sizes = np.bincount(part)
    pieces, order = np.maximum(sizes // most, 1), np.argsort(part, kind="stable")
    place = np.empty(len(part), np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray((np.cumsum(pieces) - pieces)[part] + place * pieces[part] // sizes[part])


def group_points(table: Table, points: np.ndarray, size: int) -> np.ndarray:
    """Return the part of each point (points x codes); a part has between `size` and 2 * `size` - 1 nearby points."""
    return _cut(_halved(table, np.ascontiguousarray(points.T), {}, size, "normalised", {}, np.inf), size)


def _halved(
    table: Table, codes: np.ndarray, values: dict[str, np.ndarray], size: int, widths: str, near: dict, most: float
) -> np.ndarray:
    ends = np.array([[table.columns[name].size - 1 for name in table.quasi]], np.int32)
    span = np.ones(len(codes))
    if widths == "normalised":
        whole = positions_of_quasi(table)[np.arange(len(codes)), ends[0]]
        span = np.where(whole > 0, whole, 1.0)
    cells = Cells(codes, values, np.ones(codes.shape[1], np.int64))
    halves = Halves(cells, positions_of_quasi(table), span / weights_of_quasi(table), size, near, most)
    root = Nodes(
        np.arange(len(cells), dtype=np.int32), np.zeros(1, np.int64), np.array([len(cells)]), np.array([len(cells)]),
        np.zeros_like(ends), ends, np.zeros(ends.shape, bool),
    )  # fmt: skip
    return grow(root, halves, None)


# Dissolving of clusters that violate the model: each record moves to the cheapest cluster.

EXAMINED = 10_000_000  # clusters examined between two checks for cancellation


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
            i, EXAMINED, turn, floor, blocks, taken, links, entries.codes, values, shown, *found, sums, size, paid,
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
