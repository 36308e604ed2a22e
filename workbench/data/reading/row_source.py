"""Files that are read row by row: workbooks and SQLite. Values become text, and types are found as in CSV."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput
from workbench.data.reading.dialect import refuse_duplicates
from workbench.data.reading.source import FIELDS, ROWS, Source


def library(name: str, path: Path, what: str) -> ModuleType:
    """Import an optional library that reads a format."""
    try:
        return importlib.import_module(name)
    except ImportError:
        pass
    raise BadInput(f"{path}: {what} files are read with {name}; install it with: pip install {name}")


class RowSource(Source):
    """A table whose values have no reliable types."""

    typed = False

    def __init__(self, where: str, private: PrivateConnection) -> None:
        super().__init__(where, private)
        self.names = []

    @abstractmethod
    def rows(self, positions: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield the values of some columns, a row per record."""

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        if not columns:
            raise BadInput(f"{self.where}: no column is left to read; choose at least one")
        found = self.rows([self._position(name) for name in columns])
        size, read = min(rows, FIELDS // len(columns) + 1), 0
        while some := list(islice(found, size)):
            read += len(some)
            arrays = [pa.array(map(self._text, values), pa.string()) for values in zip(*some, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, names=columns)
        if not read:
            raise BadInput(f"{self.where}: there are no records; choose a table with at least one")

    def _text(self, value: Any) -> str | None:
        """Return a value as in a CSV file."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bytes):
            raise BadInput(f"{self.where}: a column has binary values; remove it from the file")
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return str(int(value))
        if isinstance(value, datetime) and value.time() == time():
            return value.date().isoformat()
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    def _named(self, names: Sequence[str]) -> list[str]:
        found = [name or f"column {place}" for place, name in enumerate(names, 1)]
        refuse_duplicates(found, self.where)
        return found
