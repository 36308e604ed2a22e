"""Open the source of a table: a path, a frame, a query, or a table in Spark."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.connection import PrivateConnection, SharedConnection
from workbench.base.errors import BadInput, Fix, safe_repr, suggest
from workbench.data.reading.csv_files import refuse_duplicates
from workbench.data.reading.duckdb_file import TableSource
from workbench.data.reading.formats import (
    DATABASE,
    SUFFIXES,
    WITH_TABLES,
    file_format,
    inner_name,
    refuse_address,
    suffix_of,
)
from workbench.data.reading.row_files import CALLED as LABELLED_FILES
from workbench.data.reading.row_files import LabelledSource, SqliteSource, XlsxSource
from workbench.data.reading.source import CALLED as ARROW_FILES
from workbench.data.reading.source import (
    ROWS,
    ArrowFileSource,
    CsvSource,
    FileSource,
    FrameSource,
    Query,
    QuerySource,
    Source,
    literal,
    select_list,
)
from workbench.data.reading.spark_source import NAMED, is_frame, spark_frame, spark_table

# Tables in several files: a folder or a pattern of partitions, in Parquet or in delimited text.

READ = ("csv", "tsv", "parquet")


def is_many(path: Path) -> bool:
    """Return whether a path is a folder or a pattern instead of a file."""
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):
        return False


def files_of(path: Path) -> list[Path]:
    """Return the sorted files of a folder or a pattern, without hidden files and success markers; none for a file."""
    if not is_many(path):
        return []
    if path.is_dir():
        found = [Path(at) / name for at, _, names in os.walk(path) for name in names]
    else:
        found = [*map(Path, glob(str(path), recursive=True))]
    found = [one for one in found if one.is_file()]
    root = path if path.is_dir() else path.parent
    return sorted(one for one in found if not any(part.startswith((".", "_")) for part in _below(one, root)))


def part_files(path: Path, format: str | None) -> tuple[list[Path], str]:
    """Return the files of a folder or a pattern, and their format."""
    refuse_address(path)
    found = files_of(path)
    if format is None:
        found = [one for one in found if suffix_of(inner_name(one)) in SUFFIXES] if path.is_dir() else found
    if not found:
        what = "this folder has no data file" if path.is_dir() else "no data file matches this pattern"
        raise BadInput(f"{path}: {what}; use a file, a folder or a pattern such as *.csv")
    kinds = sorted({file_format(one, format) for one in found})
    if len(kinds) > 1:
        raise BadInput(f"{path}: files of several formats ({', '.join(kinds)}); use a pattern such as *.{kinds[0]}")
    if kinds[0] not in READ:
        raise BadInput(
            f"{path}: only Parquet, CSV and TSV can be read from several files, not {kinds[0]}; use one of the files"
        )
    return found, kinds[0]


class ParquetParts(Source):
    """Partitions in Parquet; folders such as `year=2024` become columns."""

    def __init__(self, path: Path, files: Sequence[Path], private: PrivateConnection) -> None:
        super().__init__(str(path), private)
        root = path if path.is_dir() else path.parent
        hive = any("=" in part for file in files for part in _below(file, root)[:-1])
        schemas = [self._schema_of(file) for file in files]
        for file, schema in zip(files, schemas, strict=True):
            if not schema.equals(schemas[0]):
                raise BadInput(f"{file}: columns or types differ from those of {files[0]}; make them equal")
        failure = None
        try:
            self._whole = private.connection.sql(
                "SELECT * FROM read_parquet($paths, hive_partitioning = $hive)",
                params={"paths": [literal(file) for file in files], "hive": hive},
            )
        except duckdb.Error as error:
            failure = self._explained(str(error))
        if failure:
            raise failure
        self.names = self._whole.columns
        refuse_duplicates(self.names, self.where)

    def _schema_of(self, file: Path) -> pa.Schema:
        try:
            return pq.read_schema(file).remove_metadata()
        except (pa.ArrowException, OSError):
            pass
        raise BadInput(f"{file}: not valid Parquet; write the file again, or remove it from {self.where}")

    def _relation(self, positions: list[int]) -> duckdb.DuckDBPyRelation:
        return self._whole.project(select_list(self._whole, positions))


class TextParts(Source):
    """Partitions in delimited text, each with a header; they are opened one by one."""

    typed = False

    def __init__(
        self, path: Path, files: Sequence[Path], private: PrivateConnection, open_part: Callable[[Path], Source]
    ) -> None:
        super().__init__(str(path), private)
        self._files, self._open, self._part = files, open_part, open_part(files[0])
        self.names, self.notes = self._part.names, self._part.notes
        self._first: Source | None = self._part

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        for file in self._files:
            part, self._first = self._first or self._open(file), None
            self._part = part
            try:
                if sorted(part.names) != sorted(self.names):
                    raise BadInput(f"{file}: the columns differ from those of {self._files[0]}; make them equal")
                self.notes += [note for note in part.notes if note not in self.notes]
                yield from part.batches(columns, rows)
            finally:
                part.close()

    def interrupt(self) -> None:
        self._part.interrupt()

    def close(self) -> None:
        self._part.close()
        super().close()


def _below(file: Path, root: Path) -> tuple[str, ...]:
    """Return the components of a path below a folder."""
    return file.relative_to(root).parts if file.is_relative_to(root) else (file.name,)


SMALL = 4_000_000  # maximum bytes of a file that is read on the shared connection, without a memory limit


def open_source(
    data: str | os.PathLike[str] | pd.DataFrame | pa.Table | Query,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    remote: str | None = None,
    table: str | None = None,
) -> Source:
    """Open the source of a table.

    Properties of text files are detected unless they are given.

    Parameters
    ----------
    data
        A path, a folder or pattern of partitions (Parquet, CSV, TSV), a frame, an Arrow table, a `Query`, a Spark
        DataFrame, or `spark:` and the name of a table.
    format, delimiter, quote, encoding, header
        Properties of the file.
    memory_limit, temp_directory
        Limits for DuckDB, which reads the file.
    remote
        The address of a Spark Connect server.
    table
        The name of a table in a workbook, or in a SQLite or DuckDB file.
    """
    if not isinstance(header, bool):
        raise BadInput(f"header must be True or False (is the first line the header?), got {safe_repr(header)}")
    if isinstance(data, str) and data.startswith(NAMED):
        return spark_table(data.removeprefix(NAMED), remote)
    if is_frame(data):
        return spark_frame(data)
    alone = memory_limit is not None or temp_directory is not None
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        refuse_address(path)
        text = {"delimiter": delimiter, "quote": quote, "encoding": encoding, "header": header}
        if is_many(path):
            return _open_parts(path, format, text, table, memory_limit, temp_directory)
        kind = file_format(path, format)
        if table is not None and kind not in WITH_TABLES:
            what = f"{Fix.TABLE}{safe_repr(table)} is for workbooks and for SQLite and DuckDB files"
            raise BadInput(f"{path}: {what}, and this is {kind}; remove it")
        private = _connection(path.stat().st_size <= SMALL and kind != DATABASE, memory_limit, temp_directory)
        return _open_file(path, kind, text, table, private)
    if isinstance(data, Query):
        return QuerySource(data, PrivateConnection(memory_limit, temp_directory))
    if not isinstance(data, pd.DataFrame) and hasattr(data, "__arrow_c_stream__"):
        try:
            data = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError):
            raise BadInput(f"{type(data).__name__} is not a table with named columns; use a frame") from None
    if not isinstance(data, (pd.DataFrame, pa.Table)):
        what = "nothing" if data is None else type(data).__name__
        raise BadInput(f"data must be a path, a frame of pandas or Spark, an Arrow table or a Query, got {what}")
    return FrameSource(data, PrivateConnection(memory_limit, temp_directory) if alone else SharedConnection())


def _connection(
    small: bool, memory_limit: str | None, temp_directory: str | os.PathLike[str] | None
) -> PrivateConnection:
    alone = memory_limit is not None or temp_directory is not None
    return SharedConnection() if small and not alone else PrivateConnection(memory_limit, temp_directory)


def _open_file(path: Path, kind: str, text: Mapping[str, Any], table: str | None, private: PrivateConnection) -> Source:
    """Return the source of one file."""
    if kind == DATABASE:
        return TableSource(path, table, private)
    if kind in ("csv", "tsv"):
        delimiter = "\t" if kind == "tsv" and text["delimiter"] is None else text["delimiter"]
        return CsvSource(path, private, delimiter, text["quote"], encoding=text["encoding"], header=text["header"])
    if kind == "xlsx":
        return XlsxSource(path, table, private, text["header"])
    if kind == "sqlite":
        return SqliteSource(path, table, private)
    if kind in ARROW_FILES:
        return ArrowFileSource(path, kind, private)
    if kind in LABELLED_FILES:
        return LabelledSource(path, kind, private, text["encoding"])
    return FileSource(path, kind, private)


def _open_parts(
    path: Path,
    format: str | None,
    text: Mapping[str, Any],
    table: str | None,
    memory_limit: str | None,
    temp_directory: str | os.PathLike[str] | None,
) -> Source:
    """Return the source of a folder or pattern of files."""
    files, kind = part_files(path, format)
    if table is not None:
        raise BadInput(
            f"{path}: {Fix.TABLE}{safe_repr(table)} names a table in one file, and this is {len(files):,}; leave it out"
        )
    private = _connection(False, memory_limit, temp_directory)
    if kind == "parquet":
        return ParquetParts(path, files, private)

    def open_part(file: Path) -> Source:
        small = file.stat().st_size <= SMALL
        return _open_file(file, kind, text, None, _connection(small, memory_limit, temp_directory))

    return TextParts(path, files, private, open_part)


def require_options(given: Iterable[str]) -> None:
    """Raise BadInput for options that `open_source` does not have."""
    known = inspect.signature(open_source).parameters
    for name in given:
        if name not in known:
            near = suggest(name, [*known, "quasi", "sensitive", "identifiers", "hierarchies"])
            raise BadInput(f"Table.read has no option {name!r}; {near}")
