"""Nearer predictions (Sramka et al. 2010, section 2.4): which lie nearer to the truth than what a release shows."""

from __future__ import annotations

import numpy as np

from workbench.data.column import Column
from workbench.miners.cross_fitting import numbers_shown
from workbench.releases.shown import Shown

TINY = 1e-300  # the width of a node in which the data have one value: nobody is told which


def nearer(predicted: Shown, shown: Shown, true: np.ndarray, c: float = 0.0, nodes: bool = False) -> np.ndarray:
    """Whether each prediction is c % nearer to the true code than what is shown: 0 is nearer at all, 100 is exact.

    Predicted whole numbers are rounded to be exact. What shows the truth already cannot be predicted nearer. Where
    regions are told as `nodes` of a hierarchy, none is exact.
    """
    if c == 100 and predicted.numbers is not None and predicted.column.values.dtype.kind == "i":
        predicted = predicted._replace(numbers=np.rint(predicted.numbers))
    far, now = distance(predicted, true, nodes), distance(shown, true, nodes)
    return (far < now) & (far <= (100 - c) / 100 * now)


def distance(shown: Shown, true: np.ndarray, nodes: bool = False) -> np.ndarray:
    """How far what each record shows is from its true code: of an interval or a set its width, if the truth is in it,
    and infinite if not; of a number or a value how far it lies from the truth."""
    if shown.numbers is not None:
        of_code = numbers_shown(Shown(shown.column, codes=np.arange(shown.column.size)))
        away = np.abs(shown.numbers - of_code[true])
        return np.where(np.isnan(away), np.inf, away)
    if shown.codes is not None:
        return _apart(shown.column, shown.codes, true)
    assert shown.group is not None and shown.regions is not None
    regions = shown.regions
    if regions.held is not None or shown.column.kind == "text":
        wide = regions.sizes if regions.held is not None else shown.column.leaves(regions.low, regions.high)
        wide = wide - 1.0
    else:
        wide = shown.column.positions[regions.high] - shown.column.positions[regions.low]
    least = TINY if nodes else 0.0
    return np.where(shown.held(true), np.maximum(wide, least)[shown.group], np.inf)


def _apart(column: Column, codes: np.ndarray, true: np.ndarray) -> np.ndarray:
    """How far two values are apart: numbers and dates by what lies between them, text by the other leaves of the
    smallest node that holds both."""
    if column.kind != "text":
        return np.abs(column.positions[codes] - column.positions[true])
    away = np.full(len(codes), column.whole - 1.0)
    for level in range(len(column.released_at) - 1, -1, -1):
        node = column.released_at[level]
        low = np.flatnonzero(np.diff(node, prepend=-1))
        wide = column.leaves(low, np.append(low[1:], column.size) - 1, level) - 1.0 if level else np.zeros(len(low))
        away = np.where(node[codes] == node[true], wide[node[true]], away)
    return away
