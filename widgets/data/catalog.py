"""The catalog of a Spark server or a DuckDB file; each level is read in the background when it is unfolded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from widgets.base.worker import CallSoon, Worker
from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session, refuse_secrets
from workbench.data.reading import duckdb_file, spark_source
from workbench.data.reading.formats import DATABASES, file_format
from workbench.data.reading.spark_source import DEPTH


class Catalog(Worker):
    """The catalog, read one level at a time; a newer request cancels an older one, also on the server.

    `send` sends messages to the views; file names are relative to `folder`. Only names, types and numbers of records
    are read, never values, and nothing is stored.
    """

    def __init__(
        self, send: Callable[..., object], failed: Callable[[BaseException], object], folder: Callable[[], str]
    ) -> None:
        super().__init__(self._fail)
        self._send, self._on_error, self._folder = send, failed, folder

    def look(self, content: Mapping[str, Any]) -> None:
        """Read what is below a path: names, or the columns and then the number of records of a table."""
        remote, path = _place(content)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            where, known = self._source(remote)
            if len(path) < DEPTH:
                call_soon(self._found, remote, path, {"names": known.below(where, path)})
                return
            call_soon(self._found, remote, path, {"columns": known.columns(where, path), "records": None})
            call_soon(self._found, remote, path, {"records": known.records(where, path)})

        self.start(job)

    def data(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the data setting of a study for the path of a table."""
        remote, path = _place(content)
        if len(path) != DEPTH:
            raise BadInput("choose a table")
        self.forget()
        if _is_file(remote):
            return {"path": remote, "table": duckdb_file.table_name(path[1:])}
        return {"spark": spark_source.table_name(path), "remote": remote}

    def _source(self, remote: str) -> tuple[Any, Any]:
        """Return the source and the module that reads it."""
        if not _is_file(remote):
            return Session.opened(remote), spark_source
        file_format(place := Path(self._folder()) / remote, None)
        return place, duckdb_file

    def _found(self, remote: str, path: list[str], what: Mapping[str, Any]) -> None:
        self._send("found", remote=remote, path=path, **what)

    def _fail(self, error: BaseException) -> None:
        self._send("stopped")
        self._on_error(error)


def _is_file(remote: str) -> bool:
    return Path(remote).suffix.lower() in DATABASES and "://" not in remote


def _place(content: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the server and the path of a message."""
    remote, path = str(content.get("remote") or "").strip(), content.get("path") or []
    if not _is_file(remote):
        refuse_secrets(remote)
    if not isinstance(path, list) or len(path) > DEPTH or not all(isinstance(part, str) and part for part in path):
        raise BadInput("a table has a catalog, a schema and a name")
    return remote, path
