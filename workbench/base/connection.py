"""A DuckDB connection of one's own, which fetches nothing, and a private folder for what does not fit into memory."""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from workbench.base.errors import BadInput
from workbench.base.scratch import scratch

SETTINGS = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


class Private:
    """A DuckDB connection of a source's own, and a directory that only this user can read."""

    def __init__(self, memory_limit: str | None = None, temp_directory: str | os.PathLike[str] | None = None) -> None:
        self.memory_limit, failure = memory_limit, None
        try:
            self.directory = scratch(temp_directory)
        except OSError:
            failure = BadInput(f"temp_directory {str(temp_directory)!r} is not a folder that can be written to")
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
        """From now on no file outside this folder, nothing from the network, and no way back."""
        place = str(Path(folder).resolve()).replace("'", "''")
        self.connection.execute(f"SET allowed_directories = ['{place}']")
        self.connection.execute("SET enable_external_access = false")
        self.connection.execute("SET lock_configuration = true")

    def lower_limit(self, limit: int) -> None:
        """Let DuckDB use no more than this, and less if the caller said so."""
        now = self.connection.sql("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()[0][0]
        self.connection.execute(f"SET memory_limit = '{min(limit, now)}B'")


class Shared(Private):
    """A connection of one's own to the database of the process: to make one takes longer than to read a small table.

    It is for data that are in memory already and for small files: nothing is set that others would hear of.
    """

    def __init__(self) -> None:
        self.memory_limit, self.directory = None, scratch()
        self.connection = _database().connection.cursor()
        self.connection.execute("SET enable_progress_bar = false")

    def lower_limit(self, limit: int) -> None:
        """What is read here is small enough without a limit."""


_database = cache(Private)


def _forget() -> None:
    """Of a forked process too: a database's threads would not be there, and to close it would end the process."""
    if _database.cache_info().currsize:
        discard(_database().connection, _database().directory)
        _database.cache_clear()


atexit.register(_forget)
os.register_at_fork(before=_forget)


def discard(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Give back memory and temporary files."""
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)
