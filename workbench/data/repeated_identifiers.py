"""Identifiers with several records each: guarantees then count records, not people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.data.lexicon import CONTACTS, has_word

if TYPE_CHECKING:
    from workbench.data.table import Table

NAMES = (*CONTACTS, "first", "last", "name")  # different people may share a name or an address
CATEGORIES = 20  # columns with at most so many values number nobody
REPEATED = 0.05  # minimum share of records that are not the first of their identifier


def repeats(table: Table, identifiers: Iterable[str]) -> str:
    """Describe the repeated identifier with the most values; empty if no identifier repeats."""
    found = []
    for name in identifiers:
        column = table.columns.get(name)
        if column is None or has_word(name, NAMES):
            continue
        records, distinct = int(column.counts.sum()), len(column.values)
        if CATEGORIES < distinct <= (1 - REPEATED) * records:
            found.append((distinct, records, name))
    if not found:
        return ""
    distinct, records, name = max(found)
    counted = f"{name} has {distinct:,} different values in {records:,} records"
    return f"{counted}, so several records may belong to one person. Guarantees count records, not people."
