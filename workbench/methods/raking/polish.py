"""Gradient steps on the histograms of buckets that reduce their error about large populations."""

from __future__ import annotations

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.progress import checkpoint
from workbench.methods.raking.beliefs import Limit

STEPS, HALVINGS = 20, 12
STILL = 1e-3  # converged if the last step removed at most this share of the error
RARE = 0.002  # lower bound for shares: differences of rare values matter more
FARTHEST = 3.0  # the largest exponent of a step
ROOM = 0.75  # of a record: distance from the limit, so that whole records satisfy it


def polish(found: np.ndarray, shares: np.ndarray, truth: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Return the histograms, buckets x values, after gradient steps on logarithms; totals and limit hold after each."""
    room, totals = np.minimum(ROOM / sizes, 0.5), limit.sensitive.totals

    def allowed(beliefs: np.ndarray) -> np.ndarray:
        for _ in range(2):
            beliefs = beliefs * (totals / np.maximum(sizes @ beliefs, np.finfo(float).tiny))
            beliefs /= beliefs.sum(axis=1, keepdims=True)
        return limit.inside(beliefs, room)

    found, settled, number = allowed(found), False, 0
    error, slope = _error(found, shares, truth)
    slope = slope * (sizes.sum() / sizes[:, None])
    gained = 0.0  # share of the error that the last step removed
    reach = 1 / max(float(np.abs(slope).max(initial=0)), np.finfo(float).tiny)
    for number in range(STEPS):
        checkpoint(f"histograms, {number + 1} of at most {STEPS}")
        for _ in range(HALVINGS):
            moved = allowed(found * np.exp(np.clip(-reach * slope, -FARTHEST, FARTHEST)))
            nearer, next_slope = _error(moved, shares, truth)
            if nearer < error:
                break
            reach /= 2
        else:
            settled = True
            break
        gained = (error - nearer) / error
        found, error, reach = moved, nearer, reach * 1.5
        slope = next_slope * (sizes.sum() / sizes[:, None])
    gained = 0.0 if settled else gained
    report_fit(Fit("gradient steps of the buckets' histograms", number + 1, gained, gained <= STILL))
    return found


def error_of(told: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    """Return an approximation of the mean divergence over populations, and its gradient."""
    off, weight = told - truth, 1 / (4 * np.maximum(truth + told, RARE)) / max(len(truth), 1)
    return float((weight * off**2).sum()), 2 * weight * off


def _error(found: np.ndarray, shares: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    error, slope = error_of(shares @ found, truth)
    return error, shares.T @ slope
