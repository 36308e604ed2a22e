"""About how long a clustering takes: a few of its entries are clustered by the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.methods.clustering.entries import Entries

LONG = 5e8  # entries that are looked at, above which a clustering takes longer than a blink: about a second
SHARE, MOST = 8, 4096  # one entry in so many is clustered, and no more than so many
FIRST = 256  # entries that are clustered first: of so few nearly all time grows with their number


def seconds(entries: Entries, clustered: Callable[[Entries], object], floor: int, parts: int | None = None) -> float:
    """About how long a processor takes to cluster them; 0 where it is short, or where so few cannot be clustered.

    A cluster has `floor` records or more; each record looks at all entries, or at those of its part of about so many.
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
