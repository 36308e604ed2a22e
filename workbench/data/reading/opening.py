"""Open the source of a table: a path, a frame, a query, or a table in Spark."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from workbench.base.connection import PrivateConnection, SharedConnection
from workbench.base.errors import BadInput, Fix, safe_repr, suggest
from workbench.data.reading.arrow_file import CALLED as ARROW_FILES
from workbench.data.reading.arrow_file import ArrowFileSource
from workbench.data.reading.duckdb_file import TableSource
from workbench.data.reading.formats import DATABASE, WITH_TABLES, file_format, refuse_address
from workbench.data.reading.labelled_file import CALLED as LABELLED_FILES
from workbench.data.reading.labelled_file import LabelledSource
from workbench.data.reading.parts import ParquetParts, TextParts, is_many, part_files
from workbench.data.reading.source import CsvSource, FileSource, FrameSource, Query, QuerySource, Source
from workbench.data.reading.spark_source import NAMED, is_frame, spark_frame, spark_table
from workbench.data.reading.sqlite_file import SqliteSource
from workbench.data.reading.xlsx_file import XlsxSource

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
