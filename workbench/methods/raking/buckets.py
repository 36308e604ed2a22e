"""Buckets: groups of atoms of a suitable size, with a number of records per value that satisfies the model."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.errors import Unsatisfiable
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods.raking.atoms import Atoms, Limit, error_of, polish, rake_beliefs
from workbench.models import Model
from workbench.releases.exchanged import Exchanged
from workbench.releases.partition import Bucketized

# Seats, whole records of each value in each bucket, and the assignment of records to them.

Counts = dict[str, np.ndarray]  # by sensitive column: buckets x values

WIDEST = 8  # number of values tried on either side
BLOCK = 64  # number of buckets tried at once
TRIES = 30  # swaps per bucket, in addition to one per value: only rounding can violate the model


def round_counts(wanted: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Return whole records close to the wanted numbers, buckets x values."""
    seats = np.floor(wanted).astype(np.int64)
    rows, columns = sizes - seats.sum(axis=1), limit.sensitive.totals - seats.sum(axis=0)
    rest = (wanted - seats).ravel()
    remove_seats(seats, np.argsort(rest, kind="stable"), rows, columns)
    fill_seats(seats, np.argsort(-(wanted - seats).ravel(), kind="stable"), rows, columns)
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
        gain = trade_gains(one, other, records.atom, now.bucket, now.slope, seen)
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


# The size of buckets: small buckets distinguish populations, large ones lose less to rounding to whole records.

USUAL = 40  # records: the first size that is tried, where rounding allows it
FACTOR = math.sqrt(2)  # between one size and the next
PATIENCE = 2  # sizes in a row that are no improvement, after which a direction is abandoned
DISTORTED = 0.25  # share of the loss that is due to rounding, above which larger buckets are tried


class Sized(Protocol):
    """Buckets of a minimum size: how many there are, their loss, and the part of the loss that is due to rounding."""

    @property
    def loss(self) -> float: ...

    @property
    def distortion(self) -> float: ...

    def __len__(self) -> int: ...


S = TypeVar("S", bound=Sized)


