"""Buckets: groups of atoms of a suitable size, with a number of records per value that satisfies the model."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol, TypeVar

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.data.table import Table
from workbench.methods.raking.atoms import Atoms, Limit, polish, rake_beliefs
from workbench.methods.raking.seats import Counts, into_buckets, merge_violating, round_counts
from workbench.models import Model
from workbench.releases.exchanged import Exchanged
from workbench.releases.partition import Bucketized

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
