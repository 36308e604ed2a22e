"""Seats: whole records of each value in each bucket, exact in sum both ways, and no bucket beyond the model."""

from __future__ import annotations

import numpy as np

from workbench.base import raking_kernels
from workbench.base.progress import step
from workbench.methods.raking.limits import Limit

Seats = dict[str, np.ndarray]  # by sensitive column: buckets x values

WIDEST = 8  # values on either side that are tried
BLOCK = 64  # buckets that are tried together
TRIES = 30  # exchanges for a bucket, beside one a value: it is beyond the model by roundings alone


def seated(wanted: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Buckets x values, near to what is wanted."""
    seats = np.floor(wanted).astype(np.int64)
    rows, columns = sizes - seats.sum(axis=1), limit.sensitive.totals - seats.sum(axis=0)
    rest = (wanted - seats).ravel()
    raking_kernels.unseat(seats, np.argsort(rest, kind="stable"), rows, columns)
    raking_kernels.seat(seats, np.argsort(-(wanted - seats).ravel(), kind="stable"), rows, columns)
    return _kept(seats, sizes, limit)


def _kept(seats: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Single records exchanged between buckets until each keeps the model, as far as that can be."""
    hopeless, largest = np.zeros(len(seats), bool), np.argsort(-sizes, kind="stable")
    while (broken := np.flatnonzero(~limit.holds(seats, sizes) & ~hopeless)).size:
        step(f"{len(broken):,} buckets to be mended")
        for i in broken:
            hopeless[i] = not _mended(seats, sizes, int(i), limit, largest)
    return seats


def _mended(seats: np.ndarray, sizes: np.ndarray, i: int, limit: Limit, largest: np.ndarray) -> bool:
    """Whether the records exchanged for others, with buckets that keep the model then too, make a bucket keep it."""
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
    """Whether another bucket took a record with one value for one with another: of those that keep the model the
    largest, so the largest are looked at first."""
    step()
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


def together(group: np.ndarray, seats: Seats, limits: dict[str, Limit]) -> tuple[np.ndarray, Seats]:
    """Buckets that do not keep the model are merged with the nearest, until each does or there is one."""
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
