"""Maximize a smooth concave function with limited-memory BFGS."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.base.progress import checkpoint

MEMORY = 10  # steps that are remembered
HALVINGS, RISE = 20, 1e-4  # of what the slope promises, a step has to rise by so much
FIRST = 0.01  # how far the first step goes
FLAT = 1e-18

Value = Callable[[np.ndarray], tuple[float, np.ndarray]]  # minus infinity outside of where it is defined


def maximize(value: Value, begin: np.ndarray, steps: int) -> np.ndarray:
    """Return the point after at most `steps` steps, or earlier if no step increases the value."""
    place, (height, slope) = begin, value(begin)
    known: list[tuple[np.ndarray, np.ndarray, float]] = []
    for _ in range(steps):
        checkpoint()
        way = _search_direction(slope, known)
        promised, part = float((way * slope).sum()), 1.0
        for _ in range(HALVINGS):
            there = place + part * way
            higher, next_slope = value(there)
            if higher >= height + RISE * part * promised:
                break
            part /= 2
        else:
            return place
        moved, bent = there - place, slope - next_slope
        if (both := float((moved * bent).sum())) > FLAT:
            known = [*known, (moved, bent, 1 / both)][-MEMORY:]
        place, height, slope = there, higher, next_slope
    return place


def _search_direction(slope: np.ndarray, known: list[tuple[np.ndarray, np.ndarray, float]]) -> np.ndarray:
    """Return the search direction: the gradient, corrected by the stored curvature (two-loop recursion)."""
    way, parts = slope.copy(), list[float]()
    for moved, bent, one in reversed(known):
        parts.append(one * float((moved * way).sum()))
        way -= parts[-1] * bent
    if known:
        _, bent, one = known[-1]
        way /= one * float((bent * bent).sum())
    else:
        way *= FIRST / max(float(np.abs(way).max(initial=0)), np.finfo(float).tiny)
    for (moved, bent, one), part in zip(known, reversed(parts), strict=True):
        way += moved * (part - one * float((bent * way).sum()))
    return way
