"""A digest of a table's content, roles and hierarchies, for keys; it never leaves the analyst's hands."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.data.table import Table


def fingerprint(table: Table) -> str:
    """Another one wherever a release, or a figure of one, may be another."""
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
    for part in table.engine.content():
        digest.update(part)
    return digest.hexdigest()
