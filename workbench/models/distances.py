"""Distances between distributions: Jensen-Shannon, variation and the earth mover's, of many classes at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.sensitive import Sensitive

Levels = Sequence[np.ndarray]
COMPARED = "how distributions are compared; js: Jensen-Shannon divergence, in nats, at most .693, not a distance"
NEAR = 1e-9  # divergences as far apart are one
LEAST = np.finfo(float).tiny  # has a logarithm, and 0 has none
ROUNDING = 1e-14  # what is less is made by rounding alone, and would rank releases that are equal


def jensen_shannon(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Jensen-Shannon divergence along the last axis, natural logarithm: 0 where equal, ln 2 where disjoint."""
    middle = np.maximum((p + q) / 2, LEAST)

    def divergence(a: np.ndarray) -> np.ndarray:
        return (a * np.log(np.maximum(a / middle, LEAST))).sum(axis=-1)

    return _beyond_rounding((divergence(p) + divergence(q)) / 2)


def variation(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Half the sum of differences; the earth mover's distance where all values are equally far apart."""
    return np.abs(p - q).sum(axis=-1) / 2


def ordered(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Earth mover's distance where values are as far apart as their ranks, the ends at distance 1."""
    return np.abs(np.cumsum(p - q, axis=-1)).sum(axis=-1) / max(p.shape[-1] - 1, 1)


def hierarchical(p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """Earth mover's distance where two values are as far apart as the height of their lowest common ancestor."""
    extra = np.broadcast_to(p - q, np.broadcast(p, q).shape)
    parents = [*levels, np.zeros(extra.shape[-1], np.int64)]
    cost, place = np.zeros(extra.shape[:-1]), np.arange(extra.shape[-1])
    for height, nodes in enumerate(parents, start=1):
        first = np.flatnonzero(np.diff(nodes[place], prepend=-1))  # the children of each node are neighbours
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


def unordered(kind: str, ordered: bool, name: str) -> str:
    """Why a column has no distance of that kind; nothing where it has one."""
    if kind != "ordered" or ordered:
        return ""
    return (
        f"distance = 'ordered' needs values in an order, and {name!r} is text without one; give it a hierarchy whose "
        "leaves stand in order, or take another distance"
    )


def distance(kind: str, p: np.ndarray, q: np.ndarray, levels: Levels = ()) -> np.ndarray:
    """The distance of that kind; the hierarchical one wants levels that nest."""
    if kind == "hierarchical" and not _nest(levels):
        raise Undefined("the hierarchical distance needs levels that nest; one here cuts through runs of a finer one")
    return _beyond_rounding(DISTANCES[kind](p, q, levels))


def from_everybody(kind: str, shares: np.ndarray, sensitive: Sensitive) -> np.ndarray:
    """How far distributions of a sensitive column are from that of everybody."""
    if why := unordered(kind, sensitive.ordered, sensitive.name):
        raise Undefined(why)
    return distance(kind, shares, sensitive.prior, sensitive.levels)


def misplaced_share(kind: str, value: float) -> float | None:
    """The largest share in which two distributions this far apart may differ; None where the kind bounds none.

    Of the distributions that differ in so large a share none are nearer by Jensen-Shannon than two values whose
    shares are exchanged (Lin 1991); that bound is convex, so it holds for averages.
    """
    if kind == "variation":
        return value
    if kind != "js":
        return None
    half = np.arange(101) / 200
    costs = jensen_shannon(np.stack([0.5 + half, 0.5 - half], axis=1), np.stack([0.5 - half, 0.5 + half], axis=1))
    return next((n for n, cost in enumerate(costs) if cost >= value - NEAR), 100) / 100


def _beyond_rounding(found: np.ndarray) -> np.ndarray:
    """Distances, 0 where they are no more than what rounding makes of equal shares."""
    return np.where(found < ROUNDING, 0.0, found)


def _nest(levels: Levels) -> bool:
    """Whether no level cuts through a value, or through a run of a finer level."""
    cut = any(((np.diff(coarse) != 0) & (np.diff(fine) == 0)).any() for fine, coarse in pairwise(levels))
    return not cut and all((nodes >= 0).all() for nodes in levels)
