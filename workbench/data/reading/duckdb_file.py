"""A file of DuckDB's: what is in it, and one of its tables or views as a source. It is only read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb

from workbench.base.connection import Private
from workbench.base.errors import BadInput, meant, said
from workbench.base.progress import stoppable
from workbench.data.reading.source import Source, select_list

T = TypeVar("T")
PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
LISTED = """
SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = 'file' AND NOT internal
UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'file' AND NOT internal ORDER BY ALL
"""


class TableSource(Source):
    """A table or a view of a file; a view reads nothing outside this file."""

    def __init__(self, path: Path, table: str | None, private: Private) -> None:
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
    """The names one level below: of the file (an empty path), of its database, or of a schema in it."""
    if not at:
        return [path.stem]
    tables = _ask(path, _tables)
    return sorted({schema for schema, _ in tables}) if len(at) == 1 else [name for one, name in tables if one == at[1]]


def columns(path: Path, at: Sequence[str]) -> list[tuple[str, str]]:
    """The columns of a table and their types, as DuckDB calls them."""
    found = _ask(path, lambda connection: connection.sql(f"DESCRIBE {_in_file(at[1:])}").fetchall())
    return [(name, kind) for name, kind, *_ in found]


def records(path: Path, at: Sequence[str]) -> int:
    """The number of records of a table."""
    ((count,),) = _ask(path, lambda connection: connection.sql(f"SELECT count(*) FROM {_in_file(at[1:])}").fetchall())
    return int(count)


def table_name(place: Sequence[str]) -> str:
    """A schema and a table as a study names them; what is no plain name is in quotes."""
    return ".".join(part if PLAIN.fullmatch(part) else _quoted(part) for part in place)


def _ask(path: Path, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
    """What this comes to on a connection that sees the file alone."""
    private = Private()
    with private as connection:
        try:
            _attach(private, path)
            return stoppable(lambda: work(connection), connection.interrupt)
        except duckdb.Error as error:
            failure = _wrong(str(path), str(error))
        raise failure  # outside the except: DuckDB's message may quote a record, and must not be seen behind ours


def _attach(private: Private, path: Path) -> None:
    place = str(path).replace("'", "''")
    private.connection.execute(f"ATTACH '{place}' AS file (READ_ONLY)")
    private.confine(str(private.directory))  # a view might read any file, or the network


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """The tables and views, each by its schema and its name."""
    return [(schema, name) for schema, name in connection.sql(LISTED).fetchall()]


def _chosen(tables: Sequence[tuple[str, str]], table: str | None, path: Path) -> tuple[str, str]:
    """The table of that name; the only one, where none is named."""
    if not tables:
        raise BadInput(f"{path}: there is no table in it")
    named = {table_name(one): one for one in tables}
    if table is None and len(tables) > 1:
        some = ", ".join(f"table={name!r}" for name in [*named][:3])
        raise BadInput(f"{path}: it has {len(tables):,} tables; say which, such as {some}")
    if table is None:
        return tables[0]
    shorter = {table_name(one[1:]): one for one in tables if one[0] == "main"}
    spelled = {".".join(one): one for one in tables}  # without the quotes that it should have
    for known in (named, shorter, spelled):
        if table in known:
            return known[table]
    raise BadInput(f"{path}: there is no table {said(table)} in it; {meant(table, named)}")


def _in_file(place: Sequence[str]) -> str:
    return ".".join(["file", *map(_quoted, place)])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _wrong(where: str, message: str) -> BadInput:
    """Our words for DuckDB's, which may quote a record."""
    if "not a valid DuckDB database" in message:
        return BadInput(f"{where}: this is no file of DuckDB's; say format= if it is something else")
    if "lock on file" in message or "file handle conflict" in message:
        return BadInput(
            f"{where}: it is open elsewhere, and may be written to; close it there, or read a Query on that connection"
        )
    if message.startswith("Permission"):
        return BadInput(f"{where}: it is a view of what lies outside the file; make it a table of the file")
    return BadInput(f"{where}: it cannot be read ({message.split(':')[0].strip()[:60]})")
