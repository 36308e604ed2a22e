"""Baseline: publish everything unchanged. No utility is lost, and there is no privacy."""

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
    title = "Baseline"
    summary = "everything is published unchanged: no utility is lost, and there is no privacy"
    baseline = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        cells = table.cells()
        first, group = distinct_rows(cells.quasi.T)
        unchanged = np.repeat(cells.quasi.T[first][:, :, None], 2, axis=2)
        return Partition(table, cells, group.astype(np.int32), runs=unchanged)
