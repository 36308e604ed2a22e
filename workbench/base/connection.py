"""DuckDB connections without network access, with a private folder for data larger than memory."""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from workbench.base.errors import BadInput
from workbench.base.files import scratch

SETTINGS = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


class PrivateConnection:
    """A DuckDB connection with a temporary directory that only this user can read."""

    def __init__(self, memory_limit: str | None = None, temp_directory: str | os.PathLike[str] | None = None) -> None:
        self.memory_limit, failure = memory_limit, None
        try:
            self.directory = scratch(temp_directory)
        except OSError:
            failure = BadInput(f"temp_directory {str(temp_directory)!r} is not a writable folder")
        if failure:
            raise failure
        limit = {"memory_limit": memory_limit} if memory_limit else {}
        try:
            settings: dict[str, Any] = {**SETTINGS, **limit, "temp_directory": str(self.directory)}
            self.connection = duckdb.connect(":memory:", config=settings)
            self.connection.execute("SET enable_progress_bar = false")
        except duckdb.Error:
            shutil.rmtree(self.directory)
            failure = BadInput(f"memory_limit {memory_limit!r} is not an amount of memory; write, for example, '1GB'")
        if failure:
            raise failure

    def __enter__(self) -> duckdb.DuckDBPyConnection:
        return self.connection

    def __exit__(self, *_: object) -> None:
        discard(self.connection, self.directory)

    def confine(self, folder: str) -> None:
        """Allow only files of one folder and no network, irrevocably."""
        place = str(Path(folder).resolve()).replace("'", "''")
        self.connection.execute(f"SET allowed_directories = ['{place}']")
        self.connection.execute("SET enable_external_access = false")
        self.connection.execute("SET lock_configuration = true")

    def lower_limit(self, limit: int) -> None:
        """Limit DuckDB's memory, unless the limit is lower already."""
        now = self.connection.sql("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()[0][0]
        self.connection.execute(f"SET memory_limit = '{min(limit, now)}B'")


class SharedConnection(PrivateConnection):
    """A cursor of the process's database, since a new database takes longer than reading a small table.

    For data in memory and small files; it changes no settings, which all cursors share.
    """

    def __init__(self) -> None:
        self.memory_limit, self.directory = None, scratch()
        self.connection = _database().connection.cursor()
        self.connection.execute("SET enable_progress_bar = false")

    def lower_limit(self, limit: int) -> None:
        """Do nothing: small data need no limit."""


_database = cache(PrivateConnection)


def _forget() -> None:
    """Close the shared database, also before a fork: a child lacks its threads and could not close it."""
    if _database.cache_info().currsize:
        discard(_database().connection, _database().directory)
        _database.cache_clear()


atexit.register(_forget)
os.register_at_fork(before=_forget)


def discard(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Close a connection and remove its temporary files."""
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)
