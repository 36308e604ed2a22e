"""One column of a table: its distinct values in code order, and the hierarchy above them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from workbench.data.hierarchies.hierarchy import Hierarchy

Kind = Literal["number", "date", "text"]
MISSING = "missing"
DAY = 24 * 60 * 60 * 1_000_000  # microseconds


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """Codes 0..len(values)-1 stand for `values`; where values are missing, one more code, the last, stands for that.

    `values` are int64, float64, datetime64 or str objects, ascending for numbers and dates, in leaf order for text.
    `labels` are the same values as people read them.
    """

    name: str
    kind: Kind
    values: np.ndarray
    labels: tuple[str, ...]
    counts: np.ndarray
    missing: int = 0
    hierarchy: Hierarchy | None = None

    @property
    def size(self) -> int:
        """The number of codes, missing included."""
        return len(self.values) + (self.missing > 0)

    @cached_property
    def totals(self) -> np.ndarray:
        """Records per code, missing included."""
        return np.append(self.counts, self.missing) if self.missing else self.counts

    @property
    def _fractions(self) -> bool:
        """Numbers that are not whole, or moments: between two of them there is always another."""
        return self.kind != "text" and self.values.dtype.kind != "i" and self.values.dtype != "datetime64[D]"

    @cached_property
    def positions(self) -> np.ndarray:
        """Where each code lies: numbers by value, dates in days, text one apart.

        Missing lies one step beyond the last: one unit, or the average distance of fractions. A range that floats
        cannot tell apart counts by rank.
        """
        found = np.arange(len(self.values), dtype=float)
        if self.kind != "text" and len(self.values):
            whole = self.values.dtype.kind != "f"  # int64 differences stay exact, and in range, as unsigned
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
        """Code c covers edges[0, c] to edges[1, c], what a value is taken to be alike with when it is spread evenly.

        A whole number or a day covers one unit, so that [25-29] is five years; fractions reach halfway to their
        neighbours; text covers one unit a code.
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
        """This column in the leaf order of a hierarchy, and the new code of each old one."""
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
        """The run of each code on a level (0 is the finest above the values); missing is a run of its own."""
        assert self.hierarchy is not None
        node = self.hierarchy.node(level)
        return np.append(node, node[-1] + 1) if self.missing else node

    @cached_property
    def released_at(self) -> tuple[np.ndarray, ...]:
        """The node of each code on each level that it may be released at: 0 its values, then those of its hierarchy,
        and last everything as one node."""
        above = self.hierarchy.levels if self.hierarchy else ()
        nodes = [np.arange(self.size), *(self.node(j) for j in range(len(above)))]
        if self.size and nodes[-1][-1] > 0:
            nodes.append(np.zeros(self.size, np.int64))
        return tuple(nodes)

    def leaves(self, low: np.ndarray, high: np.ndarray, level: int | np.ndarray = 0) -> np.ndarray:
        """How many leaves each run of codes stands for: a node all of the hierarchy as it was given, any other run
        its values. Nodes are those from a level on (0: the values), so above that a value may be a node alone; each
        run may have a level of its own."""
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
        """How many leaves there are, those that the data lack included; missing is one more."""
        return (self.hierarchy.whole if self.hierarchy else len(self.values)) + (self.missing > 0)

    @cached_property
    def _nodes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each level that a column may be released at, the runs that are nodes from there on, each as one number,
        ascending, and the leaves below each."""
        found: list[dict[int, int]] = []
        for first in reversed(range(len(self.released_at))):
            nodes = dict(found[-1]) if found else self._roots
            if self.hierarchy and 0 < first <= len(self.hierarchy.levels):
                bounds, below = self.hierarchy.bounds(first - 1).tolist(), self.hierarchy.below(first - 1).tolist()
                nodes |= {low * self.size + high: count for (low, high), count in zip(bounds, below, strict=True)}
            if not first:  # values are leaves, whatever is above them
                nodes |= {code * self.size + code: 1 for code in range(self.size)}
            found.append({**nodes, **self._roots} if first else nodes)
        arrays = [(np.array(sorted(nodes), np.int64), nodes) for nodes in reversed(found)]
        return [(runs, np.array([nodes[run] for run in runs.tolist()], np.int64)) for runs, nodes in arrays]

    @property
    def _roots(self) -> dict[int, int]:
        """What is implied: all values as one node, and everything."""
        known = {len(self.values) - 1: self.whole - (self.missing > 0)} if len(self.values) else {}
        return known | {self.size - 1: self.whole}

    @cached_property
    def _with_missing(self) -> tuple[str, ...]:
        return (*self.labels, MISSING)

    def value_labels(self) -> tuple[str, ...]:
        """The label of every code, missing included."""
        return self._with_missing if self.missing else self.labels


def spare(name: str, taken: Container[str]) -> str:
    """This name, or the next that is not taken."""
    while name in taken:
        name += "_"
    return name


def padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Rows of several lengths in one array; short ones end in zeros."""
    found = np.zeros((len(rows), max(map(len, rows))))
    for place, row in zip(found, rows, strict=True):
        place[: len(row)] = row
    return found
