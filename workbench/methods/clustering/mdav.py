"""The search of MDAV: clusters around the records that are farthest from the centre, and from each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.base import cluster_kernels as kernels
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.methods.clustering.begun import NOBODY, Follower, Grown
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.distances import Distances
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.k_members import keeps
from workbench.models import Model

BUDGET = 30_000_000  # entries that are looked at between two looks at who waits
Grow = Callable[["Remaining", int], np.ndarray]  # the entries of a cluster around one, taken out of the others


class Remaining:
    """The records that are in no cluster yet, and how far they are from a point."""

    def __init__(self, table: Table, entries: Entries) -> None:
        self.distances, self.entries, self.codes = Distances(table), entries, entries.codes
        self.left, self.score = entries.records.copy(), np.zeros(len(entries), np.int32)
        sizes = [column.size for column in self.distances.columns]
        self.counts = [
            np.bincount(codes, entries.records, size) for codes, size in zip(entries.codes, sizes, strict=True)
        ]
        self.records = int(self.left.sum())

    def farthest_from_centre(self) -> int:
        """The entry that is farthest from the centre of all that remain."""
        self._seen_from(self.distances.from_centre(self.counts))
        return int(kernels.farthest(0, len(self.left), self.left, self.score))

    def farthest_from(self, entry: int) -> int:
        """The entry that is farthest from one."""
        self.seen_from(entry)
        return int(kernels.farthest(0, len(self.left), self.left, self.score))

    def seen_from(self, entry: int) -> None:
        """Score all entries by their distance from one."""
        self._seen_from(self.distances.from_codes(self.codes[:, entry]))

    def take(self, count: int) -> np.ndarray:
        """The nearest records, taken out."""
        taken, filled = np.empty(min(count, self.records), np.int32), 0
        while filled < len(taken):
            step()
            some = taken[filled : filled + max(BUDGET // len(self.left), 1)]
            filled += kernels.take_nearest(len(self.left), len(some), self.codes, self.left, self.score, some)
        self._count(taken, -1)
        return taken

    def without(self, taken: np.ndarray) -> None:
        """These are in clusters already."""
        self.left -= np.bincount(taken, minlength=len(self.left))
        self._count(taken, -1)

    def exchange(self, out: int, back: int) -> None:
        """Take a record of one entry out, and put one of another back."""
        self.left[out] -= 1
        self.left[back] += 1
        self._count(np.array([out]), -1)
        self._count(np.array([back]), 1)

    def _count(self, entries: np.ndarray, sign: int) -> None:
        self.records += sign * len(entries)
        for counts, codes in zip(self.counts, self.codes, strict=True):
            np.add.at(counts, codes[entries], sign)

    def _seen_from(self, rows: np.ndarray) -> None:
        kernels.add_rows(len(self.left), self.codes, rows, self.score)


def until_it_holds(table: Table, entries: Entries, model: Model) -> Grow:
    """Clusters of the nearest records, one more as long as the model does not hold."""

    def grow(remaining: Remaining, around: int) -> np.ndarray:
        cluster = remaining.take(model.floor)
        while remaining.records and not keeps(table, entries, cluster, model):
            step()
            cluster = np.append(cluster, remaining.take(1))
        return cluster

    return grow


def mdav(
    table: Table, entries: Entries, floor: int, grow: Grow, to_the_end: bool, begun: Follower = NOBODY
) -> Clusters:
    """Two clusters at a time while there are three times the `floor`; what is left then is one cluster, or two.

    `to_the_end`: two at a time as long as there are twice the floor (the variant that knows t).
    """
    remaining, least = Remaining(table, entries), 2 if to_the_end else 3
    found = np.split(begun.grown.taken, np.cumsum(begun.grown.sizes))[:-1]
    remaining.without(begun.grown.taken)
    begun.watch(lambda: _in_pairs(found))
    while remaining.records >= least * floor:
        begun.step(int(entries.records.sum()) - remaining.records)
        first = remaining.farthest_from_centre()
        remaining.seen_from(first)
        found.append(grow(remaining, first))
        if remaining.records and (not to_the_end or remaining.records >= 2 * floor):
            second = remaining.farthest_from(first)
            remaining.seen_from(second)
            found.append(grow(remaining, second))
    if remaining.records >= 2 * floor:
        first = remaining.farthest_from_centre()
        remaining.seen_from(first)
        found.append(grow(remaining, first))
    if remaining.records:
        found.append(remaining.take(remaining.records))
    return Clusters.in_order(entries, np.concatenate(found), np.array([len(one) for one in found]))


def _in_pairs(found: list[np.ndarray]) -> Grown:
    """Clusters, without one that has no second yet, which is sought from it."""
    whole = found[: len(found) // 2 * 2]
    return Grown(np.concatenate([np.empty(0, np.int32), *whole]), np.array([len(one) for one in whole], np.int32))
