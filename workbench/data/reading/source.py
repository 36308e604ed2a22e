"""Where a table comes from: a file, a frame or a query, read through DuckDB in batches, in the order of the file."""

from __future__ import annotations

import re
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.connection import Private, discard
from workbench.base.errors import BadInput, columns_meant
from workbench.data.engines import Coding
from workbench.data.reading.arrow import as_arrow, refuse_type
from workbench.data.reading.dialect import blocks, find_dialect, find_encoding, refuse_duplicates, to_utf8
from workbench.data.reading.scan import scanned

ROWS = 262_144
FIELDS = 16 * ROWS  # in one batch at most
CSV_COLUMN = 200_000  # what each column needs beside that
CSV_MEMORY = 128_000_000  # DuckDB keeps every buffer of a file read in order until this is full


@dataclass(frozen=True)
class Query:
    """A SELECT for DuckDB, on a connection of the caller's or on an empty one of its own.

    On its own it reads files of a `folder` alone, if one is given: what a study asks is not always the caller's wish.
    """

    sql: str
    connection: duckdb.DuckDBPyConnection | None = None
    folder: str | None = None
    seconds: float | None = None  # after which it is given up


class Source:
    """Named columns that can be read once, batch by batch, in a stable order."""

    where: str
    names: list[str]
    typed = True
    engine = "memory"  # where its records live, unless another is asked for
    records: int | None = None  # where it is known beforehand
    notes: list[str]
    temp_directory: Path | None = None

    def __init__(self, where: str, private: Private) -> None:
        self.where, self.notes, self._connection = where, [], private.connection
        self.memory_limit, self.temp_directory = private.memory_limit, private.directory.parent
        self._discard = weakref.finalize(self, discard, private.connection, private.directory)

    def close(self) -> None:
        """Give back memory and temporary files; happens by itself when the source is no longer used."""
        self._discard()

    def interrupt(self) -> None:
        """Stop what is being read; whoever waits for it hears that it cannot be."""
        self._connection.interrupt()

    def refuse_late(self) -> None:
        """Raise BadInput when this has taken longer than it may."""

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """The records of some columns; BadInput when there are none or when one cannot be read."""
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
        if failure:  # outside the except: DuckDB's message quotes the record, and must not be seen behind ours
            raise failure
        if not read:
            raise BadInput(f"{self.where}: there are no records")
        if self.records not in (None, read):
            raise BadInput(f"{self.where}: DuckDB read {read:,} of {self.records:,} records; write the file again")

    def coding(self, names: list[str]) -> Coding:
        """What asks for the values of these columns where the records stay; of Spark's tables alone."""
        raise BadInput(
            f"{self.where}: engine='spark' is for tables that are in Spark, such as 'spark:catalog.db.people'; "
            "say engine='duckdb'"
        )

    def unreadable(self, columns: list[str]) -> dict[str, str]:
        """What is wrong with columns that cannot be read, where that is known beforehand."""
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
        """The columns that hold text."""
        return [name for i, name in enumerate(self.names) if not self.typed or _is_text(self._schema.field(i).type)]

    def _refuse(self, position: int) -> None:
        """Raise BadInput for a column whose type no table can hold; text has none yet."""
        if self.typed:
            refuse_type(self._place(position), self._schema.field(position).type)

    def _place(self, position: int) -> str:
        return f"{self.where}, column {self.names[position]!r}"

    @cached_property
    def _schema(self) -> pa.Schema:
        """The types of all columns, as they are read."""
        failure = None
        try:
            return self._relation([*range(len(self.names))]).limit(0).to_arrow_table().schema
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            failure = self._explained(str(error))
        raise failure

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise BadInput(f"{self.where}: there is no column {name!r}; {columns_meant(name, self.names)}")
        return self.names.index(name)

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        """These columns, read again from the start."""
        raise NotImplementedError

    def _explained(self, message: str) -> BadInput:
        """Our words for DuckDB's, without the values that it quotes."""
        if message.startswith("Out of Memory"):
            return BadInput(f"{self.where}: the memory limit is too small to read this; raise memory_limit=")
        return self._because(message)

    def _because(self, message: str) -> BadInput:
        return BadInput(f"{self.where}: it cannot be read ({message.split(':')[0].strip()[:60]})")


class CsvSource(Source):
    """Delimited text. Every field stays text: types are found from the distinct values of the whole file."""

    typed = False

    def __init__(self, path: Path, private: Private, delimiter: str | None, quote: str | None, **text: Any) -> None:
        super().__init__(str(path), private)
        self._path = path
        encoding, self.notes = find_encoding(path, text["encoding"])
        if encoding != "utf-8":
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
            self.notes.append("blanks around the names of columns are left out")
        if self._scanned.spaced:
            self.notes.append("a blank follows every delimiter; it is left out, and only further ones stay")

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        # DuckDB never sees the names: it holds `a` and `A` to be the same.
        # parallel = false: the parallel reader of DuckDB 2.0 takes some line ends inside quotes for ends of records.
        # strict_mode = false: the strict one refuses other line ends within quotes; what it would find, the scan does.
        # OFFSET, not skip, for the header: skip counts lines, and a name may have several.
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
            "packed": "gzip" if self._path.suffix.lower() == ".gz" else "none",
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
            return BadInput(f"{self.where}: a record is longer than 2 MB; a quote may be out of place")
        return BadInput(
            f"{self.where}: it cannot be split into lines; if their ends are of several kinds, write it again"
        )


