"""The largest distance between two distributions of whose shares only bounds are known.

Every distance here is a sum of terms that are convex in the shares. A term is therefore below the chord between its
ends, and the sum under the chords is largest if shares are raised from their minimum in the order of their slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench.models.distribution_distances import Levels

Term = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Bounds(NamedTuple):
    """The lower and upper bound of each share; along the last axis shares add up to 1."""

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
    """Return the largest distance of each row of shares from the prior, by `distances.distance` of that kind."""
    if kind == "js":
        return np.minimum(_max_sum(_jensen_shannon, shares, prior), np.log(2))  # the maximum of the divergence
    if kind == "ordered":
        count = shares.low.shape[-1]
        until = np.triu(np.ones((count, count)))[:, :-1]
        return _max_difference(shares.summed(until), prior.summed(until)).sum(axis=-1) / max(count - 1, 1)
    if kind == "hierarchical":
        steps = [(shares, prior), *((shares.grouped(nodes), prior.grouped(nodes)) for nodes in levels)]
        return np.mean([_max_sum(_variation, *step) for step in steps], axis=0)
    return _max_sum(_variation, shares, prior)


def _jensen_shannon(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    middle = (p + q) / 2

    def part(share: np.ndarray) -> np.ndarray:
        share = np.broadcast_to(share, middle.shape)
        return share * np.log(np.divide(share, middle, out=np.ones_like(middle), where=share > 0))

    return (part(p) + part(q)) / 2


def _variation(p: np.ndarray, q: np.ndarray) -> np.ndarray:
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
