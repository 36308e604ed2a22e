"""Seats, whole records of each value in each bucket, and the assignment of records to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods.raking import kernels
from workbench.methods.raking.atoms import Atoms, Limit, error_of
from workbench.releases.partition import Bucketized

Counts = dict[str, np.ndarray]  # by sensitive column: buckets x values

WIDEST = 8  # number of values tried on either side
BLOCK = 64  # number of buckets tried at once
TRIES = 30  # swaps per bucket, in addition to one per value: only rounding can violate the model


def round_counts(wanted: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Return whole records close to the wanted numbers, buckets x values."""
    seats = np.floor(wanted).astype(np.int64)
    rows, columns = sizes - seats.sum(axis=1), limit.sensitive.totals - seats.sum(axis=0)
    rest = (wanted - seats).ravel()
    kernels.unseat(seats, np.argsort(rest, kind="stable"), rows, columns)
    kernels.seat(seats, np.argsort(-(wanted - seats).ravel(), kind="stable"), rows, columns)
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
        if not any(_best_trade(seats, sizes, i, u, v, limit, largest) for u in gone for v in come):
            return False
    return False


def _best_trade(
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
        shares = np.hstack([counts / sizes[:, None] for counts in seats.values()])
        i = int(held.argmin())
        far = ((shares - shares[i]) ** 2).sum(axis=1)
        far[i] = np.inf
        number = np.arange(len(sizes))
        number[i] = far.argmin()
        kept, number = np.unique(number, return_inverse=True)
        merged = {name: np.zeros((len(kept), counts.shape[1]), np.int64) for name, counts in seats.items()}
        for name, counts in seats.items():
            np.add.at(merged[name], number, counts)
        group, seats = number[group].astype(np.int32), merged


# Assignment of records with their true values to the seats of buckets.
#
# A record stays in its own bucket if there is a seat; then records with equal values trade places, as long as that
# brings the buckets closer to the truth about large populations.

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
    def from_buckets(cls, bucket: np.ndarray, beliefs: np.ndarray, atoms: Atoms, truth: np.ndarray) -> _Assignment:
        each = (atoms.people / atoms.records)[:, None]
        error, slope = error_of(atoms.sums(beliefs * each) / atoms.held, truth)
        return cls(bucket, beliefs, error, each * atoms.back(slope / atoms.held))


def _exchanged(
    records: Records, seen: np.ndarray, atoms: Atoms, truth: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Let pairs of records with equal values trade places while the error falls; `seen` are the buckets' shares."""
    beliefs = np.stack([np.bincount(records.atom, one[records.bucket], len(atoms)) for one in seen.T], axis=1)
    now, share = _Assignment.from_buckets(records.bucket, beliefs, atoms, truth), 1.0
    every = np.split(np.argsort(records.value, kind="stable"), np.cumsum(np.bincount(records.value))[:-1])
    of_value = [some for some in every if len(some) > 1]  # a single record has no partner
    for number in range(ROUNDS if of_value else 0):
        checkpoint(f"records exchanged, {number + 1} of at most {ROUNDS}")
        one, other = _pairs(records.atom, of_value, now, seen, rng)
        gain = kernels.gains(one, other, records.atom, now.bucket, now.slope, seen)
        best = np.argsort(-gain)[: int((gain > 0).sum())]
        while len(best) and share >= ENOUGH:
            chosen = best[: max(1, int(share * len(best)))]
            bucket, beliefs, left, right = now.bucket.copy(), now.beliefs.copy(), one[chosen], other[chosen]
            bucket[left], bucket[right] = now.bucket[right], now.bucket[left]
            moved = seen[bucket[left]] - seen[bucket[right]]
            np.add.at(beliefs, records.atom[left], moved)
            np.subtract.at(beliefs, records.atom[right], moved)
            tried = _Assignment.from_buckets(bucket, beliefs, atoms, truth)
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
