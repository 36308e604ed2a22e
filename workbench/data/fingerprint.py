"""A digest of a table's content, roles and hierarchies, for keys. It is never published."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import TooMany
from workbench.data.absent_values import AbsentValues

if TYPE_CHECKING:
    from workbench.data.table import Table


def fingerprint(table: Table) -> str:
    """Return a digest that differs whenever a release, or a figure of one, may differ."""
    digest = _outline(table)
    for part in table.engine.content():
        digest.update(part)
    return digest.hexdigest()


def has_same_data(one: Table, other: Table) -> bool:
    """Return whether two tables have the same content in the same roles.

    Engines compute different digests, so tables of two engines are compared by their cells, if these fit into memory.
    """
    if type(one.engine) is type(other.engine) or _outline(one).digest() != _outline(other).digest():
        return one.fingerprint == other.fingerprint
    if not all(np.array_equal(one.columns[name].totals, other.columns[name].totals) for name in one.columns):
        return False
    try:
        return all(map(np.array_equal, _content(one), _content(other)))
    except TooMany:
        return True


def _content(table: Table) -> list[np.ndarray]:
    cells = table.cells()
    return [cells.quasi, *cells.others.values(), cells.weight]


def _outline(table: Table) -> hashlib.blake2b:
    """Start a digest with the columns, without the records."""
    digest = hashlib.blake2b(digest_size=20)
    for name, column in table.columns.items():
        spec = column.hierarchy.spec() if column.hierarchy else None
        about = (name, column.kind, table.roles[name], table.levels.get(name, 0), column.value_labels(), spec)
        digest.update(repr(about).encode())
        if column.regions != "exact" and table.roles[name] == "quasi":
            digest.update(f"regions {column.regions} {column.threshold}".encode())
        if name in table.level_ranges:
            digest.update(repr(table.level_ranges[name]).encode())
        if name in table.importance:
            digest.update(f"importance {table.importance[name]}".encode())
    if table.sampled is not None:
        digest.update(repr(table.sampled).encode())
    if table.population_table is not None:
        digest.update(table.population_table.fingerprint.encode())
        for values in AbsentValues.from_tables(table.population_table, table):
            digest.update(repr(values.nodes.tolist()).encode())
    return digest
