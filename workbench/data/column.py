"""One column of a table: its distinct values in code order, and the hierarchy above them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.data.range_ends import Ends

if TYPE_CHECKING:
    from workbench.data.hierarchies.hierarchy import Hierarchy

Kind = Literal["number", "date", "text"]
Regions = Literal["exact", "ranges", "nodes"]
MISSING = "missing"
DAY = 24 * 60 * 60 * 1_000_000  # microseconds


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A column: code i stands for `values[i]`; if values are missing, one more code, the last, stands for missing.

    `values` are int64, float64, datetime64 or str objects, ascending for numbers and dates, in leaf order for text.
    `labels` are the same values as text.

    `regions` determines what generalized releases publish: ranges between any two values (`exact`), ranges whose ends
    are round numbers or values of at least `threshold` records (`ranges`), or nodes of the hierarchy (`nodes`).
    """

    name: str
    kind: Kind
    values: np.ndarray
    labels: tuple[str, ...]
    counts: np.ndarray
    missing: int = 0
    hierarchy: Hierarchy | None = None
    regions: Regions = "exact"
    threshold: int = 0

    @property
    def has_levels(self) -> bool:
        """True if there is a hierarchy above the values."""
        return self.hierarchy is not None and bool(self.hierarchy.levels)

    @property
    def shows_nodes(self) -> bool:
        """True if releases publish nodes of the hierarchy."""
        return self.regions == "nodes" and self.has_levels

    @cached_property
    def ends(self) -> Ends | None:
        """The allowed ends of published ranges; None if any value may be an end."""
        if self.regions == "exact" or self.kind == "text" or not len(self.values):
            return None
        return Ends.from_column(self, self.threshold)

    @property
    def size(self) -> int:
        """The number of codes, including the one for missing."""
        return len(self.values) + (self.missing > 0)

    @cached_property
    def totals(self) -> np.ndarray:
        """The number of records per code, including missing."""
        return np.append(self.counts, self.missing) if self.missing else self.counts

    @property
    def _fractions(self) -> bool:
        """True if values are continuous: fractional numbers or times of day."""
        return self.kind != "text" and self.values.dtype.kind != "i" and self.values.dtype != "datetime64[D]"

    @cached_property
    def positions(self) -> np.ndarray:
        """The position of each code on an axis: numbers by value, dates in days, text one unit apart.

        Missing is one step beyond the last value: one unit, or the average distance of fractional numbers. If floats
        cannot distinguish all positions, codes are used as positions.
        """
        found = np.arange(len(self.values), dtype=float)
        if self.kind != "text" and len(self.values):
            whole = self.values.dtype.kind != "f"  # unsigned differences of int64 are exact and do not overflow
            values = self.values.astype("int64").view("uint64") if whole else self.values
            with np.errstate(over="ignore"):
                found = (values - values[0]).astype(float) / (DAY if self.values.dtype == "datetime64[us]" else 1)
        if self.missing:
            step = found[-1] / (len(found) - 1) if self._fractions and len(found) > 1 else 1.0
            with np.errstate(over="ignore"):
                found = np.append(found, found[-1] + step if len(found) else 0.0)
        span = found[-1] if len(found) > 1 else 1.0
        apart = np.isfinite(span) and (np.diff(found / span) > 0).all()
        return found if apart else np.arange(self.size, dtype=float)

    @cached_property
    def edges(self) -> np.ndarray:
        """The interval that each code covers on the axis of `positions`, from edges[0, c] to edges[1, c].

        A whole number or a day covers one unit, so [25-29] is five years wide; fractional numbers extend halfway to
        their neighbors; text covers one unit per code.
        """
        at = self.positions
        edges = np.array([at, at + 1])
        if self._fractions:
            between = (at[1:] + at[:-1]) / 2
            edges = np.array([np.append(at[:1], between), np.append(between, at[-1:])])
        if (edges[1] > edges[0]).all():
            return edges
        return np.arange(self.size, dtype=float) + np.array([[0.0], [1.0]])

    def arranged(self, hierarchy: Hierarchy) -> tuple[Column, np.ndarray]:
        """Return the column in the leaf order of a hierarchy, and the new code of each old one."""
        place = {label: code for code, label in enumerate(hierarchy.leaves)}
        recode = np.array([place[label] for label in self.labels], dtype=np.int64)
        order = np.argsort(recode)
        column = replace(
            self,
            values=self.values[order],
            labels=tuple(self.labels[i] for i in order),
            counts=self.counts[order],
            hierarchy=hierarchy,
        )
        return column, np.append(recode, len(recode)) if self.missing else recode

    def node(self, level: int) -> np.ndarray:
        """Return the run of each code at a level (0 is the finest above the values); missing is a run by itself."""
        assert self.hierarchy is not None
        node = self.hierarchy.node(level)
        return np.append(node, node[-1] + 1) if self.missing else node

    @cached_property
    def released_at(self) -> tuple[np.ndarray, ...]:
        """The node of each code at each level of release.

        Level 0 has the values, then come the levels of the hierarchy, and last a single node for everything.
        """
        above = self.hierarchy.levels if self.hierarchy else ()
        nodes = [np.arange(self.size), *(self.node(j) for j in range(len(above)))]
        if self.size and nodes[-1][-1] > 0:
            nodes.append(np.zeros(self.size, np.int64))
        return tuple(nodes)

    def leaves(self, low: np.ndarray, high: np.ndarray, level: int | np.ndarray = 0) -> np.ndarray:
        """Return the number of leaves of each run of codes.

        A node counts all its leaves in the hierarchy as it was given, any other run counts its values. Only nodes from
        `level` on are recognized (0: the values); each run may have a level of its own.
        """
        if isinstance(level, np.ndarray):
            found = np.zeros(len(low), np.int64)
            for one in np.unique(level).tolist():
                found[level == one] = self.leaves(low[level == one], high[level == one], one)
            return found
        run, (nodes, below) = low.astype(np.int64) * self.size + high, self._nodes[level]
        at = np.minimum(np.searchsorted(nodes, run), max(len(nodes) - 1, 0))
        values = high.astype(np.int64) - low + 1
        return np.where(nodes[at] == run, below[at], values) if len(nodes) else values

    @property
    def whole(self) -> int:
        """The number of leaves, including those that the data lack; missing counts as one more."""
        return (self.hierarchy.whole if self.hierarchy else len(self.values)) + (self.missing > 0)

    @cached_property
    def _nodes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The runs that are nodes from each level of release on, as sorted numbers, with their numbers of leaves."""
        found: list[dict[int, int]] = []
        for first in reversed(range(len(self.released_at))):
            nodes = dict(found[-1]) if found else self._roots
            if self.hierarchy and 0 < first <= len(self.hierarchy.levels):
                bounds, below = self.hierarchy.bounds(first - 1).tolist(), self.hierarchy.below(first - 1).tolist()
                nodes |= {low * self.size + high: count for (low, high), count in zip(bounds, below, strict=True)}
            if not first:  # values are leaves in every hierarchy
                nodes |= {code * self.size + code: 1 for code in range(self.size)}
            found.append({**nodes, **self._roots} if first else nodes)
        arrays = [(np.array(sorted(nodes), np.int64), nodes) for nodes in reversed(found)]
        return [(runs, np.array([nodes[run] for run in runs.tolist()], np.int64)) for runs, nodes in arrays]

    @property
    def _roots(self) -> dict[int, int]:
        """The nodes above every hierarchy: all values, and all values with missing."""
        known = {len(self.values) - 1: self.whole - (self.missing > 0)} if len(self.values) else {}
        return known | {self.size - 1: self.whole}

    @cached_property
    def _with_missing(self) -> tuple[str, ...]:
        return (*self.labels, MISSING)

    def value_labels(self) -> tuple[str, ...]:
        """Return the label of every code, including missing."""
        return self._with_missing if self.missing else self.labels


def unused_name(name: str, taken: Container[str]) -> str:
    """Return the name, with underscores added until it is unused."""
    while name in taken:
        name += "_"
    return name


def pad_rows(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return rows of several lengths as one array, padded with zeros."""
    found = np.zeros((len(rows), max(map(len, rows))))
    for place, row in zip(found, rows, strict=True):
        place[: len(row)] = row
    return found
