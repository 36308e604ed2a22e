"""Published counts of a table: its records, and those of each value of a column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.result_cache import ResultCache

if TYPE_CHECKING:
    from workbench.data.table import Table


def published_total(table: Table, threshold: int) -> int:
    """Return the published number of records."""
    return table.settings.rounding.total(table.records, threshold)


def published_values(table: Table, name: str, threshold: int) -> np.ndarray:
    """Return the published number of records of each value; a sensitive column is counted at its model level."""
    if name in table.sensitive:
        return table.sensitive[name].published(threshold)
    column = table.columns[name]
    return table.settings.rounding.counts(name, column.value_labels(), column.totals, threshold)


def rounded_by(table: Table, secret: bytes) -> Table:
    """Return the table with published counts that are rounded by a secret."""
    settings = replace(table.settings, rounding=table.settings.rounding.with_secret(secret))
    return replace(table, settings=settings, remember=ResultCache())
