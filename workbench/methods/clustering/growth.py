"""One cluster after another is grown from entries, by the compiled kernels; what was taken is kept in order."""

from __future__ import annotations

import numpy as np

from workbench.base import cluster_kernels as kernels
from workbench.methods.clustering.begun import NOBODY, Follower, Grown
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.prices import Prices

BUDGET = 30_000_000  # entries that are looked at between two looks at who waits
SPARSE = 0.8  # the share of entries with records left below which these are moved together


class Growth:
    """`taken` has the entry of each record that went into a cluster, cluster after cluster; `sizes` are theirs.

    What has been `begun` is there already: the clusters that follow depend on nothing but who is left.
    """

    def __init__(self, entries: Entries, prices: Prices, begun: Follower = NOBODY) -> None:
        self.prices, records, (names, most) = prices, int(entries.records.sum()), prices.near.shape[:2]
        axes, widest = len(entries.codes), int(prices.tables[1].max())
        self._taken, self._firsts = np.empty(records, np.int32), np.empty(records, np.int64)
        self._filled = np.zeros(2, np.int64)
        self._entries = (
            entries.codes.copy(), entries.first_values(names), entries.records.copy(),
            np.arange(len(entries), dtype=np.int32),
        )  # fmt: skip
        self._start, self._end = 0, len(entries)  # of those that are looked at
        self._state = (
            np.full(axes, widest, np.int32), np.full(axes, -1, np.int32), np.zeros((axes, widest), bool),
            np.zeros(axes, np.int32), np.zeros((names, most)), np.zeros(names), np.zeros(2, np.int64),
        )  # fmt: skip
        self._work = np.zeros(len(entries), np.int32), np.zeros(widest, np.int32), np.zeros((names, most), np.int32)
        self._begun = begun
        self._go_on(begun.grown)
        begun.watch(self.whole)

    def _go_on(self, grown: Grown) -> None:
        """From clusters that are there."""
        self._taken[: len(grown.taken)] = grown.taken
        self._firsts[: len(grown.sizes)] = np.cumsum(grown.sizes) - grown.sizes
        self._filled[:] = len(grown.taken), len(grown.sizes)
        self._entries[2][:] -= np.bincount(grown.taken, minlength=len(self._entries[2]))

    @property
    def left(self) -> int:
        """Records in no cluster yet."""
        return len(self._taken) - int(self._filled[0])

    def whole(self) -> Grown:
        """The clusters without the one that was begun last, unless it was there already."""
        sizes = self.sizes[: max(int(self._filled[1]) - 1, len(self._begun.grown.sizes))]
        return Grown(self._taken[: sizes.sum()], sizes)

    @property
    def taken(self) -> np.ndarray:
        return self._taken[: self._filled[0]]

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self._firsts[: self._filled[1]], append=self._filled[0])

    @property
    def open(self) -> np.ndarray:
        """The entries of the cluster that was begun last."""
        return self._taken[self._firsts[self._filled[1] - 1] : self._filled[0]]

    def begin(self, at: int) -> None:
        """A new cluster of one record of the entry that stands here."""
        tables, near = self.prices.tables, self.prices.near
        kernels.start(at, self._entries, self._state, tables, near, self._taken, self._firsts, self._filled)
        kernels.score_all(self._start, self._end, self._entries[0], self._state, tables, self._work)

    def extend(self, until: int, limit: int = kernels.MOST) -> bool:
        """Take the cheapest records into the cluster until it has `until`; False where it stops before."""
        status = kernels.PAUSED
        while status == kernels.PAUSED:
            self._step()
            status = kernels.extend(
                self._start, self._end, until, limit, BUDGET, self._entries, self._state, self.prices.tables,
                self.prices.near, self.prices.scale, self._work, self._taken, self._filled,
            )  # fmt: skip
        return bool(status == kernels.GROWN)

    def farthest_from(self, codes: np.ndarray, prices: Prices) -> int:
        """Where the entry stands that would cost most in a cluster with a record of these codes."""
        self._move_together()
        kernels.alone(codes, self._state, prices.tables)
        kernels.score_all(self._start, self._end, self._entries[0], self._state, prices.tables, self._work)
        return int(kernels.farthest(self._start, self._end, self._entries[2], self._work[0]))

    def look_at(self, start: int, end: int) -> None:
        """From now on at these entries alone, which have not been moved yet."""
        self._start, self._end = start, end

    def first(self) -> int | None:
        """Where the first entry stands that has records left."""
        self._move_together()
        left = self._entries[2][self._start : self._end] > 0
        return self._start + int(np.argmax(left)) if left.any() else None

    def in_parts(self, starts: np.ndarray, limit: int) -> None:
        """Cluster each part starts[i]:starts[i + 1] of the entries by itself, each seed its first record left."""
        part = 0
        while part < len(starts) - 1:
            self._step()
            part = kernels.cluster_parts(
                part, starts, limit, BUDGET, self._entries, self._state, self.prices.tables, self.prices.near,
                self.prices.scale, self._work, self._taken, self._filled, self._firsts,
            )  # fmt: skip

    def _move_together(self) -> None:
        """Between clusters: pass over the entries without records, where they are many."""
        left = self._entries[2][self._start : self._end]
        if np.count_nonzero(left) < SPARSE * len(left):
            self._end = int(kernels.together(self._start, self._end, self._entries))

    def _step(self) -> None:
        self._begun.step(int(self._filled[0]))
