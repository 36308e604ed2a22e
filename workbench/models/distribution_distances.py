"""Distances between the distributions of many classes at once: Jensen-Shannon, variation and the earth mover's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.sensitive import Sensitive

Levels = Sequence[np.ndarray]
DISTANCE_HELP = "how distributions are compared; js: Jensen-Shannon divergence, in nats, at most .693, not a metric"
NEAR = 1e-9  # divergences that differ by less are equal
LEAST = np.finfo(float).tiny  # has a logarithm, unlike 0
ROUNDING = 1e-14  # smaller distances result from rounding alone, and would rank equal releases


def jensen_shannon(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Jensen-Shannon divergence along the last axis, natural logarithm: 0 where equal, ln 2 where disjoint."""
    middle = np.maximum((p + q) / 2, LEAST)

    def divergence(a: np.ndarray) -> np.ndarray:
        return (a * np.log(np.maximum(a / middle, LEAST))).sum(axis=-1)

    return _beyond_rounding((divergence(p) + divergence(q)) / 2)


def variation(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Half the sum of the differences; the earth mover's distance if all values are at the same distance."""
    return np.abs(p - q).sum(axis=-1) / 2


def ordered(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Earth mover's distance with distances between ranks, scaled so that the ends are at distance 1."""
    return np.abs(np.cumsum(p - q, axis=-1)).sum(axis=-1) / max(p.shape[-1] - 1, 1)


def hierarchical(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Earth mover's distance with the height of two values' lowest common ancestor as their distance."""
    extra = np.broadcast_to(p - q, np.broadcast(p, q).shape)
    parents = [*levels, np.zeros(extra.shape[-1], np.int64)]
    cost, place = np.zeros(extra.shape[:-1]), np.arange(extra.shape[-1])
    for height, nodes in enumerate(parents, start=1):
        first = np.flatnonzero(np.diff(nodes[place], prepend=-1))  # the children of each node are adjacent
        surplus = np.add.reduceat(np.maximum(extra, 0), first, axis=-1)
        deficit = np.add.reduceat(np.maximum(-extra, 0), first, axis=-1)
        cost = cost + np.minimum(surplus, deficit).sum(axis=-1) * height / len(parents)
        extra, place = surplus - deficit, place[first]
    return cost


DISTANCES: dict[str, Callable[[np.ndarray, np.ndarray, Levels], np.ndarray]] = {
    "equal": variation,
    "variation": variation,
    "ordered": ordered,
    "hierarchical": hierarchical,
    "js": jensen_shannon,
}


def explain_unordered(kind: str, ordered: bool, name: str) -> str:
    """Return why a column has no distance of that kind, empty if it has one."""
    if kind != "ordered" or ordered:
        return ""
    return (
        f"distance = 'ordered' needs ordered values, and {name!r} is text without an order; add a hierarchy whose "
        "leaves are in order, or choose another distance"
    )


def distance(kind: str, p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Return the distance of that kind; the hierarchical one needs nested levels."""
    if kind == "hierarchical" and not _nest(levels):
        raise Undefined("the hierarchical distance needs nested levels; one here splits runs of a finer one")
    return _beyond_rounding(DISTANCES[kind](p, q, levels))


def distance_from_prior(kind: str, shares: np.ndarray, sensitive: Sensitive) -> np.ndarray:
    """Return the distance of distributions of a sensitive column from its distribution in the table."""
    if why := explain_unordered(kind, sensitive.ordered, sensitive.name):
        raise Undefined(why)
    return distance(kind, shares, sensitive.prior, sensitive.levels)


def misplaced_share(kind: str, value: float) -> float | None:
    """Return the largest share in which two distributions at this distance may differ; None if the kind gives no bound.

    Among the distributions that differ in a given share, two values with exchanged shares have the smallest
    Jensen-Shannon divergence (Lin 1991); the bound is convex, so it holds for averages.
    """
    if kind == "variation":
        return value
    if kind != "js":
        return None
    half = np.arange(101) / 200
    costs = jensen_shannon(np.stack([0.5 + half, 0.5 - half], axis=1), np.stack([0.5 - half, 0.5 + half], axis=1))
    return next((n for n, cost in enumerate(costs) if cost >= value - NEAR), 100) / 100


def _beyond_rounding(found: np.ndarray) -> np.ndarray:
    """Replace distances within rounding errors with 0."""
    return np.where(found < ROUNDING, 0.0, found)


def _nest(levels: Levels) -> bool:
    """Return whether no level splits a value or a run of a finer level."""
    cut = any(((np.diff(coarse) != 0) & (np.diff(fine) == 0)).any() for fine, coarse in pairwise(levels))
    return not cut and all((nodes >= 0).all() for nodes in levels)


# The largest distance between two distributions of whose shares only bounds are known.
#
# Every distance here is a sum of terms that are convex in the shares. A term is therefore below the chord between its
# ends, and the sum under the chords is largest if shares are raised from their minimum in the order of their slopes.

Term = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Bounds(NamedTuple):
    """The lower and upper bounds on each share; along the last axis shares add up to 1."""

    low: np.ndarray
    high: np.ndarray

    def grouped(self, nodes: np.ndarray) -> Bounds:
        """Return the bounds of the sums of the shares with the same number."""
        member = (nodes[:, None] == np.arange(nodes.max() + 1)).astype(float)
        return self.summed(member)

    def summed(self, member: np.ndarray) -> Bounds:
        """Return the bounds of sums of shares; `member` is shares x sums, 1 where a share is in a sum."""
        return Bounds(
            np.clip(np.maximum(self.low @ member, 1 - self.high @ (1 - member)), 0, 1),
            np.clip(np.minimum(self.high @ member, 1 - self.low @ (1 - member)), 0, 1),
        )


def max_distance(kind: str, shares: Bounds, prior: Bounds, levels: Levels = ()) -> np.ndarray:
    """Return the largest distance of each row of shares from the prior, by `distance` of that kind."""
    if kind == "js":
        return np.minimum(_max_sum(_js_terms, shares, prior), np.log(2))  # the maximum of the divergence
    if kind == "ordered":
        count = shares.low.shape[-1]
        until = np.triu(np.ones((count, count)))[:, :-1]
        return _max_difference(shares.summed(until), prior.summed(until)).sum(axis=-1) / max(count - 1, 1)
    if kind == "hierarchical":
        steps = [(shares, prior), *((shares.grouped(nodes), prior.grouped(nodes)) for nodes in levels)]
        return np.mean([_max_sum(_variation_terms, *step) for step in steps], axis=0)
    return _max_sum(_variation_terms, shares, prior)


def _js_terms(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    middle = (p + q) / 2

    def part(share: np.ndarray) -> np.ndarray:
        share = np.broadcast_to(share, middle.shape)
        return share * np.log(np.divide(share, middle, out=np.ones_like(middle), where=share > 0))

    return (part(p) + part(q)) / 2


def _variation_terms(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.abs(p - q) / 2


def _max_difference(shares: Bounds, prior: Bounds) -> np.ndarray:
    return np.maximum(np.maximum(shares.high - prior.low, prior.high - shares.low), 0)


def _max_sum(term: Term, shares: Bounds, prior: Bounds) -> np.ndarray:
    """Return the largest sum of terms under their chords."""
    low, high = (np.maximum(term(p, prior.low), term(p, prior.high)) for p in shares)
    width = shares.high - shares.low
    adds = np.divide(high - low, width, out=np.zeros_like(width), where=width > 0)
    order = np.argsort(-adds, axis=-1)
    width, adds = (np.take_along_axis(one, order, axis=-1) for one in (width, adds))
    left = 1 - shares.low.sum(axis=-1, keepdims=True)
    raised = np.clip(left - (np.cumsum(width, axis=-1) - width), 0, width)
    return low.sum(axis=-1) + (raised * adds).sum(axis=-1)
