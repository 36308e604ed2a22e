"""Closer predictions (Sramka et al. 2010, section 2.4): predictions that are closer to the truth than the release."""

from __future__ import annotations

import numpy as np

from workbench.data.column import Column
from workbench.miners.cross_fitting import published_numbers
from workbench.releases.shown import Shown

TINY = 1e-300  # width of a node with one value in the data, since recipients do not know which value


def is_closer(predicted: Shown, shown: Shown, true: np.ndarray, c: float = 0.0, nodes: bool = False) -> np.ndarray:
    """Return whether each prediction is c % closer to the true code than what is shown: 0 is any amount, 100 exact.

    With c = 100, predicted integers are rounded. No prediction is closer than an exactly published value. If regions
    are published as `nodes` of a hierarchy, none is exact.
    """
    if c == 100 and predicted.numbers is not None and predicted.column.values.dtype.kind == "i":
        predicted = predicted._replace(numbers=np.rint(predicted.numbers))
    far, now = distance(predicted, true, nodes), distance(shown, true, nodes)
    return (far < now) & (far <= (100 - c) / 100 * now)


def distance(shown: Shown, true: np.ndarray, nodes: bool = False) -> np.ndarray:
    """Return the distance of what each record shows from its true code.

    The width of an interval or set that contains the true code, infinite for one that does not; the absolute
    difference for a number or value.
    """
    if shown.numbers is not None:
        of_code = published_numbers(Shown(shown.column, codes=np.arange(shown.column.size)))
        away = np.abs(shown.numbers - of_code[true])
        return np.where(np.isnan(away), np.inf, away)
    if shown.codes is not None:
        return _value_distance(shown.column, shown.codes, true)
    assert shown.group is not None and shown.regions is not None
    regions = shown.regions
    if regions.held is not None or shown.column.kind == "text":
        wide = regions.sizes if regions.held is not None else shown.column.leaves(regions.low, regions.high)
        wide = wide - 1.0
    else:
        wide = shown.column.positions[regions.high] - shown.column.positions[regions.low]
    least = TINY if nodes else 0.0
    return np.where(shown.held(true), np.maximum(wide, least)[shown.group], np.inf)


def _value_distance(column: Column, codes: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return the distance of two values: the difference of numbers and dates; for text the number of other leaves in
    their smallest common node."""
    if column.kind != "text":
        return np.abs(column.positions[codes] - column.positions[true])
    away = np.full(len(codes), column.whole - 1.0)
    for level in range(len(column.released_at) - 1, -1, -1):
        node = column.released_at[level]
        low = np.flatnonzero(np.diff(node, prepend=-1))
        wide = column.leaves(low, np.append(low[1:], column.size) - 1, level) - 1.0 if level else np.zeros(len(low))
        away = np.where(node[codes] == node[true], wide[node[true]], away)
    return away
