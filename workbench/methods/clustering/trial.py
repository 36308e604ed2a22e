"""About how long a clustering takes: its first clusters are grown by the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.base.progress import step
from workbench.methods.clustering.begun import Follower
from workbench.methods.clustering.entries import Entries

LONG = 5e8  # entries that are looked at, above which a clustering takes longer than a blink: about a second
ENOUGH = 0.2  # seconds that are clocked
SHARE, MOST = 8, 4096  # one entry in so many is clustered, and no more than so many
FIRST = 256  # entries that are clustered first: of so few nearly all time grows with their number


class Enough(Exception):
    """It is known how long clusters take."""


class Clock(Follower):
    """`took` so many seconds of a processor for the records from `first` on to the `last`.

    It starts with the second step: by then what is compiled is loaded.
    """

    took, first, last, started = 0.0, -1, 0, 0.0

    def step(self, records: int) -> None:
        step()
        if self.first < 0:
            self.first = 0
        elif not self.first:
            self.started, self.first = time.thread_time(), records
        else:
            self.took, self.last = time.thread_time() - self.started, records
            if self.took >= ENOUGH:
                raise Enough


def seconds(entries: Entries, clustered: Callable[[Follower], object], shrinks: bool, dear: bool = False) -> float:
    """About how long a processor takes to cluster them; 0 where it is short, or where they cannot be clustered.

    Each record looks at all entries; or, where what is looked at shrinks, at those that are left. Where looks are dear,
    even few may take long.
    """
    records = int(entries.records.sum())
    if not dear and float(records) * len(entries) < LONG:
        return 0.0
    clock = Clock()
    try:
        clustered(clock)
    except Enough:
        pass
    except Unsatisfiable:
        return 0.0
    before, after = (1 - at / records for at in (clock.first, clock.last))
    done = before**2 - after**2 if shrinks else before - after
    return clock.took / done if done > 0 else 0.0


def seconds_by_few(entries: Entries, clustered: Callable[[Entries], object], floor: int, parts: int | None) -> float:
    """The same where the first clusters are unlike the last ones: a few entries are clustered to the end, twice.

    Each record looks at all entries, or at those of its part of about so many.
    """
    whole = _looks(entries, parts)
    if whole < LONG:
        return 0.0
    few = entries.take(np.arange(min(len(entries) // SHARE, MOST)))  # their order is random
    first = few.take(np.arange(min(max(FIRST, 2 * floor), len(few) // 2)))
    if first.records.sum() < floor:
        return 0.0
    try:
        clustered(first)  # what is compiled is loaded
        short, long = _clocked(clustered, first), _clocked(clustered, few)
    except Unsatisfiable:
        return 0.0
    ratio = len(few) / len(first)
    taking = (short * ratio**2 - long) / (ratio - 1)  # grows with the records, the rest of `long` with their square
    taking = min(max(taking, 0.0), long) if parts is None else long
    more = float(entries.records.sum() / few.records.sum())
    return taking * more + (long - taking) * whole / _looks(few, parts)


def _clocked(clustered: Callable[[Entries], object], entries: Entries) -> float:
    start = time.thread_time()
    clustered(entries)
    return time.thread_time() - start


def _looks(entries: Entries, parts: int | None) -> float:
    return float(entries.records.sum()) * (len(entries) if parts is None else min(parts, len(entries)))
