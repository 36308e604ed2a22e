"""Feather and ORC files, read by pyarrow in batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput, Fix
from workbench.data.reading.dialect import refuse_duplicates
from workbench.data.reading.source import Source, select_list

T = TypeVar("T")
CALLED = {"feather": "Feather", "orc": "ORC"}


class ArrowFileSource(Source):
    """A Feather (version 2) or ORC file."""

    def __init__(self, path: Path, format: str, private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        self._called = CALLED[format]
        self._data = self._readable(lambda: ds.dataset(path, format=format))
        self.names = list(self._data.schema.names)
        refuse_duplicates(self.names, self.where)
        self._whole = self._readable(lambda: private.connection.from_arrow(self._data))

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _readable(self, make: Callable[[], T]) -> T:
        failure = None
        try:
            return make()
        except (pa.ArrowException, OSError, ValueError, duckdb.Error):
            failure = self._because("")
        raise failure

    def _because(self, message: str) -> BadInput:
        return BadInput(
            f"{self.where}: not a valid {self._called} file; write it again, or give its format with {Fix.FORMAT}"
        )
