"""Sources of tables: a file, a frame or a query, read through DuckDB in batches, in the order of the records."""

from __future__ import annotations

import re
import shutil
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from workbench.base.connection import PrivateConnection, discard
from workbench.base.errors import BadInput, Fix, suggest_column
from workbench.data.engines import CodeAssigner
from workbench.data.reading.csv_files import find_dialect, find_encoding, refuse_duplicates, scanned, to_utf8
from workbench.data.reading.formats import blocks, is_packed, unpack

# Convert frames to Arrow, and refuse mixed, nested and unsupported types before they are read.


def as_arrow(series: pd.Series, place: str) -> pa.Array | pa.ChunkedArray:
    """Return a frame's column as an Arrow array. Python objects must have a single type."""
    kinds = Counter[str]()
    if series.dtype == object:
        kinds.update(map(_kind, series[series.notna()].tolist()))
        if len(kinds) > 1:
            found = " and ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())
            raise BadInput(f"{place}: values of different types, {found}; convert them, for example with .astype(str)")
    failure = None
    try:
        return pa.array(series, from_pandas=True)
    except OverflowError:
        failure = "integers beyond 64 bits; if they are codes, convert them to text with .astype(str)"
    except (pa.ArrowException, ValueError, TypeError):
        failure = f"the pandas type {series.dtype} is not supported; convert it to numbers, dates or text"
        if set(kinds) == {"number"}:
            failure = "numbers of several types, which cannot be stored exactly; if they are codes, convert them to "
            failure += "text with .astype(str), otherwise to floats with .astype(float)"
    raise BadInput(f"{place}: {failure}")


def _kind(value: object) -> str:
    """Return the name of a value's type; all numbers have the same."""
    name = type(value).__name__.rstrip("_")
    if getattr(value, "tzinfo", None) is not None:
        return "datetime with a time zone"
    numbers = not isinstance(value, bool) and (hasattr(value, "__float__") and not isinstance(value, str))
    return "number" if numbers and name != "bool" else {"Timestamp": "datetime"}.get(name, name)


def _called(kind: pa.DataType) -> str:
    """Return the name of a type; for an extension without its storage type."""
    return kind.extension_name if isinstance(kind, pa.BaseExtensionType) else str(kind)


def refuse_type(place: str, kind: pa.DataType) -> None:
    """Raise BadInput for types without an order or a single value."""
    if pa.types.is_dictionary(kind):  # a categorical, possibly of intervals
        kind = kind.value_type
    if pa.types.is_nested(kind):
        raise BadInput(f"{place}: nested values ({kind}); unnest them into columns, or leave the column out")
    if pa.types.is_decimal256(kind):
        raise BadInput(f"{place}: integers beyond 64 bits; if they are codes, convert them to text")
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    odd = pa.types.is_duration(kind) or pa.types.is_interval(kind) or isinstance(kind, pa.BaseExtensionType)
    if binary or odd:
        raise BadInput(
            f"{place}: the type {_called(kind)} is not supported; convert it to numbers, dates or text, "
            "or leave the column out"
        )


GZIP = ".gz"  # DuckDB reads gzip
ROWS = 262_144
FIELDS = 16 * ROWS  # maximum number of fields in a batch
CSV_COLUMN = 200_000  # additional bytes per column
CSV_MEMORY = 128_000_000  # bytes; if a file is read in order, DuckDB keeps every buffer up to this limit


@dataclass(frozen=True)
class Query:
    """A SELECT statement for DuckDB.

    Parameters
    ----------
    sql
        The statement.
    connection
        A connection of the caller. The default is an empty database.
    folder
        Without a connection, only files of this folder can be read: the author of a study is not always the caller.
    seconds
        Maximum time.
    """

    sql: str
    connection: duckdb.DuckDBPyConnection | None = None
    folder: str | None = None
    seconds: float | None = None


