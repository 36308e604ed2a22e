"""Assignment of records with their true values to the seats of buckets.

A record stays in its own bucket if there is a seat; then records with equal values trade places, as long as that brings
the buckets closer to the truth about large populations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods.raking import raking_kernels
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.integer_counts import Counts
from workbench.methods.raking.polish import error_of
from workbench.releases.partition import Bucketized

ROUNDS, PART = 290, 2  # at most; and one in so many records of a value trades places at a time
TINY = np.finfo(float).tiny
ENOUGH = 1 / 64  # the smallest share of the helpful trades that is tried


class Records(NamedTuple):
    """The atom, the sensitive value and the bucket of each record."""

    atom: np.ndarray
    value: np.ndarray
    bucket: np.ndarray


def into_buckets(table: Table, atoms: Atoms, group: np.ndarray, seats: Counts, seed: int) -> Bucketized:
    """Return the release; records with equal quasi-identifiers may be in several buckets."""
    cells, ((name, counts),) = table.cells(), seats.items()
    rng = np.random.default_rng([seed, cells.digest])  # knowing the seed alone is not enough to replay the draw
    cell = np.repeat(np.arange(len(cells)), cells.weight)
    atom = atoms.of_cell[cell]
    bucket = assign_records(Records(atom, cells.others[name][cell], group[atom]), counts, atoms, atoms.truth[name], rng)
    entry, count = np.unique(cell * len(counts) + bucket, return_counts=True)
    parts = (entry // len(counts)).astype(np.int32), count
    return Bucketized(table, cells, (entry % len(counts)).astype(np.int32), parts=parts)


def assign_records(
    records: Records, seats: np.ndarray, atoms: Atoms, truth: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the bucket of each record."""
    beliefs = seats / seats.sum(axis=1, keepdims=True)
    bucket = _initial_assignment(records, seats, beliefs, rng)
    return _exchanged(records._replace(bucket=bucket), beliefs, atoms, truth, rng)


def _initial_assignment(
    records: Records, seats: np.ndarray, beliefs: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Assign records to seats.

    As many records as possible stay in their bucket, chosen at random; the others move along the line on which the
    buckets differ most.
    """
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
    """Return the position of each bucket along the first principal component."""
    centred = beliefs - beliefs.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][0]


class _Assignment(NamedTuple):
    """An assignment of records to buckets, and its error.

    `beliefs` are the summed beliefs about the people of each atom, `error` the error about populations, and `slope` its
    derivative with respect to the belief about one person of each atom.
    """

    bucket: np.ndarray
    beliefs: np.ndarray
    error: float
    slope: np.ndarray

    @classmethod
    def of(cls, bucket: np.ndarray, beliefs: np.ndarray, atoms: Atoms, truth: np.ndarray) -> _Assignment:
        each = (atoms.people / atoms.records)[:, None]
        error, slope = error_of(atoms.sums(beliefs * each) / atoms.held, truth)
        return cls(bucket, beliefs, error, each * atoms.back(slope / atoms.held))


def _exchanged(
    records: Records, seen: np.ndarray, atoms: Atoms, truth: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Let pairs of records with equal values trade places while the error falls; `seen` are the buckets' shares."""
    beliefs = np.stack([np.bincount(records.atom, one[records.bucket], len(atoms)) for one in seen.T], axis=1)
    now, share = _Assignment.of(records.bucket, beliefs, atoms, truth), 1.0
    every = np.split(np.argsort(records.value, kind="stable"), np.cumsum(np.bincount(records.value))[:-1])
    of_value = [some for some in every if len(some) > 1]  # a single record has no partner
    for number in range(ROUNDS if of_value else 0):
        checkpoint(f"records exchanged, {number + 1} of at most {ROUNDS}")
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
            tried = _Assignment.of(bucket, beliefs, atoms, truth)
            if tried.error < now.error:
                now, share = tried, min(share * 1.5, 1.0)
                break
            share /= 2
    return now.bucket


def _pairs(
    atom: np.ndarray, of_value: list[np.ndarray], now: _Assignment, seen: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of records with equal values.

    They pair the records that gain most from a difference between two random buckets with those that gain least.
    """
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
