"""Laplace noise from OpenDP's vetted measurement: its scale for a budget, and the draw. No noise is our own.

Numbers outside the bounds are clipped, and missing ones become the midpoint: so a record's release is within the budget
whatever the record contains. Integers get integer noise (the discrete Laplace distribution).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.data.column import Column
from workbench.releases.responses import Noise

NUDGES = 64  # float steps until OpenDP counts the loss of the scale as within the budget


def scale_for(column: Column, low: float, high: float, epsilon: float) -> Noise:
    """Return the noise that keeps a record's number within the budget, as OpenDP counts it."""
    if column.kind != "number":
        raise BadInput(f"laplace: {column.name!r} is not numeric; use randomized response for it")
    whole = is_whole(column)
    if whole and not (float(low).is_integer() and float(high).is_integer()):
        raise BadInput(f"laplace: {column.name!r} has integers; declare integer bounds for it")
    width = high - low
    scale = width / epsilon
    for _ in range(NUDGES):
        lost = float(measurement(whole, scale).map(int(width) if whole else float(width)))
        if lost <= epsilon:
            return Noise(scale, _within(column, low, high), float(low), float(high), lost)
        scale = math.nextafter(scale, math.inf)
    raise Undefined(f"laplace: no scale of noise on {column.name} is within epsilon = {epsilon:g}")


def clipped(column: Column, noise: Noise) -> np.ndarray:
    """Return the number of each code before the noise."""
    return noise.at.astype(np.int64) if is_whole(column) else noise.at


def with_noise(column: Column, numbers: np.ndarray, noise: Noise) -> np.ndarray:
    """Return one number per record, with noise from the operating system's randomness."""
    whole = is_whole(column)
    return np.array(measurement(whole, noise.scale)(numbers.tolist()), np.int64 if whole else float)


def is_whole(column: Column) -> bool:
    return column.values.dtype.kind == "i"


def measurement(whole: bool, scale: float) -> Any:
    """Return OpenDP's measurement on a column of numbers in which one number changes by a limited distance."""
    import opendp.prelude as dp  # takes a second or two

    dp.enable_features("contrib")
    if whole:
        return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False))
    return dp.m.make_laplace(domain, dp.l1_distance(T="f64"), scale=scale)


def _within(column: Column, low: float, high: float) -> np.ndarray:
    """Return the number of each code within the bounds; missing becomes the midpoint."""
    found = np.clip(column.values.astype(float), low, high)
    if not column.missing:
        return found
    middle = (low + high) / 2
    return np.append(found, math.floor(middle) if is_whole(column) else middle)
