"""Conditions on a column that a small tree may test, in the notation of queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.figures import format_number
from workbench.data.column import Column
from workbench.miners.features import Feature
from workbench.queries.column_names import name_text
from workbench.queries.query_text import value_text
from workbench.queries.tokens import in_quotes

MOST = 32  # conditions on a column's numbers, on its values, and on its nodes per level


class Conditions(NamedTuple):
    """The conditions on one column: their texts, and which of the things shown by records certainly meet them."""

    words: list[str]
    met: np.ndarray  # conditions x things
    at: np.ndarray  # the thing shown by each record


def conditions_on(column: Column, feature: Feature) -> Conditions:
    """Return `age >= 40` for numbers and dates, `= 'Flu'` and `within 'Higher'` for common values and nodes of text."""
    counts = np.bincount(feature.at, minlength=len(feature.low)).astype(float)
    weight = feature.weight_of_codes(counts)
    if feature.places is not None:
        words, sets = _from_on(column, feature, weight)
    else:
        words, sets = _values(column, feature, weight)
        for level in range(len(feature.levels)):
            more = _nodes(column, feature, level, weight)
            words, sets = words + more[0], sets + more[1]
    met = np.stack([_inside(feature, codes) for codes in sets]) if sets else np.empty((0, len(counts)), bool)
    return Conditions(words, met, feature.at)


def _from_on(column: Column, feature: Feature, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    """Return lower bounds on a number, at most `MOST`, with about equally many records between them."""
    assert feature.places is not None
    known = np.flatnonzero(~np.isnan(feature.places))
    below = np.cumsum(weight[known])
    shares = np.searchsorted(below, below[-1:] * np.arange(1, MOST) / MOST) if len(known) else np.empty(0, int)
    codes = np.arange(feature.size)
    starts = [int(known[place]) for place in np.unique(np.minimum(shares + 1, len(known) - 1)).tolist() if place]
    noisy = len(codes) != column.size or not np.array_equal(feature.places, _positions(column), equal_nan=True)
    values = [format_number(feature.places[code]) if noisy else value_text(column, code) for code in starts]
    words = [f"{name_text(column.name)} >= {value}" for value in values]
    return words, [(codes >= code) & ~np.isnan(feature.places) for code in starts]


def _positions(column: Column) -> np.ndarray:
    return np.append(column.positions[: len(column.values)], [np.nan] * (column.missing > 0))


def _values(column: Column, feature: Feature, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    common = _commonest(weight)
    name, known = name_text(column.name), len(column.values)
    words = [f"{name} = {value_text(column, c)}" if c < known else f"{name} is missing" for c in common]
    return words, [np.arange(feature.size) == code for code in common]


def _nodes(column: Column, feature: Feature, level: int, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    assert column.hierarchy is not None
    node, labels = feature.levels[level], column.hierarchy.levels[level].labels
    several = np.bincount(node) > 1
    common = [one for one in _commonest(np.bincount(node, weight)) if several[one] and one < len(labels)]
    words = [f"{name_text(column.name)} within {in_quotes(labels[one])}" for one in common]
    return words, [node == one for one in common]


def _commonest(weight: np.ndarray) -> list[int]:
    order = np.argsort(-weight, kind="stable")[:MOST]
    return [int(one) for one in order if weight[one]]


def _inside(feature: Feature, codes: np.ndarray) -> np.ndarray:
    """Return which things only contain these codes."""
    if feature.held is not None:
        others = np.flatnonzero(~codes)
        parts = [feature.has(part).any(axis=1) for part in np.array_split(others, len(others) // 256 + 1)]
        return ~np.any(parts, axis=0)
    upto = np.concatenate([[0], np.cumsum(codes)])
    return upto[feature.high + 1] - upto[feature.low] == feature.high - feature.low + 1
