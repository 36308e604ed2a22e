"""Mondrian reimplemented, slow and record by record in numpy, without code shared with the engine."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import pandas as pd

Holds = Callable[[np.ndarray], bool]
Wanted = Callable[[int, np.ndarray], float]
NOISE = 1e-12


@dataclass
class Axis:
    """One quasi-identifier: each record's rank in the code order and its place on the axis."""

    rank: np.ndarray
    place: np.ndarray
    text: bool
    hierarchy: bool  # one was declared, be it of the leaves alone
    levels: Sequence[np.ndarray] = ()  # the group of each rank, finest level first
    times: float = 1.0  # how often it counts

    @property
    def span(self) -> float:
        return (self.place.max() - self.place.min()) / self.times


def axis_of(column: pd.Series, leaves: Sequence[str] | None = None, levels: Sequence[Mapping[str, str]] = ()) -> Axis:
    """Return an axis: numbers and dates by value, text in the order of its leaves by rank; missing comes last."""
    text = leaves is not None or column.dropna().map(type).eq(str).all()
    there = sorted(column.dropna().unique())
    order = [leaf for leaf in leaves if leaf in set(there)] if leaves is not None else there
    rank = column.map({value: i for i, value in enumerate(order)}).fillna(len(order)).to_numpy(int)
    place = np.arange(len(order) + 1, dtype=float)
    if not text:
        if isinstance(order[0], pd.Timestamp):
            order = [(day - order[0]).days for day in order]
        place[:-1] = [value - order[0] for value in order]
        whole = all(value == int(value) for value in order)
        place[-1] = place[-2] + (1 if whole or len(order) == 1 else place[-2] / (len(order) - 1))
    groups = []
    for level in levels:  # missing is on a branch of its own
        names = [level[leaf] for leaf in order]
        groups.append(np.array([names.index(name) for name in names] + [len(names)]))
    return Axis(rank, place[rank], text, leaves is not None or bool(levels), groups)


def widest_range(
    axes: Sequence[Axis], holds: Holds, wanted: Wanted | None = None, even: bool = False
) -> list[np.ndarray]:
    """Return the records of each class of strict Mondrian: the widest axis at its lower median, else the next widest.

    `wanted` ranks the axes of a class before their width. `even` chooses, of the cuts below and above the values at the
    lower median, the one with more even halves, above in case of a tie.
    """
    closed, todo = [], [np.arange(len(axes[0].rank))]
    while todo:
        part = todo.pop()
        widths = [np.ptp(axis.place[part]) / axis.span if axis.span > 0 else 0 for axis in axes]
        first = [wanted(a, part) if wanted else 0 for a in range(len(axes))]
        for a in sorted(range(len(axes)), key=lambda a: (-first[a], -widths[a])):
            if widths[a] > 0:
                rank = axes[a].rank[part]
                median = np.sort(rank)[(len(part) - 1) // 2]
                if median == rank.max():
                    median = rank[rank < median].max()
                elif even and (rank < median).any():
                    alike = [abs(np.sum(side) - np.sum(~side)) for side in (rank <= median, rank < median)]
                    median = rank[rank < median].max() if alike[1] < alike[0] else median
                halves = part[rank <= median], part[rank > median]
                if all(map(holds, halves)):
                    todo += halves
                    break
        else:
            closed.append(part)
    return closed


def information_gain(axes: Sequence[Axis], target: Sequence, holds: Holds, cuts: str) -> list[np.ndarray]:
    """Return the records of each class; a class is split by the allowed candidate with the largest gain."""
    target, closed, todo = np.asarray(target), [], [np.arange(len(target))]
    while todo:
        part = todo.pop()
        best, gained = None, NOISE
        for axis in axes:
            ways = candidates(axis, part, cuts == "binary")
            found = [(gain(target, part, parts), parts) for parts in ways]
            if cuts != "best":
                found = [(told, parts) for told, parts in found if all(map(holds, parts))]
            if found:
                most = max(told for told, _ in found)
                told, parts = next(one for one in found if one[0] >= most - NOISE)
                if told > gained + NOISE and all(map(holds, parts)):
                    best, gained = parts, told
        if best is None:
            closed.append(part)
        else:
            todo += best
    return closed


def candidates(axis: Axis, part: np.ndarray, binary: bool) -> list[list[np.ndarray]]:
    """Return the candidates of a class on one axis.

    Text with a hierarchy has all values as parts, and the children at the coarsest level that splits. Otherwise, or if
    all cuts are binary, every cut in two is a candidate.
    """
    rank = axis.rank[part]
    there = np.unique(rank)
    if len(there) < 2:
        return []
    if binary or not (axis.text and axis.hierarchy):
        return [[part[rank <= cut], part[rank > cut]] for cut in there[:-1]]
    children = next((level for level in reversed(axis.levels) if len(np.unique(level[there])) > 1), None)
    ways = [rank] if children is None else [rank, children[rank]]
    return [[part[way == one] for one in np.unique(way)] for way in ways]


def gain(target: np.ndarray, part: np.ndarray, parts: Sequence[np.ndarray]) -> float:
    """Return the information gain of the part about the target, in nats."""

    def entropy(records: np.ndarray) -> float:
        return -sum(n / len(records) * log(n / len(records)) for n in Counter(target[records].tolist()).values())

    return entropy(part) - sum(len(one) / len(part) * entropy(one) for one in parts)


def minimum_size(k: int) -> Holds:
    return lambda part: len(part) >= k


def different(l: int, values: np.ndarray) -> Holds:
    """Distinct l-diversity."""
    return lambda part: len(np.unique(values[part])) >= l


def no_value_above(l: float, values: np.ndarray) -> Holds:
    """Probabilistic l-diversity."""
    return lambda part: np.bincount(values[part]).max() * l <= len(part)


def close_by_js(t: float, values: np.ndarray) -> Holds:
    """t-closeness by the Jensen-Shannon divergence."""
    whole = np.bincount(values)
    q = whole / whole.sum()

    def holds(part: np.ndarray) -> bool:
        p = np.bincount(values[part], minlength=len(q)) / len(part)
        middle = (p + q) / 2
        both = [a[a > 0] @ np.log(a[a > 0] / middle[a > 0]) for a in (p, q)]
        return sum(both) / 2 <= t

    return holds


def within_delta(delta: float, values: np.ndarray) -> Holds:
    """delta-disclosure: every value occurs, and no share changes by e^delta."""
    whole = np.bincount(values)
    q = whole / whole.sum()

    def holds(part: np.ndarray) -> bool:
        p = np.bincount(values[part], minlength=len(q)) / len(part)
        return bool((p > 0).all() and np.abs(np.log(p / q)).max() < delta)

    return holds


def both(*each: Holds) -> Holds:
    return lambda part: all(holds(part) for holds in each)


def as_sets(group: np.ndarray) -> set[frozenset[int]]:
    """Return a partition independent of the names of its classes."""
    order = np.argsort(group, kind="stable")
    ends = np.flatnonzero(np.diff(group[order])) + 1
    return {frozenset(part.tolist()) for part in np.split(order, ends)}
