"""DuckDB files: their contents, and a table or view as a source. Files are opened read-only."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput, Fix, safe_repr, suggest
from workbench.base.progress import run_interruptible
from workbench.data.reading.row_files import several_tables
from workbench.data.reading.source import Source, select_list

T = TypeVar("T")
PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
LISTED = """
SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = 'file' AND NOT internal
UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'file' AND NOT internal ORDER BY ALL
"""


class TableSource(Source):
    """A table or view of a DuckDB file; a view must not read anything outside the file."""

    def __init__(self, path: Path, table: str | None, private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        failure = None
        try:
            _attach(private, path)
            place = _chosen(_tables(private.connection), table, path)
            self.where = f"{path}, table {table_name(place)}"
            self._whole = private.connection.sql(f"SELECT * FROM {_in_file(place)}")
            self.names = self._whole.columns
        except duckdb.Error as error:
            failure = self._explained(str(error))
        if failure:
            raise failure

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _because(self, message: str) -> BadInput:
        return _wrong(self.where, message)


def below(path: Path, at: Sequence[str]) -> list[str]:
    """Return the names one level below: in the file (an empty path), in its database, or in a schema."""
    if not at:
        return [path.stem]
    tables = _ask(path, _tables)
    return sorted({schema for schema, _ in tables}) if len(at) == 1 else [name for one, name in tables if one == at[1]]


def columns(path: Path, at: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns of a table with their DuckDB types."""
    found = _ask(path, lambda connection: connection.sql(f"DESCRIBE {_in_file(at[1:])}").fetchall())
    return [(name, kind) for name, kind, *_ in found]


def records(path: Path, at: Sequence[str]) -> int:
    """Return the number of records of a table."""
    ((count,),) = _ask(path, lambda connection: connection.sql(f"SELECT count(*) FROM {_in_file(at[1:])}").fetchall())
    return int(count)


def table_name(place: Sequence[str]) -> str:
    """Return a schema and a table as a study names them, with quotes where necessary."""
    return ".".join(part if PLAIN.fullmatch(part) else _quoted(part) for part in place)


def _ask(path: Path, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
    """Return the result of a query on a connection that can read the file only."""
    private = PrivateConnection()
    with private as connection:
        try:
            _attach(private, path)
            return run_interruptible(lambda: work(connection), connection.interrupt)
        except duckdb.Error as error:
            failure = _wrong(str(path), str(error))
        raise failure  # outside the except: the context would contain DuckDB's message, which may quote a record


def _attach(private: PrivateConnection, path: Path) -> None:
    place = str(path).replace("'", "''")
    private.connection.execute(f"ATTACH '{place}' AS file (READ_ONLY)")
    private.confine(str(private.directory))  # a view might read any file, or the network


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the schema and name of each table and view."""
    return [(schema, name) for schema, name in connection.sql(LISTED).fetchall()]


def _chosen(tables: Sequence[tuple[str, str]], table: str | None, path: Path) -> tuple[str, str]:
    """Return the table with this name, or the only one."""
    if not tables:
        raise BadInput(f"{path}: the file has no table; choose another file")
    named = {table_name(one): one for one in tables}
    if table is None and len(tables) > 1:
        raise several_tables(path, [*named])
    if table is None:
        return tables[0]
    shorter = {table_name(one[1:]): one for one in tables if one[0] == "main"}
    spelled = {".".join(one): one for one in tables}  # with missing quotes
    for known in (named, shorter, spelled):
        if table in known:
            return known[table]
    raise BadInput(f"{path}: there is no table {safe_repr(table)}; {suggest(table, named)}")


def _in_file(place: Sequence[str]) -> str:
    return ".".join(["file", *map(_quoted, place)])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _wrong(where: str, message: str) -> BadInput:
    """Replace DuckDB's error: its message may quote a record."""
    if "not a valid DuckDB database" in message:
        return BadInput(f"{where}: not a DuckDB file; set its format with {Fix.FORMAT}")
    if "lock on file" in message or "file handle conflict" in message:
        return BadInput(
            f"{where}: the file is open for writing elsewhere; close it there, or read a Query on that connection"
        )
    if message.startswith("Permission"):
        return BadInput(f"{where}: the view reads data outside the file; store it as a table of the file")
    return BadInput(f"{where}: the table cannot be read ({message.split(':')[0].strip()[:60]})")
