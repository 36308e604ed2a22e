"""Random samples of a table's records, with the same columns, roles and hierarchies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.base.small_counts import describe_part
from workbench.data.coding import occurring
from workbench.data.engines.memory import Memory

if TYPE_CHECKING:
    from workbench.data.table import Table


class Sampled(NamedTuple):
    """The number of records that were drawn at random without replacement, and the number they were drawn from."""

    records: int
    of: int

    def __str__(self) -> str:
        return f"a random sample of {self.records:,} of {self.of:,} records"

    def describe(self, smallest: int) -> str:
        """Return the description with counts rounded for publication."""
        return f"a random sample of {describe_part(self.records, self.of, smallest, 'record', 'records')}"


def sample(table: Table, records: int, seed: int = 0) -> Table:
    """Draw records at random into memory; a table without more records is returned as a whole, in memory."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise BadInput(f"sample: must be a whole number of records, at least 1, got {safe_repr(records)}")
    if table.records > records:
        found = _with_codes(table, table.engine.drawn(records, seed))
        whole = table.sampled is not None and table.sampled.records == table.records
        drawn = Sampled(records, table.sampled.of if table.sampled is not None and whole else table.records)
        return replace(found, sampled=drawn, notes=(*table.notes, str(drawn)))
    return table if table.engine.in_memory else _with_codes(table, table.engine.drawn(table.records, seed))


def resample(table: Table, seed: int) -> Table:
    """Draw as many records as the table has, with replacement (the bootstrap)."""
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).integers(0, table.records, table.records))
    return _with_codes(table, {name: codes[drawn] for name, codes in table.codes.items()})


def subsample(table: Table, records: int, seed: int) -> Table:
    """Draw records without replacement, without a note that they are a sample."""
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).choice(table.records, records, replace=False))
    return _with_codes(table, {name: codes[drawn] for name, codes in table.codes.items()})


def _with_codes(table: Table, codes: dict[str, np.ndarray]) -> Table:
    columns, engine = occurring(table.columns, Memory(codes))
    return replace(table, columns=columns, engine=engine, _memory={}, _locks={})
