"""A random sample of a table's records, with the same columns, roles and hierarchies."""

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
    columns, engine = occurring(table.columns, Memory({name: codes[drawn] for name, codes in table.codes.items()}))
    return replace(table, columns=columns, engine=engine, _memory={}, _locks={})
