"""Mondrian for a workload reimplemented, query by query and record by record, without code shared with the engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.methods.oracle_levels import Column

Holds = Callable[[np.ndarray], bool]
Region = Callable[[int, np.ndarray], tuple[int, int]]
Rule = Callable[[int, np.ndarray], float]
SHARES, WORTH, HALF, ENOUGH = 32, (0.1, 0.3), 0.5, 2 / 3


@dataclass
class Axis:
    """One quasi-identifier: each record's code, the ends of each code, and the weight of a width."""

    code: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    place: np.ndarray
    times: float = 1.0

    def width(self, part: np.ndarray, times: float) -> float:
        place = self.place[self.code[part]]
        span = self.place.max() - self.place.min()
        return (place.max() - place.min()) / (span / times) if span > 0 else 0.0

    def share(self, low: int, high: int, met: np.ndarray) -> float:
        """Return the part of a run that satisfies a condition: codes that do, and gaps between two of them."""
        inside = 0.0
        for c in range(low, high + 1):
            if met[c]:
                inside += self.end[c] - self.begin[c]
                if c < high and met[c + 1]:
                    inside += self.begin[c + 1] - self.end[c]
        return inside / (self.end[high] - self.begin[low])


@dataclass
class WorkloadArrays:
    """The conditions of each query, by kind of column.

    On axes they are codes; on columns that are published as counts per class, the records that satisfy them; and if
    quasi-identifiers are published (`exact`), the records that satisfy those on other published columns.
    """

    axes: Sequence[Axis]
    on: Sequence[Mapping[int, np.ndarray]]
    counted: Sequence[np.ndarray]
    unchanged: Sequence[np.ndarray]
    exact: bool = False
    cost: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        everybody = np.arange(len(self.axes[0].code))
        self.cost = [1 / max(self.true(q, everybody), 1) for q in range(len(self.on))]

    def matching_records(self, q: int, part: np.ndarray) -> np.ndarray:
        """Return which records satisfy the conditions on quasi-identifiers and other published columns."""
        met = self.unchanged[q][part].copy()
        for a, codes in self.on[q].items():
            met &= codes[self.axes[a].code[part]]
        return met

    def true(self, q: int, part: np.ndarray) -> int:
        return int((self.matching_records(q, part) & self.counted[q][part]).sum())

    def often(self, a: int) -> float:
        """Return the number of queries with a condition on an axis."""
        return sum(a in on and not on[a].all() for on in self.on) / len(self.on)

    def errors_by_query(self, part: np.ndarray, region: Region) -> np.ndarray:
        """Return the error of the answers of a class, query by query."""
        found = []
        for q, on in enumerate(self.on):
            told = float(self.counted[q][part].sum())
            if self.exact:
                told *= self.matching_records(q, part).sum() / len(part)
            else:
                for a, codes in on.items():
                    told *= self.axes[a].share(*region(a, part), codes)
            found.append(told - self.true(q, part))
        return np.array(found)

    def error(self, part: np.ndarray, region: Region) -> float:
        return float(np.abs(self.errors_by_query(part, region)) @ self.cost)

    def whole(self, parts: list, region: Region) -> float:
        """Return the error of the answers of all classes together."""
        return float(np.abs(sum(self.errors_by_query(part, region) for part in parts)) @ self.cost)

    def best(self, partitions: list[list], region: Region) -> int:
        """Return the partition with the smallest error, the first one among ties."""
        wrong = [self.whole(parts, region) for parts in partitions]
        chosen = 0
        for i, other in enumerate(wrong):
            if other < wrong[chosen] * (1 - 1e-9) - 1e-9:
                chosen = i
        return chosen


