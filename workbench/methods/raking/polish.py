"""Histograms of buckets, moved so that what they tell of large populations is nearer to the truth."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import step
from workbench.methods.raking.limits import Limit

STEPS, HALVINGS = 20, 12
RARE = 0.002  # shares below count as this one: a difference matters more the rarer a value is
FARTHEST = 3.0  # exponent of a step
ROOM = 0.75  # of a record: how far from the limit a bucket stays, so that whole records keep it


def polished(found: np.ndarray, shares: np.ndarray, truth: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Buckets x values: gradient steps on logarithms as long as they help, totals and limit kept after each."""
    room, totals = np.minimum(ROOM / sizes, 0.5), limit.sensitive.totals

    def allowed(beliefs: np.ndarray) -> np.ndarray:
        for _ in range(2):
            beliefs = beliefs * (totals / np.maximum(sizes @ beliefs, np.finfo(float).tiny))
            beliefs /= beliefs.sum(axis=1, keepdims=True)
        return limit.inside(beliefs, room)

    found = allowed(found)
    error, slope = _error(found, shares, truth)
    slope = slope * (sizes.sum() / sizes[:, None])
    reach = 1 / max(float(np.abs(slope).max(initial=0)), np.finfo(float).tiny)
    for number in range(STEPS):
        step(f"histograms, {number + 1} of at most {STEPS}")
        for _ in range(HALVINGS):
            moved = allowed(found * np.exp(np.clip(-reach * slope, -FARTHEST, FARTHEST)))
            nearer, next_slope = _error(moved, shares, truth)
            if nearer < error:
                break
            reach /= 2
        else:
            break
        found, error, reach = moved, nearer, reach * 1.5
        slope = next_slope * (sizes.sum() / sizes[:, None])
    return found


def error_of(told: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    """About the mean divergence from the truth over populations, and how it grows with each share that is told."""
    off, weight = told - truth, 1 / (4 * np.maximum(truth + told, RARE)) / max(len(truth), 1)
    return float((weight * off**2).sum()), 2 * weight * off


def _error(found: np.ndarray, shares: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    error, slope = error_of(shares @ found, truth)
    return error, shares.T @ slope
