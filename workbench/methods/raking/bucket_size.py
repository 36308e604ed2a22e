"""The size of buckets: small buckets distinguish populations, large ones lose less to rounding to whole records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np

from workbench.methods.raking.beliefs import Limit

USUAL = 40  # records: the first size that is tried, where rounding allows it
FACTOR = math.sqrt(2)  # between one size and the next
PATIENCE = 2  # sizes in a row that are no improvement, after which a direction is abandoned
DISTORTED = 0.25  # share of the loss that is due to rounding, above which larger buckets are tried


class Sized(Protocol):
    """Buckets of at least some size: how many they are, the loss, and the part of it that rounding causes."""

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
