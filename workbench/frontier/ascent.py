"""Maximize a smooth concave function with limited-memory BFGS."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.base.progress import checkpoint

MEMORY = 10  # stored steps
HALVINGS, RISE = 20, 1e-4  # at most; minimum increase of a step, as a share of what the slope predicts
FIRST = 0.01  # length of the first step
FLAT = 1e-18

Value = Callable[[np.ndarray], tuple[float, np.ndarray]]  # minus infinity outside the domain


def maximize(value: Value, begin: np.ndarray, steps: int) -> np.ndarray:
    """Return the point after at most `steps` steps, or earlier if no step increases the value."""
    point, (height, slope) = begin, value(begin)
    known: list[tuple[np.ndarray, np.ndarray, float]] = []
    for _ in range(steps):
        checkpoint()
        direction = _search_direction(slope, known)
        predicted, part = float((direction * slope).sum()), 1.0
        for _ in range(HALVINGS):
            candidate = point + part * direction
            higher, next_slope = value(candidate)
            if higher >= height + RISE * part * predicted:
                break
            part /= 2
        else:
            return point
        moved, bent = candidate - point, slope - next_slope
        if (both := float((moved * bent).sum())) > FLAT:
            known = [*known, (moved, bent, 1 / both)][-MEMORY:]
        point, height, slope = candidate, higher, next_slope
    return point


def _search_direction(slope: np.ndarray, known: list[tuple[np.ndarray, np.ndarray, float]]) -> np.ndarray:
    """Return the search direction: the gradient, corrected by the stored curvature (two-loop recursion)."""
    direction, parts = slope.copy(), list[float]()
    for moved, bent, one in reversed(known):
        parts.append(one * float((moved * direction).sum()))
        direction -= parts[-1] * bent
    if known:
        _, bent, one = known[-1]
        direction /= one * float((bent * bent).sum())
    else:
        direction *= FIRST / max(float(np.abs(direction).max(initial=0)), np.finfo(float).tiny)
    for (moved, bent, one), part in zip(known, reversed(parts), strict=True):
        direction += moved * (part - one * float((bent * direction).sum()))
    return direction
