"""Which source it is that somebody names: a path, a frame, a query, or a table in Spark."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa

from workbench.base.connection import Private, Shared
from workbench.base.errors import BadInput, meant, said
from workbench.data.reading.duckdb_file import TableSource
from workbench.data.reading.formats import DATABASE, file_format
from workbench.data.reading.source import CsvSource, FileSource, FrameSource, Query, QuerySource, Source
from workbench.data.reading.spark_source import NAMED, is_frame, spark_frame, spark_table

SMALL = 4_000_000  # bytes of a file that is read on the connection of the process: it takes no memory worth a limit


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
    """The source of a path, a frame, an Arrow table, a query, a DataFrame of Spark's or `spark:` and the name of a
    table there, on the server `remote`; what is not said about a text file is found. `table` is one of those in a file
    of DuckDB's."""
    if not isinstance(header, bool):
        raise BadInput(f"header = {said(header)} must be True or False: whether the first line names the columns")
    if isinstance(data, str) and data.startswith(NAMED):
        return spark_table(data.removeprefix(NAMED), remote)
    if is_frame(data):
        return spark_frame(data)
    alone = memory_limit is not None or temp_directory is not None
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        kind = file_format(path, format)
        if table is not None and kind != DATABASE:
            what = f"table={said(table)} names a table in a file of DuckDB's"
            raise BadInput(f"{path}: {what}, and this is {kind}; leave it out")
        if kind == DATABASE:
            return TableSource(path, table, Private(memory_limit, temp_directory))
        small = path.stat().st_size <= SMALL and not alone
        private = Shared() if small else Private(memory_limit, temp_directory)
        if kind in ("csv", "tsv"):
            delimiter = "\t" if kind == "tsv" and delimiter is None else delimiter
            return CsvSource(path, private, delimiter, quote, encoding=encoding, header=header)
        return FileSource(path, kind, private)
    if isinstance(data, Query):
        return QuerySource(data, Private(memory_limit, temp_directory))
    if not isinstance(data, pd.DataFrame) and hasattr(data, "__arrow_c_stream__"):
        try:
            data = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError):
            raise BadInput(f"a {type(data).__name__} is not a table with named columns; give a frame") from None
    if not isinstance(data, (pd.DataFrame, pa.Table)):
        what = "nothing" if data is None else type(data).__name__
        raise BadInput(
            f"a table is read from a path, a frame of pandas or Spark, an Arrow table or a Query, not from {what}"
        )
    return FrameSource(data, Private(memory_limit, temp_directory) if alone else Shared())


def require_options(given: Iterable[str]) -> None:
    """Raise BadInput for what `open_source` does not know."""
    known = inspect.signature(open_source).parameters
    for name in given:
        if name not in known:
            near = meant(name, [*known, "quasi", "sensitive", "identifiers", "hierarchies"])
            raise BadInput(f"Table.read has no option {name!r}; {near}")
