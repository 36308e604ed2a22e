"""One column of a table: its distinct values in code order, and the hierarchy above them."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from workbench.hierarchy import Hierarchy

Kind = Literal["number", "date", "text"]
MISSING = "missing"


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

    @cached_property
    def edges(self) -> np.ndarray:
        """Code c covers edges[0, c] to edges[1, c]: values for numbers and dates, one unit a code for text.

        A number covers one step of its column (1 for integers), so that [25-29] is five years wide.
        Missing lies one step beyond the last value.
        """
        positions, step = np.arange(len(self.values), dtype=float), 1.0
        if self.kind != "text" and len(self.values):
            whole = self.values.dtype.kind != "f"  # int64 differences stay exact, and in range, as unsigned
            values = self.values.astype("int64").view("uint64") if whole else self.values
            positions = (values - values[0]).astype(float)
            step = 1.0 if whole or len(values) == 1 else float(np.diff(positions).min())
            if not (np.diff(positions) > 0).all() or not (positions + step > positions).all():
                positions, step = np.arange(len(values), dtype=float), 1.0  # a range that floats cannot tell apart
        if self.missing:
            positions = np.append(positions, positions[-1] + step if len(positions) else 0.0)
        return np.array([positions, positions + step])

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

    def value_labels(self) -> tuple[str, ...]:
        """The label of every code, missing included."""
        return (*self.labels, MISSING) if self.missing else self.labels


def spare(name: str, taken: Container[str]) -> str:
    """This name, or the next that is not taken."""
    while name in taken:
        name += "_"
    return name