def cuts(code: np.ndarray) -> list[int]:
    """Return the codes at which a class is cut: all, or if there are many, those around equal shares of its records."""
    there, n = np.unique(code), len(code)
    if there[-1] - there[0] < SHARES:
        return there[:-1].tolist()
    upto = [int((code <= c).sum()) * SHARES // n for c in there]
    before = [0, *upto]
    return [int(c) for i, c in enumerate(there[:-1]) if upto[i] != before[i] or upto[i + 1] != upto[i]]


def best(base: float, tried: list[tuple[float, list]], holds: Holds, worth: float) -> list | None:
    """Return the allowed cut with the smallest error, if it is worth it."""
    for wrong, parts in sorted(((round(wrong / base, 9), parts) for wrong, parts in tried), key=lambda one: one[0]):
        if wrong <= 1 - worth and all(map(holds, parts)):
            return parts
    return None


def hull_of(workload: WorkloadArrays) -> Region:
    """Return the published codes of a class on an axis: from its lowest to its highest."""
    return lambda a, part: (workload.axes[a].code[part].min(), workload.axes[a].code[part].max())


def node_of(workload: WorkloadArrays, columns: Sequence[Column]) -> Region:
    """Return the published node of a class on levels: the lowest one that contains its records."""

    def node(a: int, part: np.ndarray) -> tuple[int, int]:
        shown = np.array(columns[a].shown[columns[a].lowest(part)])
        inside = workload.axes[a].code[shown == shown[part[0]]]
        return inside.min(), inside.max()

    return node


def first_to_last(
    workload: WorkloadArrays, width: Callable[[int, float], float], rule: Rule | None, part: np.ndarray
) -> list[int]:
    """Return the axes in the order of cuts that do not serve the workload."""
    axes = range(len(workload.axes))
    if rule is None:
        return sorted(axes, key=lambda a: (workload.often(a) == 0, -width(a, workload.axes[a].times)))
    return sorted(axes, key=lambda a: (-rule(a, part), -width(a, 1.0)))


def least_error(workload: WorkloadArrays, holds: Holds, worth: float, rule: Rule | None = None) -> list[np.ndarray]:
    """Return the records of each class of strict Mondrian."""
    axes, hull = workload.axes, hull_of(workload)

    def serving(part: np.ndarray, some: list[int]) -> list | None:
        base = workload.error(part, hull)
        if base <= 1e-9:
            return None
        tried = []
        for a in some:
            code = axes[a].code[part]
            for cut in cuts(code):
                halves = [part[code <= cut], part[code > cut]]
                tried.append((sum(workload.error(half, hull) for half in halves), halves))
        return best(base, tried, holds, worth)

    def widest(part: np.ndarray) -> list | None:
        for a in first_to_last(workload, lambda a, times: axes[a].width(part, times), rule, part):
            code = axes[a].code[part]
            if axes[a].width(part, 1.0) > 0:
                median = np.sort(code)[(len(part) - 1) // 2]
                median = code[code < median].max() if median == code.max() else median
                halves = [part[code <= median], part[code > median]]
                if all(map(holds, halves)):
                    return halves
        return None

    return _classes([np.arange(len(axes[0].code))], workload, serving, widest)


def least_error_on_levels(
    workload: WorkloadArrays,
    columns: Sequence[Column],
    parts: list,
    holds: Holds,
    worth: float,
    rule: Rule | None = None,
) -> list[np.ndarray]:
    """Return the classes along nodes of hierarchies, starting at the highest levels."""

    node = node_of(workload, columns)

    def children(a: int, part: np.ndarray) -> list[np.ndarray]:
        level = columns[a].lowest(part)
        return [] if level == columns[a].low else [np.array(one) for one in columns[a].parted(part, level - 1)]

    def serving(part: np.ndarray, some: list[int]) -> list | None:
        base = workload.error(part, node)
        if base <= 1e-9:
            return None
        tried = [(sum(workload.error(one, node) for one in found), found) for a in some if (found := children(a, part))]
        return best(base, tried, holds, worth)

    def widest(part: np.ndarray) -> list | None:
        def width(a: int, times: float) -> float:
            return columns[a].width(part[0], columns[a].lowest(part)) / columns[a].span * times

        for a in first_to_last(workload, width, rule, part):
            found = children(a, part)
            if found and all(map(holds, found)):
                return found
        return None

    return _classes([np.array(part) for part in parts], workload, serving, widest)


def _classes(todo: list, workload: WorkloadArrays, serving: Callable, widest: Callable) -> list[np.ndarray]:
    asks = [workload.often(a) > 0 for a in range(len(workload.axes))]
    phases = [[a for a, ask in enumerate(asks) if ask == wanted] for wanted in (True, False)]
    closed = []
    while todo:
        part = todo.pop()
        parts = serving(part, phases[0]) or serving(part, phases[1]) or widest(part)
        if parts is None:
            closed.append(part)
        else:
            todo += parts
    return closed


def served(workload: WorkloadArrays, region: Region, serving: Callable, cut: Callable, rules: Sequence[Rule]) -> list:
    """Return the best of all searches: by cuts worth more or less, by rules, by the best of these and large gains."""
    by_rule = [cut(rule) for rule in rules]
    rule = workload.best(by_rule, region)
    found = [serving(WORTH[0], None), *by_rule]
    if workload.whole(found[0], region) > ENOUGH * workload.whole(by_rule[rule], region):
        found += [serving(WORTH[1], None), serving(HALF, rules[rule])]
    return found[workload.best(found, region)]