class Source:
    """Named columns that can be read once, in batches, in a stable order."""

    where: str
    names: list[str]
    typed = True
    engine = "memory"  # the default engine for its records
    records: int | None = None  # if known in advance
    notes: list[str]
    missing_texts: Sequence[str] = ()  # texts that were read as missing, other than empty cells
    temp_directory: Path | None = None

    def __init__(self, where: str, private: PrivateConnection) -> None:
        self.where, self.notes, self._connection = where, [], private.connection
        self.memory_limit, self.temp_directory = private.memory_limit, private.directory.parent
        self._discard = weakref.finalize(self, discard, private.connection, private.directory)

    def close(self) -> None:
        """Release memory and temporary files; this also happens when the source is garbage collected."""
        self._discard()

    def interrupt(self) -> None:
        """Stop reading; the waiting thread gets an exception."""
        self._connection.interrupt()

    def refuse_late(self) -> None:
        """Raise BadInput if the time limit is exceeded."""

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Yield the records of some columns. Raise BadInput if there are none, or if a column cannot be read."""
        if not columns:
            raise BadInput(f"{self.where}: no column is left to read")
        positions = [self._position(name) for name in columns]
        for i in positions:
            self._refuse(i)
        read, failure = 0, None
        try:
            reader = self._relation(positions).to_arrow_reader(min(rows, FIELDS // len(columns) + 1))
            for batch in reader:
                read += len(batch)
                if len(batch):
                    yield pa.RecordBatch.from_arrays(batch.columns, names=columns)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            failure = self._explained(str(error))
        if failure:  # outside the except: the context would contain DuckDB's message, which quotes the record
            raise failure
        if not read:
            raise BadInput(f"{self.where}: there are no records")
        if self.records not in (None, read):
            raise BadInput(f"{self.where}: only {read:,} of {self.records:,} records were read; write the file again")

    def coding(self, names: list[str]) -> CodeAssigner:
        """Return an object that finds the values of these columns in place; only tables in Spark have one."""
        raise BadInput(
            f"{self.where}: {Fix.ENGINE('spark')} is for tables in Spark, such as 'spark:catalog.db.people'; "
            f"use {Fix.ENGINE('duckdb')}"
        )

    def unreadable(self, columns: list[str]) -> dict[str, str]:
        """Return the problems of columns that are known to be unreadable."""
        found = {}
        for name in columns:
            if name in self.names:
                try:
                    self._refuse(self._position(name))
                except BadInput as error:
                    found[name] = str(error)
        return found

    @property
    def texts(self) -> list[str]:
        """The columns of text."""
        return [name for i, name in enumerate(self.names) if not self.typed or _is_text(self._schema.field(i).type)]

    def _refuse(self, position: int) -> None:
        """Raise BadInput if the type of a column is not supported; untyped text has no type yet."""
        if self.typed:
            refuse_type(self._place(position), self._schema.field(position).type)

    def _place(self, position: int) -> str:
        return f"{self.where}, column {self.names[position]!r}"

    @cached_property
    def _schema(self) -> pa.Schema:
        """The types of all columns as they are read."""
        failure = None
        try:
            return self._relation([*range(len(self.names))]).limit(0).to_arrow_table().schema
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            failure = self._explained(str(error))
        raise failure

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise BadInput(f"{self.where}: there is no column {name!r}; {suggest_column(name, self.names)}")
        return self.names.index(name)

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        """Return these columns, read from the start."""
        raise NotImplementedError

    def _explained(self, message: str) -> BadInput:
        """Replace DuckDB's error: its message may quote values."""
        if message.startswith("Out of Memory"):
            return BadInput(f"{self.where}: the memory limit is too small to read this; increase {Fix.MEMORY_LIMIT}")
        return self._because(message)

    def _because(self, message: str) -> BadInput:
        return BadInput(f"{self.where}: the data cannot be read ({message.split(':')[0].strip()[:60]})")


