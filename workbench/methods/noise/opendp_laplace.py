"""Laplace noise from OpenDP's vetted measurement: its scale for a budget, and the draw. No noise is our own.

Numbers below or above the bounds are moved to them, and a missing one becomes the middle: what is released of a record
is then within the budget whatever the record has. Whole numbers get whole noise (the discrete Laplace distribution).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.data.column import Column
from workbench.releases.responses import Noise

NUDGES = 64  # steps of a float to a scale whose loss, as OpenDP counts it, is within the budget


def scale_for(column: Column, low: float, high: float, epsilon: float) -> Noise:
    """The noise that keeps a record's number within a budget, as OpenDP counts it."""
    if column.kind != "number":
        raise BadInput(f"laplace: {column.name!r} has no numbers; use randomized response for it")
    whole = is_whole(column)
    if whole and not (float(low).is_integer() and float(high).is_integer()):
        raise BadInput(f"laplace: {column.name!r} has whole numbers; declare whole bounds for it")
    width = high - low
    scale = width / epsilon
    for _ in range(NUDGES):
        lost = float(measurement(whole, scale).map(int(width) if whole else float(width)))
        if lost <= epsilon:
            return Noise(scale, _within(column, low, high), float(low), float(high), lost)
        scale = math.nextafter(scale, math.inf)
    raise Undefined(f"laplace: no scale of noise on {column.name} is within epsilon = {epsilon:g}")


def clipped(column: Column, noise: Noise) -> np.ndarray:
    """The number of each code before the noise."""
    return noise.at.astype(np.int64) if is_whole(column) else noise.at


def with_noise(column: Column, numbers: np.ndarray, noise: Noise) -> np.ndarray:
    """One number a record, with noise that is drawn from the operating system's randomness."""
    whole = is_whole(column)
    return np.array(measurement(whole, noise.scale)(numbers.tolist()), np.int64 if whole else float)


def is_whole(column: Column) -> bool:
    return column.values.dtype.kind == "i"


def measurement(whole: bool, scale: float) -> Any:
    """OpenDP's measurement on a column of numbers, of which one changes by no more than a distance."""
    import opendp.prelude as dp  # takes a second or two

    dp.enable_features("contrib")
    if whole:
        return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False))
    return dp.m.make_laplace(domain, dp.l1_distance(T="f64"), scale=scale)


def _within(column: Column, low: float, high: float) -> np.ndarray:
    """The number of each code within the bounds; missing lies in the middle."""
    found = np.clip(column.values.astype(float), low, high)
    if not column.missing:
        return found
    middle = (low + high) / 2
    return np.append(found, math.floor(middle) if is_whole(column) else middle)
