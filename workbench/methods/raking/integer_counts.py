"""Seats: whole records of each value in each bucket, with exact totals, within the model's limit."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import checkpoint
from workbench.methods.raking import raking_kernels
from workbench.methods.raking.beliefs import Limit

Counts = dict[str, np.ndarray]  # by sensitive column: buckets x values

WIDEST = 8  # number of values tried on either side
BLOCK = 64  # number of buckets tried at once
TRIES = 30  # swaps per bucket, in addition to one per value: only rounding can violate the model


def round_counts(wanted: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Return whole records close to the wanted numbers, buckets x values."""
    seats = np.floor(wanted).astype(np.int64)
    rows, columns = sizes - seats.sum(axis=1), limit.sensitive.totals - seats.sum(axis=0)
    rest = (wanted - seats).ravel()
    raking_kernels.unseat(seats, np.argsort(rest, kind="stable"), rows, columns)
    raking_kernels.seat(seats, np.argsort(-(wanted - seats).ravel(), kind="stable"), rows, columns)
    return _repair_buckets(seats, sizes, limit)


def _repair_buckets(seats: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Swap single records between buckets until each satisfies the model, as far as possible."""
    hopeless, largest = np.zeros(len(seats), bool), np.argsort(-sizes, kind="stable")
    while (broken := np.flatnonzero(~limit.holds(seats, sizes) & ~hopeless)).size:
        checkpoint(f"{len(broken):,} buckets to repair")
        for i in broken:
            hopeless[i] = not _repair_bucket(seats, sizes, int(i), limit, largest)
    return seats


def _repair_bucket(seats: np.ndarray, sizes: np.ndarray, i: int, limit: Limit, largest: np.ndarray) -> bool:
    """Swap records of a bucket with others that still satisfy the model; return whether it satisfies the model now."""
    prior = limit.sensitive.prior
    for _ in range(TRIES + len(prior)):
        if limit.holds(seats[i : i + 1], sizes[i : i + 1])[0]:
            return True
        over = seats[i] / sizes[i] - prior
        ratio = over / np.sqrt(np.maximum(prior, 1 / sizes.sum()))
        gone = [v for v in np.argsort(-ratio)[:WIDEST] if seats[i, v] and over[v] > 0]
        come = [v for v in np.argsort(ratio)[:WIDEST] if over[v] < 0]
        if not any(_exchanged(seats, sizes, i, u, v, limit, largest) for u in gone for v in come):
            return False
    return False


def _exchanged(
    seats: np.ndarray, sizes: np.ndarray, i: int, gone: int, come: int, limit: Limit, largest: np.ndarray
) -> bool:
    """Swap a record of one value for one of another with a bucket that still satisfies the model then.

    The largest such bucket is used, so the largest are examined first. Return whether there was one.
    """
    checkpoint()
    others = largest[(seats[largest, come] > 0) & (largest != i)]
    for some in np.split(others, range(BLOCK, len(others), BLOCK)):
        after = seats[some]
        after[:, gone] += 1
        after[:, come] -= 1
        able = limit.holds(after, sizes[some])
        if able.any():
            first = int(able.argmax())
            seats[some[first]] = after[first]
            seats[i, gone] -= 1
            seats[i, come] += 1
            return True
    return False


def merge_violating(group: np.ndarray, seats: Counts, limits: dict[str, Limit]) -> tuple[np.ndarray, Counts]:
    """Merge buckets that violate the model with the nearest, until all satisfy it or one is left."""
    while True:
        sizes = next(iter(seats.values())).sum(axis=1)
        held = np.logical_and.reduce([limits[name].holds(counts, sizes) for name, counts in seats.items()])
        if held.all() or len(sizes) == 1:
            return group, seats
        told = np.hstack([counts / sizes[:, None] for counts in seats.values()])
        i = int(held.argmin())
        far = ((told - told[i]) ** 2).sum(axis=1)
        far[i] = np.inf
        number = np.arange(len(sizes))
        number[i] = far.argmin()
        kept, number = np.unique(number, return_inverse=True)
        merged = {name: np.zeros((len(kept), counts.shape[1]), np.int64) for name, counts in seats.items()}
        for name, counts in seats.items():
            np.add.at(merged[name], number, counts)
        group, seats = number[group].astype(np.int32), merged
