"""Random samples of a table's records, with the same columns, roles and hierarchies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.data.coding import occurring
from workbench.data.engines.memory import Memory
from workbench.data.table import Table


def sample(table: Table, records: int, seed: int = 0) -> Table:
    """So many of the records, in their order; the table itself where it has no more."""
    if table.records <= records:
        return table
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).choice(table.records, records, replace=False))
    return _of(table, drawn)


def resample(table: Table, seed: int) -> Table:
    """As many records as the table has, drawn with replacement (the bootstrap)."""
    table.engine.require_memory("records are drawn one by one")
    return _of(table, np.sort(np.random.default_rng(seed).integers(0, table.records, table.records)))


def _of(table: Table, drawn: np.ndarray) -> Table:
    columns, engine = occurring(table.columns, Memory({name: codes[drawn] for name, codes in table.codes.items()}))
    return replace(table, columns=columns, engine=engine, _memory={}, _locks={})
