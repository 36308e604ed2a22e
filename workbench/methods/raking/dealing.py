"""Records dealt to the seats of buckets, each with the value that it has: at home where there is a seat, then exchanged
with records of the same value, so that what buckets tell of large populations comes nearer to the truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base import raking_kernels
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.polish import error_of
from workbench.methods.raking.seats import Seats
from workbench.releases.partition import Bucketized

ROUNDS, PART = 290, 2  # a part of the records of a value changes places at a time
TINY = np.finfo(float).tiny
ENOUGH = 1 / 64  # of the exchanges that would help: fewer at a time are not tried


class Records(NamedTuple):
    """Of each record its atom, its sensitive value and its bucket."""

    atom: np.ndarray
    value: np.ndarray
    bucket: np.ndarray


def into_buckets(table: Table, atoms: Atoms, group: np.ndarray, seats: Seats, seed: int) -> Bucketized:
    """The release: records with equal values may be in several buckets."""
    cells, ((name, counts),) = table.cells(), seats.items()
    rng = np.random.default_rng([seed, cells.digest])  # who knows the seed alone can replay nothing
    cell = np.repeat(np.arange(len(cells)), cells.weight)
    atom = atoms.of_cell[cell]
    bucket = dealt(Records(atom, cells.others[name][cell], group[atom]), counts, atoms, atoms.truth[name], rng)
    entry, count = np.unique(cell * len(counts) + bucket, return_counts=True)
    parts = (entry // len(counts)).astype(np.int32), count
    return Bucketized(table, cells, (entry % len(counts)).astype(np.int32), parts=parts)


def dealt(records: Records, seats: np.ndarray, atoms: Atoms, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The bucket of each record."""
    beliefs = seats / seats.sum(axis=1, keepdims=True)
    bucket = _seated(records, seats, beliefs, rng)
    return _exchanged(records._replace(bucket=bucket), beliefs, atoms, truth, rng)


def _seated(records: Records, seats: np.ndarray, beliefs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many as can stay in their bucket, drawn at random; the others by a line along which buckets differ most."""
    values = seats.shape[1]
    line = np.argsort(np.argsort(_along(beliefs)))
    place = records.bucket.astype(np.int64) * values + records.value
    order = np.lexsort([rng.random(len(place)), place])
    before = np.append(0, np.cumsum(np.bincount(place, minlength=seats.size)))
    stays = np.empty(len(place), bool)
    stays[order] = np.arange(len(place)) - before[place[order]] < seats.ravel()[place[order]]
    bucket = records.bucket.copy()
    empty = seats - np.bincount(place[stays], minlength=seats.size).reshape(seats.shape)
    gone = np.flatnonzero(~stays)
    gone = gone[np.lexsort([line[records.bucket[gone]], records.value[gone]])]
    at = np.argsort(line)
    bucket[gone] = np.repeat(np.tile(at, values), empty[at].T.ravel())
    return bucket


def _along(beliefs: np.ndarray) -> np.ndarray:
    """Where each bucket lies along the first principal component."""
    centred = beliefs - beliefs.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][0]


class _Told(NamedTuple):
    """Who is in which bucket, what is believed of the people of each atom together, how wrong that is of populations,
    and how that grows with what is believed of one person of each atom."""

    bucket: np.ndarray
    beliefs: np.ndarray
    error: float
    slope: np.ndarray

    @classmethod
    def of(cls, bucket: np.ndarray, beliefs: np.ndarray, atoms: Atoms, truth: np.ndarray) -> _Told:
        each = (atoms.people / atoms.records)[:, None]
        error, slope = error_of(atoms.sums(beliefs * each) / atoms.held, truth)
        return cls(bucket, beliefs, error, each * atoms.back(slope / atoms.held))


def _exchanged(
    records: Records, seen: np.ndarray, atoms: Atoms, truth: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Pairs with the same value change places where that helps, as long as it does; `seen` is what buckets tell."""
    beliefs = np.stack([np.bincount(records.atom, one[records.bucket], len(atoms)) for one in seen.T], axis=1)
    now, share = _Told.of(records.bucket, beliefs, atoms, truth), 1.0
    every = np.split(np.argsort(records.value, kind="stable"), np.cumsum(np.bincount(records.value))[:-1])
    of_value = [some for some in every if len(some) > 1]  # a value of one record has nobody to change places with
    for number in range(ROUNDS if of_value else 0):
        step(f"records exchanged, {number + 1} of at most {ROUNDS}")
        one, other = _pairs(records.atom, of_value, now, seen, rng)
        gain = raking_kernels.gains(one, other, records.atom, now.bucket, now.slope, seen)
        best = np.argsort(-gain)[: int((gain > 0).sum())]
        while len(best) and share >= ENOUGH:
            chosen = best[: max(1, int(share * len(best)))]
            bucket, beliefs, left, right = now.bucket.copy(), now.beliefs.copy(), one[chosen], other[chosen]
            bucket[left], bucket[right] = now.bucket[right], now.bucket[left]
            moved = seen[bucket[left]] - seen[bucket[right]]
            np.add.at(beliefs, records.atom[left], moved)
            np.subtract.at(beliefs, records.atom[right], moved)
            tried = _Told.of(bucket, beliefs, atoms, truth)
            if tried.error < now.error:
                now, share = tried, min(share * 1.5, 1.0)
                break
            share /= 2
    return now.bucket


def _pairs(
    atom: np.ndarray, of_value: list[np.ndarray], now: _Told, seen: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Records with the same value, two by two: those that most want and have some difference between buckets with
    those that least do."""
    u, v = seen[rng.choice(len(seen), 2)]
    wants, has = now.slope @ (u - v), seen @ (u - v)
    wants, has = wants / max(wants.std(), TINY), has / max(has.std(), TINY)
    least, most = [], []
    for records in of_value:
        both, few = wants[atom[records]] + has[now.bucket[records]], len(records) // PART
        ends = np.argpartition(both, (few - 1, len(records) - few))
        low, high = ends[:few], ends[-few:]
        least.append(records[low[np.argsort(both[low])]])
        most.append(records[high[np.argsort(-both[high])]])
    return np.concatenate(least), np.concatenate(most)
