"""A sensitive column as models use it: its values, their records, and the levels above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base.errors import BadInput, Fix, safe_repr
from workbench.data.column import MISSING, Column, unused_name
from workbench.data.wording import PLAIN, Wording
from workbench.redaction.controlled_rounding import BY_ITSELF, Rounding

MANY_VALUES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Sensitive:
    """The values of a sensitive column at its model level, with the histogram of the whole table and the levels above.

    `levels[j][v]` is the node of value v at level j, finest first, or -1 if no single node contains the value; the root
    is not included.
    """

    name: str
    labels: tuple[str, ...]
    totals: np.ndarray
    levels: tuple[np.ndarray, ...] = ()
    ordered: bool = True  # whether the order of the values has a meaning
    rounding: Rounding = BY_ITSELF
    harmful: tuple[str, ...] = ()  # the values that the study declares harmful

    @classmethod
    def from_column(
        cls, column: Column, level: int, rounding: Rounding = BY_ITSELF, wording: Wording = PLAIN
    ) -> Sensitive:
        """Return a column at one of its levels (0: its values)."""
        above = column.hierarchy.levels if column.hierarchy else ()
        base = column.node(level - 1) if level else np.arange(column.size)
        first = np.flatnonzero(np.diff(base, prepend=-1))
        labels = above[level - 1].labels if level else column.labels
        if column.missing:
            labels = (*labels, unused_name(MISSING, labels))
        # a level with one run over all known values is the root, which distances add
        higher = [column.node(j) for j in range(level, len(above)) if len(above[j].labels) > 1]
        last = np.append(first[1:], column.size) - 1
        return cls(
            column.name,
            labels,
            np.bincount(base, weights=column.totals).astype(np.int64),
            tuple(np.where(nodes[first] == nodes[last], nodes[first], -1) for nodes in higher),
            ordered=column.kind != "text" or column.hierarchy is not None,
            rounding=rounding,
            harmful=tuple(wording.harmful.get(column.name, ())),
        )

    @cached_property
    def prior(self) -> np.ndarray:
        """The distribution in the whole table, Q: an attacker's knowledge without the release."""
        return self.totals / self.totals.sum()

    def published(self, threshold: int) -> np.ndarray:
        """Return the published numbers of records of the values, rounded so that they add up to the rounded total."""
        return self.rounding.counts(self.name, self.labels, self.totals, threshold)

    def may_name(self, threshold: int) -> np.ndarray:
        """Return which values may be named: their published count guarantees that they reach the threshold."""
        return self.published(threshold) >= (2 * threshold if threshold > 1 else 1)

    @property
    def declared(self) -> np.ndarray:
        """The values that the study declares harmful."""
        return np.isin(self.labels, self.harmful)

    def may_harm(self, threshold: int) -> np.ndarray:
        """Return which values may harm if they are learned: the declared ones, or by default all rare ones.

        A value is rare if at most half of the records have it, so the commonest value of a skewed column, such as no
        illness, is not among them.
        """
        if self.declared.any():
            return self.declared
        published = self.published(threshold)
        rare = 2 * published <= published.sum()
        return rare if rare.any() else np.ones(len(self), bool)

    def __len__(self) -> int:
        return len(self.labels)


def require_measurable(column: Column, level: int) -> None:
    """Raise BadInput if models cannot use a sensitive column at this level."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    if not isinstance(level, int) or not 0 <= level <= len(levels):
        raise BadInput(
            f"sensitive column {column.name!r} has no level {safe_repr(level)}; its hierarchy has {len(levels)}"
        )
    size = len(Sensitive.from_column(column, level))
    if size < 2:
        raise BadInput(
            f"sensitive column {column.name!r} has only one value{' at this level' if level else ''}: "
            "there is nothing to protect; make it neutral, or choose another column"
        )
    if size > MANY_VALUES:
        raise BadInput(
            f"sensitive column {column.name!r} has {size:,} values, more than {MANY_VALUES:,}; "
            f"add a hierarchy and choose the level to measure at, for example {Fix.LEVELS({column.name: 1})}"
        )