class FileSource(Source):
    """Parquet or JSON."""

    def __init__(self, path: Path, format: str, private: Private) -> None:
        super().__init__(str(path), private)
        self._path, self._format, failure = path, format, None
        try:
            if path.suffix.lower() == ".gz":
                deque(blocks(path), maxlen=0)  # DuckDB would say nothing of a file that is cut off
            self._written = pq.read_schema(path) if format == "parquet" else None
            self._whole = self._opened(private)
            self._fields = self._whole.columns
            self.names = self._written.names if self._written else self._fields
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        refuse_duplicates(self.names, self.where)
        if format == "json" and self._fields == ["json"]:
            raise BadInput(f"{path}: there are no records; JSON must hold objects, one a record")

    def _opened(self, private: Private) -> duckdb.DuckDBPyRelation:
        params: dict[str, Any] = {"path": literal(self._path)}
        if self._written:
            return private.connection.sql("SELECT * FROM read_parquet($path, hive_partitioning = false)", params=params)
        sql = "SELECT * FROM read_json($path, {} hive_partitioning = false)"
        found = private.connection.sql(sql.format("sample_size = -1,"), params=params)
        fields = dict(zip(found.columns, map(str, found.types), strict=True))
        if not {"UUID", "TIME"} & {*fields.values()}:
            return found
        params["fields"] = {name: "VARCHAR" if kind in ("UUID", "TIME") else kind for name, kind in fields.items()}
        return private.connection.sql(sql.format("columns = $fields,"), params=params)  # text stays as it is written

    def _refuse(self, position: int) -> None:
        place = self._place(position)
        if self._written and pa.types.is_duration(self._written.field(position).type):  # DuckDB would read a number
            refuse_type(place, self._written.field(position).type)
        if self._format == "json" and str(self._whole.types[position]) == "JSON":
            raise BadInput(
                f"{place}: values of different types; make them all numbers or all text, or leave the column out"
            )
        super()._refuse(position)

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _because(self, message: str) -> BadInput:
        line = re.search(r"line (\d+)", message)
        place = f"{self.where}, near line {line[1]}" if line else self.where
        kind = {"parquet": "Parquet", "json": "JSON"}[self._format]
        return BadInput(f"{place}: not valid {kind}; write the file again, or say format= if it is something else")


class FrameSource(Source):
    """A pandas frame or a pyarrow table; the index of a frame is no column."""

    def __init__(self, data: pd.DataFrame | pa.Table, private: Private) -> None:
        super().__init__("the frame" if isinstance(data, pd.DataFrame) else "the table", private)
        self._data = data
        self._arrays: dict[int, pa.Array | pa.ChunkedArray] = {}
        self.names = [str(n) for n in (data.columns if isinstance(data, pd.DataFrame) else data.column_names)]
        refuse_duplicates(self.names, self.where)

    def _refuse(self, position: int) -> None:
        self._array(position)

    def _array(self, i: int) -> pa.Array | pa.ChunkedArray:
        """One column; made once, since it is looked at before it is read."""
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
    """The answer of a SELECT."""

    def __init__(self, query: Query, private: Private) -> None:
        super().__init__("the query", private)
        connection, failure = query.connection or private.connection, None
        self._seconds, self._begun = query.seconds, time.monotonic()
        self._connection = connection
        if query.connection is None and query.folder is not None:
            private.confine(query.folder)
        try:
            statements = connection.extract_statements(query.sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise BadInput("the query must be one SELECT; run other statements beforehand on the connection")
            self._whole = connection.sql(query.sql)
            self.names = self._whole.columns
        except duckdb.Error as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        refuse_duplicates(self.names, self.where)

    def refuse_late(self) -> None:
        """Raise BadInput when this has taken longer than it may."""
        if self._seconds is not None and time.monotonic() - self._begun > self._seconds:
            raise BadInput(
                f"the query was given up after {self._seconds:g} seconds; make it simpler, or allow it more seconds"
            )

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))

    def _because(self, message: str) -> BadInput:
        if message.startswith("Permission"):
            return BadInput(
                "the query reads what lies outside the folder of its study; put the file there and give its whole "
                "path, or name it as data: {path: ...} instead"
            )
        # What parser, binder and catalog say is about the query; what execution says may quote a record.
        about_sql = message.startswith(("Parser", "Binder", "Catalog"))
        return BadInput(f"the query cannot be run; correct it: {message if about_sql else message.split(':')[0]}")


def select_list(relation: duckdb.DuckDBPyRelation, positions: Iterable[int]) -> str:
    """A select list; what Arrow would turn into dictionaries becomes text."""
    parts = []
    for i in positions:
        name, kind = '"' + relation.columns[i].replace('"', '""') + '"', relation.types[i]
        if kind.id == "enum":
            name = f"CAST({name} AS VARCHAR) AS c{i}"
        parts.append(name)
    return ", ".join(parts)


def literal(path: Path) -> str:
    """The path with characters that DuckDB would take for a pattern escaped."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _is_text(kind: pa.DataType) -> bool:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(plain) or pa.types.is_large_string(plain) or pa.types.is_string_view(plain)
