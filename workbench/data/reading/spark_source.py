"""A table in Spark as a source: names and types of columns; records stay there unless another engine is requested."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.base.errors import BadInput, Fix
from workbench.data.engines import CodeAssigner
from workbench.data.engines.spark import SparkCodeAssigner
from workbench.data.engines.spark_session import Session, Unable
from workbench.data.reading.csv_files import refuse_duplicates
from workbench.data.reading.source import ROWS, Source

NAMED = "spark:"  # prefix of tables in Spark
PLACE = re.compile(r"\s*\w+\s*\.\s*`(?:file:(?://)?)?([^`]*)`\s*")  # in a name such as parquet.`/folder/in.parquet`


class SparkSource(Source):
    """A DataFrame, of a session of the caller or of our own."""

    engine = "spark"

    def __init__(self, frame: Any, session: Session, where: str) -> None:
        self.where, self.notes, self.memory_limit = where, [], None
        self._session, self._frame = session, frame
        self._types = session.run(lambda: frame.schema.fields)
        self.names = [str(field.name) for field in self._types]
        refuse_duplicates(self.names, where)

    def close(self) -> None:
        """Do nothing: the session closes when the process ends."""

    def interrupt(self) -> None:
        """Do nothing: running queries are cancelled by their tags."""

    def coding(self, names: list[str]) -> CodeAssigner:
        """Return an object that finds the values of these columns in Spark."""
        if not names:
            raise BadInput(f"{self.where}: no column is left to read")
        positions = [self._position(name) for name in names]
        fields = {name: f"c{i}" for name, i in zip(names, positions, strict=True)}
        return SparkCodeAssigner(self._session, self._plain(positions), fields, self.where)

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Yield all records, for an engine in this process."""
        found = self._session.ask(self._plain([self._position(name) for name in columns]))
        if not len(found):
            raise BadInput(f"{self.where}: there are no records")
        for batch in found.to_batches(rows):
            yield pa.RecordBatch.from_arrays(batch.columns, names=columns)

    def _plain(self, positions: list[int]) -> Any:
        """Select these columns under plain names: Spark identifies `a` and `A`, and a dot in a name separates parts.

        NaN becomes null and -0 becomes 0, which servers would group and join differently.
        """
        listed = []
        for i in positions:
            real = self._schema.field(i).type in (pa.float32(), pa.float64())
            kept = f"CASE WHEN isnan(c{i}) THEN NULL ELSE c{i} + CAST(0 AS {_called(self._types[i])}) END"
            listed.append(f"{kept} AS c{i}" if real else f"c{i}")
        every = self._frame.toDF(*(f"c{i}" for i in range(len(self.names))))
        return every.selectExpr(*listed)

    @cached_property
    def _schema(self) -> pa.Schema:
        from pyspark.errors import PySparkException
        from pyspark.sql.pandas.types import to_arrow_type

        fields = []
        for i, field in enumerate(self._types):
            try:
                kind = to_arrow_type(field.dataType, timezone="UTC")
            except PySparkException:
                kind = pa.list_(pa.null())  # types that Arrow lacks are refused like nested ones
            fields.append(pa.field(f"c{i}", kind))
        return pa.schema(fields)


def _called(field: Any) -> str:
    return str(field.dataType.simpleString())


def spark_table(name: str, remote: str | None) -> SparkSource:
    """Return the table with this name (`catalog.schema.table`) on a Spark Connect server."""
    if not remote:
        raise BadInput(f"{NAMED}{name}: the server is missing; use {Fix.REMOTE('sc://host:15002')}")
    if not name.strip():
        raise BadInput(f"{NAMED} has no table name; use {NAMED}catalog.schema.table")
    session = Session.opened(remote)
    try:
        return SparkSource(session.run(lambda: session.spark.table(name)), session, f"the table {name}")
    except Unable as error:
        raise BadInput(f"{error}; check the name {name}, such as catalog.schema.table") from None


def places_of(name: str) -> list[Path]:
    """Return the file or folder in a table's name, if this process can see it, and everything below it."""
    found = PLACE.fullmatch(name)
    if found is None:
        return []
    place = os.path.realpath(found[1])
    return [Path(place), Path(escape(place)) / "*"]


def is_frame(data: Any) -> bool:
    """Return whether this is a Spark DataFrame of any kind."""
    return any(kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).mro())


def spark_frame(data: Any) -> SparkSource:
    """Return the source for a DataFrame of the caller's session."""
    return SparkSource(data, Session(data.sparkSession), "the frame")


# Catalogs, schemas, tables and columns of a Spark server: names, types and record counts, no values.

DEPTH = 3  # catalog, schema, table
PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ASKED = ("SHOW CATALOGS", "SHOW SCHEMAS IN {}", "SHOW TABLES IN {}")


def below(session: Session, path: Sequence[str]) -> list[str]:
    """Return the names one level below: of the server (an empty path), of a catalog, or of a schema."""
    if len(path) >= DEPTH:
        raise BadInput("a table has no levels below it except its columns; choose a column")
    sql = ASKED[len(path)].format(table_name(path))
    found = session.run(lambda: session.spark.sql(sql).toArrow())
    if len(path) < DEPTH - 1:
        return sorted(_bare(name) for name in found.column(0).to_pylist())
    kept = found.filter([not own for own in found["isTemporary"].to_pylist()])  # of this session only
    return sorted(kept["tableName"].to_pylist())


def columns(session: Session, path: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns of a table with their Spark types."""
    fields = session.run(lambda: session.spark.table(table_name(path)).schema.fields)
    return [(str(field.name), str(field.dataType.simpleString())) for field in fields]


def records(session: Session, path: Sequence[str]) -> int:
    """Return the number of records of a table."""
    found = session.ask(session.spark.table(table_name(path)).selectExpr("count(*) AS n"))
    return int(found["n"][0].as_py())


def table_name(path: Sequence[str]) -> str:
    """Return a path in Spark's notation, with quotes where necessary."""
    return ".".join(part if PLAIN.fullmatch(part) else f"`{part.replace('`', '``')}`" for part in path)


def _bare(name: str) -> str:
    """Remove the quotes that one kind of server adds."""
    return name[1:-1].replace("``", "`") if re.fullmatch(r"`.*`", name, re.DOTALL) else name
