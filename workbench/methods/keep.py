"""Baseline: everything kept as it is. No utility is lost, and all privacy is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.partition import Partition


@dataclass(frozen=True)
class Keep(Method):
    name = "keep"
    baseline = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        cells = table.cells()
        _, group = distinct_rows(cells.quasi.T)
        return Partition(table, cells, group.astype(np.int32))
