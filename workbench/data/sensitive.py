"""A sensitive column as models see it: its values, how many records have each, and the levels above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base.errors import BadInput, said
from workbench.data.column import MISSING, Column, spare

MANY_VALUES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Sensitive:
    """The values of a sensitive column as models see them: the whole table's histogram, and the levels above.

    `levels[j][v]` is the node of value v at level j, finest first, or -1 where that cuts through what is behind the
    value; the root is not among them.
    """

    name: str
    labels: tuple[str, ...]
    totals: np.ndarray
    levels: tuple[np.ndarray, ...] = ()
    ordered: bool = True  # the values stand in an order that means something

    @classmethod
    def of(cls, column: Column, level: int) -> Sensitive:
        """A column at one of its levels (0: its values)."""
        above = column.hierarchy.levels if column.hierarchy else ()
        base = column.node(level - 1) if level else np.arange(column.size)
        first = np.flatnonzero(np.diff(base, prepend=-1))
        labels = above[level - 1].labels if level else column.labels
        if column.missing:
            labels = (*labels, spare(MISSING, labels))
        # a level with one run over all that is known is the root, which distances add themselves
        higher = [column.node(j) for j in range(level, len(above)) if len(above[j].labels) > 1]
        last = np.append(first[1:], column.size) - 1
        return cls(
            column.name,
            labels,
            np.bincount(base, weights=column.totals).astype(np.int64),
            tuple(np.where(nodes[first] == nodes[last], nodes[first], -1) for nodes in higher),
            ordered=column.kind != "text" or column.hierarchy is not None,
        )

    @cached_property
    def prior(self) -> np.ndarray:
        """Q, the distribution in the whole table: what an adversary knows without the release."""
        return self.totals / self.totals.sum()

    def __len__(self) -> int:
        return len(self.labels)


def require_measurable(column: Column, level: int) -> None:
    """Raise BadInput where models could not see a sensitive column at this level."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    if not isinstance(level, int) or not 0 <= level <= len(levels):
        raise BadInput(f"sensitive column {column.name!r} has no level {said(level)}; its hierarchy has {len(levels)}")
    size = len(Sensitive.of(column, level))
    if size < 2:
        raise BadInput(
            f"sensitive column {column.name!r} has only one value{' at this level' if level else ''}: "
            "there is nothing to protect; make it neutral, or choose another column"
        )
    if size > MANY_VALUES:
        raise BadInput(
            f"sensitive column {column.name!r} has {size:,} values, more than {MANY_VALUES:,}; "
            f"give it a hierarchy and name the level to measure at, as in levels={{{column.name!r}: 1}}"
        )