class CsvSource(Source):
    """Delimited text. Every field is read as text: types are found from the distinct values of the whole file."""

    typed = False

    def __init__(
        self, path: Path, private: PrivateConnection, delimiter: str | None, quote: str | None, **text: Any
    ) -> None:
        super().__init__(str(path), private)
        self._path = path
        encoding, self.notes = find_encoding(path, text["encoding"])
        if encoding != "utf-8" or (is_packed(path) and path.suffix.lower() != GZIP):
            self._path = to_utf8(path, encoding, private.directory / "utf-8.csv")
        self._dialect = find_dialect(self._path, "utf-8", delimiter, quote, text["header"], self.where)
        self.names = self._dialect.names
        private.lower_limit(CSV_MEMORY + CSV_COLUMN * len(self.names))
        found = self._dialect
        self.notes.append(f"delimiter {found.delimiter!r}, quote {found.quote!r}")
        text_blocks = blocks(self._path)
        rules = found.delimiter, found.quote, found.above + found.header, len(self.names), self.where
        self._scanned = scanned(text_blocks, *rules)
        self.records = self._scanned.records
        if found.stripped:
            self.notes.append("blanks around column names are removed")
        if self._scanned.spaced:
            self.notes.append("a blank follows every delimiter; it is removed, further blanks are kept")

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        # DuckDB does not get the names, because it identifies `a` and `A`.
        # parallel = false: the parallel reader of DuckDB 2.0 ends records at some line ends inside quotes.
        # strict_mode = false: strict mode refuses other line ends within quotes; the scan finds the same errors.
        # OFFSET instead of skip for the header: skip counts lines, and a name may have several.
        fields = [f"c{i}" for i in range(len(self.names))]
        found = self._dialect
        options = {
            "path": literal(self._path),
            "fields": {field: "VARCHAR" for field in fields},
            "names": fields,
            "delimiter": found.delimiter,
            "quote": found.quote,
            "above": found.above,
            "end": {"\r": r"\r", "\n": r"\n", "\r\n": r"\r\n"}[self._scanned.end],
            "packed": "gzip" if self._path.suffix.lower() == GZIP else "none",
        }
        bare = "regexp_replace(c{0}, '^ ', '') AS c{0}" if self._scanned.spaced else "c{0}"
        return self._connection.sql(
            f"SELECT {', '.join((bare if i else 'c{0}').format(i) for i in positions)} FROM (SELECT * FROM "
            "read_csv($path, columns = $fields, auto_detect = false, strict_mode = false, null_padding = false, "
            "parallel = false, header = false, delim = $delimiter, quote = $quote, escape = $quote, new_line = $end, "
            "force_not_null = $names, compression = $packed, skip = $above, hive_partitioning = false) "
            f"OFFSET {int(found.header)})",
            params=options,
        )

    def _because(self, message: str) -> BadInput:
        if "Maximum line size" in message:
            return BadInput(f"{self.where}: a record is longer than 2 MB; check for a missing or extra quote")
        return BadInput(f"{self.where}: the lines cannot be separated; if line endings are mixed, write the file again")


