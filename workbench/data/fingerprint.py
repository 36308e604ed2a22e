"""A digest of a table's content, roles and hierarchies, for keys; it never leaves the analyst's hands."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import TooMany

if TYPE_CHECKING:
    from workbench.data.table import Table


def fingerprint(table: Table) -> str:
    """Another one wherever a release, or a figure of one, may be another."""
    digest = _outline(table)
    for part in table.engine.content():
        digest.update(part)
    return digest.hexdigest()


def alike(one: Table, other: Table) -> bool:
    """Whether two tables are the same in the same roles, wherever their records are: engines digest these in ways of
    their own, so those of two engines are compared by their combinations, as far as these fit into memory."""
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
    """What the columns are."""
    digest = hashlib.blake2b(digest_size=20)
    for name, column in table.columns.items():
        spec = column.hierarchy.spec() if column.hierarchy else None
        about = (name, column.kind, table.roles[name], table.levels.get(name, 0), column.value_labels(), spec)
        digest.update(repr(about).encode())
        if name in table.level_ranges:
            digest.update(repr(table.level_ranges[name]).encode())
        if name in table.importance:
            digest.update(f"importance {table.importance[name]}".encode())
    if table.sampled is not None:
        digest.update(repr(table.sampled).encode())
    if table.drawn_from is not None:
        digest.update(table.drawn_from.fingerprint.encode())
    return digest
