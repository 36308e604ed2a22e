"""Growth of clusters, one after the other, by the compiled kernels."""

from __future__ import annotations

import numpy as np

from workbench.base.durations import Remaining
from workbench.base.progress import checkpoint
from workbench.methods.clustering import cluster_kernels as kernels
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.prices import Prices

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
        """Add the cheapest records until the cluster has `until`; return False if it stops earlier."""
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
