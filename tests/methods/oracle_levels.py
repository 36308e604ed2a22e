"""Mondrian on levels reimplemented, record by record in plain Python, without code shared with the engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import pandas as pd

Holds = Callable[[Sequence[int]], bool]
NOISE = 1e-12


@dataclass
class Column:
    """The node of each record on each level, the finest first and the root last, and its place on the axis."""

    shown: list[list[str]]
    place: list[float]
    low: int
    high: int

    def width(self, record: int, level: int) -> float:
        """Return the width of the node of a record, in the whole table."""
        node = self.shown[level][record]
        inside = [place for place, label in zip(self.place, self.shown[level], strict=True) if label == node]
        return max(inside) - min(inside)

    @property
    def span(self) -> float:
        return max(self.place) - min(self.place) or 1.0

    def parted(self, records: Sequence[int], level: int) -> list[list[int]]:
        """Group the records by their nodes on a level."""
        found: dict[str, list[int]] = {}
        for record in records:
            found.setdefault(self.shown[level][record], []).append(record)
        return list(found.values())

    def lowest(self, records: Sequence[int]) -> int:
        """Return the lowest allowed level on which the records have one node."""
        return next(j for j in range(self.low, self.high + 1) if len(self.parted(records, j)) == 1)


def shown(values: pd.Series, *levels: dict) -> list[list[str]]:
    """Return each value by itself, in the groups of each level, and as everything; missing is a group of its own."""
    plain = [None if pd.isna(value) else value for value in values]
    groups = [["missing" if value is None else str(level[value]) for value in plain] for level in levels]
    return [["missing" if value is None else str(value) for value in plain], *groups, ["*"] * len(plain)]


def beginning(columns: Sequence[Column]) -> list[list[int]]:
    """Return the classes on the highest levels."""
    parts = [list(range(len(columns[0].place)))]
    for column in columns:
        parts = [one for part in parts for one in column.parted(part, column.high)]
    return parts


def widest(
    columns: Sequence[Column], holds: Holds, wanted: Callable[[int, Sequence[int]], float] = lambda a, part: 0
) -> list[tuple[list[int], list[int]]]:
    """Return the records of each class, and the level of each of its nodes.

    The widest node is cut, else the next widest. A node with records in one child only is cut into that child. `wanted`
    ranks the columns of a class before their width.
    """
    todo = [(part, [column.high for column in columns]) for part in beginning(columns)]
    closed = []
    while todo:
        part, levels = todo.pop()
        wide = [column.width(part[0], level) / column.span for column, level in zip(columns, levels, strict=True)]
        first = [wanted(a, part) for a in range(len(columns))]
        for a in sorted(range(len(columns)), key=lambda a: (-first[a], -wide[a])):
            if levels[a] > columns[a].low:
                parts = columns[a].parted(part, levels[a] - 1)
                if all(map(holds, parts)):
                    below = [level - (b == a) for b, level in enumerate(levels)]
                    todo += [(one, below) for one in parts]
                    break
        else:
            closed.append((part, levels))
    return closed


def information_gain(columns: Sequence[Column], target: Sequence, holds: Holds) -> list[tuple[list[int], list[int]]]:
    """Return the same for cuts with the largest information gain."""
    todo, closed = beginning(columns), []
    while todo:
        part = todo.pop()
        best, gained = None, NOISE
        for column in columns:
            level = column.lowest(part)
            if level > column.low:
                parts = column.parted(part, level - 1)
                told = entropy(target, part) - sum(len(one) / len(part) * entropy(target, one) for one in parts)
                if told > gained + 1e-11 and all(map(holds, parts)):
                    best, gained = parts, told
        if best is None:
            closed.append((part, [column.lowest(part) for column in columns]))
        else:
            todo += best
    return closed


def entropy(target: Sequence, part: Sequence[int]) -> float:
    values = [target[record] for record in part]
    return -sum(n / len(part) * log(n / len(part)) for n in (values.count(value) for value in set(values)))
