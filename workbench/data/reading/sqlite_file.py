"""A table or view of a SQLite file as a source. Files are opened read-only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput, Fix
from workbench.data.reading.row_source import RowSource
from workbench.data.reading.table_choice import choose_table

LISTED = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SqliteSource(RowSource):
    """A table or view of a SQLite file."""

    def __init__(self, path: Path, table: str | None, private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        failure = None
        try:
            self._file = _connected(path)
            tables = [name for (name,) in self._file.execute(f"{LISTED} ORDER BY name")]
            self._table = choose_table(path, tables, table)
            self.where = f"{path}, table {self._table}" if len(tables) > 1 else str(path)
            with closing(self._file.execute(f"SELECT * FROM {_quoted(self._table)} LIMIT 0")) as found:
                self.names = self._named([name for name, *_ in found.description])
        except sqlite3.Error as error:
            failure = self._because(str(error))
        if failure:
            raise failure

    def close(self) -> None:
        self._file.close()
        super().close()

    def interrupt(self) -> None:
        self._file.interrupt()

    def rows(self, positions: Sequence[int]) -> Iterator[Sequence[Any]]:
        failure = None
        try:
            with closing(self._file.execute(f"SELECT * FROM {_quoted(self._table)}")) as found:
                for row in found:
                    yield [row[i] for i in positions]
        except sqlite3.Error as error:
            failure = self._because(str(error))
        if failure:  # outside the except: the context would contain the message, which may quote a value
            raise failure

    def _because(self, message: str) -> BadInput:
        if "not a database" in message:
            return BadInput(f"{self.where}: not a SQLite file; if it is a DuckDB file, use {Fix.FORMAT('duckdb')}")
        if "locked" in message:
            return BadInput(f"{self.where}: another program is writing to the file; close it there, then try again")
        return BadInput(f"{self.where}: SQLite cannot read the file; check it with PRAGMA integrity_check")


def _connected(path: Path) -> sqlite3.Connection:
    # batches are read in another thread than the one that checks for cancellation
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