class FileSource(Source):
    """A Parquet or JSON file."""

    def __init__(self, path: Path, format: str, private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        self._path, self._format, failure = path, format, None
        try:
            if path.suffix.lower() == GZIP:
                deque(blocks(path), maxlen=0)  # DuckDB does not report a truncated file
            elif is_packed(path):
                self._path = unpack(
                    path, private.directory / "unpacked", shutil.disk_usage(private.directory).free // 2
                )
            self._written = pq.read_schema(path) if format == "parquet" else None
            self._whole = self._opened(private)
            self._fields = self._whole.columns
            self.names = self._written.names if self._written else self._fields
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        refuse_duplicates(self.names, self.where)
        if format == "json":
            self.notes += _renaming_notes(self.names)
        if format == "json" and self._fields == ["json"]:
            raise BadInput(f"{path}: there are no records; JSON must contain an object per record")

    def _opened(self, private: PrivateConnection) -> duckdb.DuckDBPyRelation:
        params: dict[str, Any] = {"path": literal(self._path)}
        if self._written:
            return private.connection.sql("SELECT * FROM read_parquet($path, hive_partitioning = false)", params=params)
        sql = "SELECT * FROM read_json($path, {} hive_partitioning = false)"
        found = private.connection.sql(sql.format("sample_size = -1,"), params=params)
        fields = dict(zip(found.columns, map(str, found.types), strict=True))
        if not {"UUID", "TIME"} & {*fields.values()}:
            return found
        params["fields"] = {name: "VARCHAR" if kind in ("UUID", "TIME") else kind for name, kind in fields.items()}
        return private.connection.sql(sql.format("columns = $fields,"), params=params)  # text is not changed

    def _refuse(self, position: int) -> None:
        place = self._place(position)
        if self._written and pa.types.is_duration(self._written.field(position).type):  # DuckDB would read numbers
            refuse_type(place, self._written.field(position).type)
        if self._format == "json" and str(self._whole.types[position]) == "JSON":
            raise BadInput(
                f"{place}: values of different types; convert all of them to numbers or to text, or remove the column"
            )
        super()._refuse(position)

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _because(self, message: str) -> BadInput:
        line = re.search(r"line (\d+)", message)
        place = f"{self.where}, near line {line[1]}" if line else self.where
        kind = {"parquet": "Parquet", "json": "JSON"}[self._format]
        return BadInput(f"{place}: not valid {kind}; write the file again, or set its format with {Fix.FORMAT}")


class FrameSource(Source):
    """A pandas frame or a pyarrow table; the index of a frame is not a column."""

    def __init__(self, data: pd.DataFrame | pa.Table, private: PrivateConnection) -> None:
        super().__init__("the frame" if isinstance(data, pd.DataFrame) else "the table", private)
        self._data = data
        self._arrays: dict[int, pa.Array | pa.ChunkedArray] = {}
        self.names = [str(n) for n in (data.columns if isinstance(data, pd.DataFrame) else data.column_names)]
        refuse_duplicates(self.names, self.where)

    def _refuse(self, position: int) -> None:
        self._array(position)

    def _array(self, i: int) -> pa.Array | pa.ChunkedArray:
        """Return a column; cached, since it is checked before it is read."""
        if i not in self._arrays:
            place, data = self._place(i), self._data
            column = as_arrow(data.iloc[:, i], place) if isinstance(data, pd.DataFrame) else data.column(i)
            refuse_type(place, column.type)
            self._arrays[i] = column.cast(pa.float32()) if pa.types.is_float16(column.type) else column
        return self._arrays[i]

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        arrays = [self._array(i) for i in positions]
        relation = self._connection.from_arrow(pa.table(arrays, names=[f"c{i}" for i in positions]))
        return relation.project(select_list(relation, range(len(positions))))


class QuerySource(Source):
    """The result of a SELECT statement."""

    def __init__(self, query: Query, private: PrivateConnection) -> None:
        super().__init__("the query", private)
        connection, failure = query.connection or private.connection, None
        self._seconds, self._begun = query.seconds, time.monotonic()
        self._connection = connection
        if query.connection is None and query.folder is not None:
            private.confine(query.folder)
        try:
            statements = connection.extract_statements(query.sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise BadInput("the query must be a single SELECT; run other statements on the connection before")
            self._whole = connection.sql(query.sql)
            self.names = self._whole.columns
        except duckdb.Error as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        refuse_duplicates(self.names, self.where)

    def refuse_late(self) -> None:
        """Raise BadInput if the time limit is exceeded."""
        if self._seconds is not None and time.monotonic() - self._begun > self._seconds:
            raise BadInput(f"the query was stopped after {self._seconds:g} seconds; simplify it, or increase the limit")

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _because(self, message: str) -> BadInput:
        if message.startswith("Permission"):
            return BadInput(
                "the query reads data outside the folder of its study; move the file there and use its absolute "
                "path, or use data: {path: ...} instead"
            )
        # Messages of parser, binder and catalog are about the query; those of the execution may quote a record.
        about_sql = message.startswith(("Parser", "Binder", "Catalog"))
        return BadInput(f"the query is not valid; correct it: {message if about_sql else message.split(':')[0]}")


def select_list(relation: duckdb.DuckDBPyRelation, positions: Iterable[int]) -> str:
    """Return a select list that casts enumerations to text, which Arrow would turn into dictionaries."""
    parts = []
    for i in positions:
        name, kind = '"' + relation.columns[i].replace('"', '""') + '"', relation.types[i]
        if kind.id == "enum":
            name = f"CAST({name} AS VARCHAR) AS c{i}"
        parts.append(name)
    return ", ".join(parts)


def _renaming_notes(names: Sequence[str]) -> list[str]:
    """Return notes on columns that DuckDB renamed in JSON: names that differ only in case, such as `X` and `x`."""
    lower, notes = {name.lower(): name for name in names}, []
    for name in names:
        base = re.sub(r"_\d+$", "", name)
        if base not in (name, *names) and base.lower() in lower:
            notes.append(f"{name}: {base!r} in the file, which differs from {lower[base.lower()]!r} only in case")
    return notes


def literal(path: Path) -> str:
    """Escape the characters of a path that DuckDB would interpret as a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _is_text(kind: pa.DataType) -> bool:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(plain) or pa.types.is_large_string(plain) or pa.types.is_string_view(plain)


# Feather and ORC files, read by pyarrow in batches.

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
            f"{self.where}: not a valid {self._called} file; write it again, or set its format with {Fix.FORMAT}"
        )
