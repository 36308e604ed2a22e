"""Choose a table of a file: the only one, or the named one."""

from __future__ import annotations

import importlib
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pyarrow as pa

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput, Fix, safe_repr, suggest
from workbench.data.reading.csv_files import refuse_duplicates
from workbench.data.reading.source import FIELDS, ROWS, FrameSource, Source

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


# Files that are read row by row: workbooks and SQLite. Values become text, and types are found as in CSV.


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


# A sheet of a workbook (.xlsx) as a source, read by openpyxl if that is installed.


class XlsxSource(RowSource):
    """A sheet: the first row that is not empty has the column names, unless there is no header."""

    def __init__(self, path: Path, table: str | None, private: PrivateConnection, header: bool = True) -> None:
        super().__init__(str(path), private)
        openpyxl = library("openpyxl", path, "Excel")
        failure = None
        try:
            self._book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except Exception:  # openpyxl raises its own exceptions, zipfile's and those of its XML parser
            failure = BadInput(f"{path}: not a valid Excel workbook (.xlsx); save it again, or as CSV")
        if failure:
            raise failure
        sheets = [sheet for sheet in self._book.worksheets if next(_filled(sheet), None) is not None]
        name = choose_table(path, [sheet.title for sheet in sheets], table)
        self._sheet = next(sheet for sheet in sheets if sheet.title == name)
        self.where = f"{path}, sheet {name}" if len(self._book.sheetnames) > 1 else str(path)
        first = [*next(_filled(self._sheet))]
        while first and first[-1] is None:
            first.pop()
        self._header = header
        self.names = self._named([(self._text(one) or "").strip() if header else "" for one in first])

    def close(self) -> None:
        self._book.close()
        super().close()

    def rows(self, positions: Sequence[int]) -> Iterator[Sequence[Any]]:
        for row in islice(_filled(self._sheet), int(self._header), None):
            if any(value is not None for value in row[len(self.names) :]):
                raise BadInput(
                    f"{self.where}: a record has more fields than the first row; add the missing names there"
                )
            yield [row[i] if i < len(row) else None for i in positions]


def _filled(sheet: Any) -> Iterator[Sequence[Any]]:
    """Return the rows of a sheet that are not empty."""
    return (row for row in sheet.iter_rows(values_only=True) if any(value is not None for value in row))


# A table or view of a SQLite file as a source. Files are opened read-only.

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


# Stata, SPSS and SAS files as a source, read by pyreadstat if that is installed.

READERS = {
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
USUAL = {"stata": ".dta", "spss": ".sav", "sas": ".sas7bdat"}
CALLED = {"stata": "Stata", "spss": "SPSS", "sas": "SAS"}


class LabelledSource(FrameSource):
    """A table with labels instead of codes; values that the file declares as missing are missing."""

    def __init__(self, path: Path, format: str, private: PrivateConnection, encoding: str | None = None) -> None:
        pyreadstat = library("pyreadstat", path, CALLED[format])
        read = READERS.get(path.suffix.lower(), READERS[USUAL[format]])
        options = {} if encoding is None or read == READERS[".por"] else {"encoding": encoding}
        failure = None
        try:
            frame, about = getattr(pyreadstat, read)(str(path), **options)
        except (pyreadstat.ReadstatError, OSError, UnicodeError, ValueError):
            failure = BadInput(f"{path}: not a valid {CALLED[format]} file; write it again, or set {Fix.ENCODING}")
        if failure:
            raise failure
        labels = {name: about.variable_value_labels.get(name, {}) for name in frame.columns}
        super().__init__(pd.DataFrame({name: labelled(frame[name], labels[name]) for name in frame.columns}), private)
        self.where = str(path)
        for name, known in labels.items():
            if known and (rest := len(set(frame[name].dropna().unique()) - set(known))):
                used = (
                    "their codes are text" if is_coded(frame[name], known) else "the labels of the others are not used"
                )
                self.notes.append(f"{name}: {rest:,} values have no label; {used}")


def is_coded(values: pd.Series, labels: Mapping[Any, str]) -> bool:
    """Return whether most values have a unique label; otherwise they are numbers with a few special codes."""
    present = set(values.dropna().unique())
    known = present & set(labels)
    return len(known) > len(present) / 2 and len({labels[one] for one in known}) == len(known)


def labelled(values: pd.Series, labels: Mapping[Any, str]) -> pd.Series:
    """Replace codes with their labels."""
    if not labels or not is_coded(values, labels):
        return values
    names = {
        one: labels.get(one, f"{one:g}" if isinstance(one, float) else str(one)) for one in values.dropna().unique()
    }
    return values.map(names).astype("str")
