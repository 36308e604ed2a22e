"""The catalog of a server of Spark's: a level is asked for when it is unfolded, beside the kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from widgets.base.worker import Tell, Worker
from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session, refuse_secrets
from workbench.data.reading.spark_catalog import DEPTH, below, columns, records, table_name


class Catalog(Worker):
    """One question at a time; a newer one stops the older in the server, too. `told` sends to the views.

    What is known of a server is names, types and numbers of records. It is never kept, and no value is asked for.
    """

    def __init__(self, told: Callable[..., object], failed: Callable[[BaseException], object]) -> None:
        super().__init__(self._went_wrong)
        self._told, self._say = told, failed

    def look(self, content: Mapping[str, Any]) -> None:
        """What is below a path: names, or of a table first its columns and then its records."""
        remote, path = _place(content)

        def job(cancel: threading.Event, tell: Tell) -> None:
            session = Session.opened(remote)
            if len(path) < DEPTH:
                tell(self._found, remote, path, {"names": below(session, path)})
                return
            tell(self._found, remote, path, {"columns": columns(session, path), "records": None})
            tell(self._found, remote, path, {"records": records(session, path)})

        self.start(job)

    def data(self, content: Mapping[str, Any]) -> dict[str, str]:
        """The data of a study, from the path of a table."""
        remote, path = _place(content)
        if len(path) != DEPTH:
            raise BadInput("choose a table")
        self.forget()
        return {"spark": table_name(path), "remote": remote}

    def _found(self, remote: str, path: list[str], what: Mapping[str, Any]) -> None:
        self._told("found", remote=remote, path=path, **what)

    def _went_wrong(self, error: BaseException) -> None:
        self._told("stopped")
        self._say(error)


def _place(content: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The server and the path of a message."""
    remote, path = str(content.get("remote") or "").strip(), content.get("path") or []
    refuse_secrets(remote)
    if not isinstance(path, list) or len(path) > DEPTH or not all(isinstance(part, str) and part for part in path):
        raise BadInput("a table has a catalog, a schema and a name")
    return remote, path
