"""Random samples of a table's records, with the same columns, roles and hierarchies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, said
from workbench.base.small_counts import some_of
from workbench.data.coding import occurring
from workbench.data.engines.memory import Memory

if TYPE_CHECKING:
    from workbench.data.table import Table


class Sampled(NamedTuple):
    """How many records were drawn at random, without replacement, of how many."""

    records: int
    of: int

    def __str__(self) -> str:
        return f"a random sample of {self.records:,} of {self.of:,} records"

    def told(self, smallest: int) -> str:
        """The same, as numbers of people may be told."""
        return f"a random sample of {some_of(self.records, self.of, smallest, 'record', 'records')}"


def sample(table: Table, records: int, seed: int = 0) -> Table:
    """So many of the records, in memory; the table itself, or all of its records, where it has no more."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise BadInput(f"a sample of {said(records)} records: say how many as a whole number, 1 or above")
    if table.records > records:
        found = _of(table, table.engine.drawn(records, seed))
        whole = table.sampled is not None and table.sampled.records == table.records
        drawn = Sampled(records, table.sampled.of if table.sampled is not None and whole else table.records)
        return replace(found, sampled=drawn, notes=(*table.notes, str(drawn)))
    return table if table.engine.in_memory else _of(table, table.engine.drawn(table.records, seed))


def resample(table: Table, seed: int) -> Table:
    """As many records as the table has, drawn with replacement (the bootstrap)."""
    table.engine.require_memory("records are drawn one by one")
    drawn = np.sort(np.random.default_rng(seed).integers(0, table.records, table.records))
    return _of(table, {name: codes[drawn] for name, codes in table.codes.items()})


def _of(table: Table, codes: dict[str, np.ndarray]) -> Table:
    columns, engine = occurring(table.columns, Memory(codes))
    return replace(table, columns=columns, engine=engine, _memory={}, _locks={})