def first_size(limits: Sequence[Limit], records: int) -> int:
    """Return the first size at which the whole table's distribution, rounded to whole records, satisfies the model.

    Smaller buckets have fewer than one record of so many values that hardly any bucket can satisfy it.
    """
    half = max(records // 2, 1)
    tried = itertools.chain([min(USUAL, half)], _sizes(USUAL, FACTOR, USUAL, half))
    return next((size for size in tried if _may_satisfy(limits, size)), half)


def best_size(build: Callable[[int], S], first: int, least: int, records: int, most: int) -> S:
    """Return the buckets with the smallest loss on a walk over sizes, from `first` up, or else down.

    Larger buckets are tried where rounding causes a good part of the loss, and smaller ones where more buckets, `most`
    in all, are allowed. So the usual table costs one try.
    """
    begin = max(first, least)
    start = best = build(begin)
    if start.distortion > DISTORTED:
        best = _walk(build, _sizes(begin, FACTOR, begin, records / 2), best)
    if best is start and len(start) * FACTOR <= most:
        best = _walk(build, _sizes(begin, 1 / FACTOR, max(least, 2), begin), best)
    return best


def _walk(build: Callable[[int], S], sizes: Iterable[int], best: S) -> S:
    """Return the best buckets, until some sizes in a row are no improvement."""
    idle = 0
    for size in sizes:
        found = build(size)
        best, idle = (found, 0) if found.loss < best.loss else (best, idle + 1)
        if idle == PATIENCE:
            break
    return best


def _sizes(start: int, factor: float, low: float, high: float) -> Iterator[int]:
    """Yield the sizes after `start`, each `factor` times the one before, as long as they are within the bounds."""
    size, before = start * factor, start
    while low <= round(size) <= high:
        if round(size) != before:
            before = round(size)
            yield before
        size *= factor


def _may_satisfy(limits: Iterable[Limit], size: int) -> bool:
    return all(limit.holds(_rounded(limit.sensitive.prior, size)[None, :], np.array([size]))[0] for limit in limits)


def _rounded(shares: np.ndarray, size: int) -> np.ndarray:
    """Return whole records in these shares, by the largest remainders."""
    counts = np.floor(shares * size).astype(np.int64)
    counts[np.argsort(counts - shares * size, kind="stable")[: size - counts.sum()]] += 1
    return counts


DIGITS = 9  # beliefs are rounded to this


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of atoms by the chi-square distance of their beliefs, before small clusters are merged."""

    of_atom: np.ndarray
    scaled_beliefs: np.ndarray
    records: np.ndarray

    @classmethod
    def from_beliefs(
        cls, beliefs: np.ndarray, prior: np.ndarray, records: np.ndarray, most: int, seed: int
    ) -> Clusters:
        """Cluster atoms by k-means into at most `most` clusters."""
        scaled = np.round(beliefs / np.sqrt(np.maximum(prior, np.finfo(float).tiny)), DIGITS)
        kinds, kind = np.unique(scaled, axis=0, return_inverse=True)
        of_atom = kind.reshape(-1) if len(kinds) <= most else _means(scaled, records, most, seed)
        return cls(of_atom, scaled, records)

    def merged(self, smallest: int) -> np.ndarray:
        """Return the bucket of each atom: the smallest bucket joins the nearest until none is below `smallest`."""
        size = np.bincount(self.of_atom, self.records)
        centre = np.stack([np.bincount(self.of_atom, self.records * one) for one in self.scaled_beliefs.T], axis=1)
        into = np.arange(len(size))
        while (occupied := np.flatnonzero(size)).size > 1 and size[occupied].min() < smallest:
            least = occupied[size[occupied].argmin()]
            others = occupied[occupied != least]
            means = centre[others] / size[others, None]
            nearest = others[((means - centre[least] / size[least]) ** 2).sum(axis=1).argmin()]
            for one in (size, centre):
                one[nearest] += one[least]
                one[least] = 0
            into[into == least] = nearest
        return np.unique(into[self.of_atom], return_inverse=True)[1].astype(np.int32)


def _means(seen: np.ndarray, records: np.ndarray, most: int, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans  # loads for a second

    means = KMeans(most, init="random", n_init=1, max_iter=8, random_state=seed)
    found: np.ndarray = means.fit(seen, sample_weight=records).labels_
    return found


@dataclass(frozen=True, eq=False)
class Buckets:
    """Groups of atoms, and how many records with each sensitive value each group publishes."""

    group: np.ndarray  # of each atom
    seats: Counts
    merged: int  # buckets that were merged since they violated the model after rounding
    loss: float  # mean divergence from the truth about populations, of the worst sensitive column
    unrounded_loss: float  # the same before shares became whole records

    def __len__(self) -> int:
        return int(self.group.max()) + 1

    @property
    def distortion(self) -> float:
        """The share of the loss that rounding causes."""
        return max(1 - self.unrounded_loss / self.loss, 0.0) if self.loss > 0 else 0.0

    @property
    def notices(self) -> tuple[str, ...]:
        """Notes for the reader of a release about how its buckets were found."""
        if not self.merged:
            return ()
        before = len(self) + self.merged
        return (
            f"{self.merged:,} of {before:,} raked buckets violated the model after rounding to whole records and were "
            f"merged with similar ones",
        )

    def release(self, table: Table, atoms: Atoms, seed: int, dealt: bool, guarantee: str) -> Bucketized:
        """Return the release of the buckets, with swapped sensitive values or, if `dealt`, with true ones."""
        found = (
            into_buckets(table, atoms, self.group, self.seats, seed)
            if dealt
            else Exchanged.from_cells(table, self.group[atoms.of_cell], self.seats)
        )
        return replace(found, about=replace(found.about, guarantee=guarantee, notices=self.notices))


def buckets(table: Table, model: Model | None, atoms: Atoms, most: int, smallest: int | None, seed: int) -> Buckets:
    """Return at most `most` buckets of at least `smallest` records; by default of the size that loses least."""
    limits = {name: Limit(model, seen) for name, seen in table.sensitive.items()}
    beliefs = {name: rake_beliefs(atoms, limit) for name, limit in limits.items()}
    prior = np.concatenate([seen.prior for seen in table.sensitive.values()])
    clusters = Clusters.from_beliefs(np.hstack([*beliefs.values()]), prior, atoms.records, most, seed)
    least = model.min_class_size if model else 1

    @cache
    def build(size: int) -> Buckets:
        return _build_buckets(atoms, limits, beliefs, clusters.merged(size))

    if smallest is not None:
        return build(max(smallest, least))
    return best_size(build, first_size([*limits.values()], table.records), least, table.records, most)


def _build_buckets(
    atoms: Atoms, limits: dict[str, Limit], beliefs: dict[str, np.ndarray], group: np.ndarray
) -> Buckets:
    """Assign whole records of each value to each group of atoms, and merge groups that violate the model."""
    sizes, shares = np.bincount(group, atoms.records).astype(np.int64), atoms.shares(group)
    seats, unrounded = Counts(), dict[str, np.ndarray]()
    for name, limit in limits.items():
        counts = np.stack([np.bincount(group, atoms.records * one) for one in beliefs[name].T], axis=1)
        wanted = polish(counts / sizes[:, None], shares, atoms.truth[name], sizes, limit)
        unrounded[name] = shares @ wanted
        seats[name] = round_counts(wanted * sizes[:, None], sizes, limit)
    kept, seats = merge_violating(group, seats, limits)
    shares = atoms.shares(kept)
    rounded = {name: shares @ (counts / counts.sum(axis=1, keepdims=True)) for name, counts in seats.items()}
    return Buckets(kept, seats, len(sizes) - shares.shape[1], atoms.loss(rounded), atoms.loss(unrounded))


def refuse_one_atom(table: Table, atoms: Atoms, support: float) -> None:
    """Raise Unsatisfiable if no large population distinguishes any people: all would share one bucket."""
    if len(atoms) == 1 and np.ptp(table.cells().quasi, axis=1).any():
        raise Unsatisfiable(
            f"raked buckets are made for populations of at least {100 * support:g} % of the records, and the whole "
            "table is the only one: add a hierarchy to a quasi-identifier, or lower design_support"
        )


def refuse_roles(table: Table, dealt: bool, noise: bool) -> None:
    """Raise Unsatisfiable if there is nothing to swap, or the settings do not fit the table."""
    if not table.sensitive:
        raise Unsatisfiable("raked buckets need a sensitive column, and the table has none; name one")
    if noise and dealt:
        raise Unsatisfiable("dealt buckets contain true values, which no noise protects; use publish = exchanged")
    if noise and table.weight is not None:
        raise Unsatisfiable(
            "the noise of rho assumes equally weighted records, and these have weights; omit rho or the weight"
        )
    if dealt:
        table.engine.require_memory("dealt buckets process records one by one", "use publish = exchanged")
    if dealt and len(table.sensitive) > 1:
        raise Unsatisfiable(
            f"dealt buckets are made for one sensitive column, and the table has {len(table.sensitive)}; use "
            "publish = exchanged, or name one of them"
        )


# Compiled kernels.


@compiled
def fill_seats(seats: np.ndarray, order: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
    """Assign seats in `order` (row times values plus value) until rows and columns are full.

    Remaining seats go wherever there is room.
    """
    values = seats.shape[1]
    for place in order:
        i, v = place // values, place % values
        if rows[i] > 0 and columns[v] > 0:
            seats[i, v] += 1
            rows[i] -= 1
            columns[v] -= 1
    for i in range(len(seats)):
        for v in range(values):
            many = min(rows[i], columns[v])
            if many > 0:
                seats[i, v] += many
                rows[i] -= many
                columns[v] -= many


@compiled
def remove_seats(seats: np.ndarray, order: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
    """Remove seats, one at a time in `order`, from values that have too many, until none has."""
    values = seats.shape[1]
    while columns.min() < 0:
        for place in order:
            i, v = place // values, place % values
            if columns[v] < 0 and seats[i, v] > 0:
                seats[i, v] -= 1
                rows[i] += 1
                columns[v] += 1


@compiled
def trade_gains(
    one: np.ndarray, other: np.ndarray, atom: np.ndarray, bucket: np.ndarray, slope: np.ndarray, seen: np.ndarray
) -> np.ndarray:
    """Return by how much the error falls, to first order, if the records of each pair trade buckets."""
    found = np.empty(len(one))
    for i in range(len(one)):
        a, b, here, there = atom[one[i]], atom[other[i]], bucket[one[i]], bucket[other[i]]
        gain = 0.0
        if here != there and a != b:
            for v in range(seen.shape[1]):
                gain += (slope[a, v] - slope[b, v]) * (seen[here, v] - seen[there, v])
        found[i] = gain
    return found
