"""Choose a table of a file: the only one, or the named one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.base.errors import BadInput, Fix, safe_repr, suggest

MANY = 3  # maximum number of tables in a message


class SeveralTables(BadInput):
    """A file with several tables, whose names are in `tables`."""

    tables: tuple[str, ...] = ()


def several_tables(path: Path, tables: Sequence[str]) -> SeveralTables:
    some = ", ".join(Fix.TABLE(name) for name in tables[:MANY])
    error = SeveralTables(f"{path}: the file has {len(tables):,} tables; choose one, such as {some}")
    error.tables = tuple(tables)
    return error


def choose_table(path: Path, tables: Sequence[str], table: str | None) -> str:
    """Return the name of the table to read."""
    if not tables:
        raise BadInput(f"{path}: the file has no table; choose another file")
    if table is None and len(tables) > 1:
        raise several_tables(path, tables)
    if table is not None and table not in tables:
        raise BadInput(f"{path}: there is no table {safe_repr(table)}; {suggest(table, tables)}")
    return tables[0] if table is None else table
