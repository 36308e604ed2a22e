"""Baseline: remove columns, all quasi-identifiers by default (trivial sanitization, Brickell & Shmatikov 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import Columns, parameter
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.in_parts import InParts, whole
from workbench.releases.partition import Partition


@dataclass(frozen=True)
class Remove(Method):
    """`columns` is one name or several; None removes every quasi-identifier."""

    columns: tuple[str, ...] | str | None = parameter(
        None, "the columns to remove (none named: all quasi-identifiers)", kind=Columns
    )
    name = "remove"
    title = "Baseline"
    summary = "columns removed, all quasi-identifiers by default (trivial sanitization, Brickell & Shmatikov 2008)"
    baseline = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns is not None:
            object.__setattr__(self, "columns", tuple(sorted(self.columns)))  # the order of names is irrelevant

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        removed = table.quasi if self.columns is None else self.columns
        if not table.engine.cells_fit and {*table.quasi} <= {*removed}:
            return InParts.from_parts(table, lambda: iter([whole(table)]), frozenset(removed))
        cells = table.cells()
        kept = [a for a, name in enumerate(table.quasi) if name not in removed]
        first, group = distinct_rows(cells.quasi[kept].T) if kept else ([0], np.zeros(len(cells), np.int32))
        unchanged = np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2)
        return Partition(table, cells, group.astype(np.int32), unpublished_columns=frozenset(removed), runs=unchanged)
