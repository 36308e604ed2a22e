"""A table in Spark as a source: its columns by name and type; the records stay there, unless all are asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.data.engines import Coding
from workbench.data.engines.spark import SparkCoding
from workbench.data.engines.spark_session import Session, Unable
from workbench.data.reading.dialect import refuse_duplicates
from workbench.data.reading.source import ROWS, Source

NAMED = "spark:"  # what a table in Spark is named by
PLACE = re.compile(r"\s*\w+\s*\.\s*`(?:file:(?://)?)?([^`]*)`\s*")  # in a name such as parquet.`/folder/in.parquet`


class SparkSource(Source):
    """`frame` is a DataFrame, of a session of the caller's or of our own."""

    engine = "spark"

    def __init__(self, frame: Any, session: Session, where: str) -> None:
        self.where, self.notes, self.memory_limit = where, [], None
        self._session, self._frame = session, frame
        self._types = session.run(lambda: frame.schema.fields)
        self.names = [str(field.name) for field in self._types]
        refuse_duplicates(self.names, where)

    def close(self) -> None:
        """Nothing is held of the table; the session closes when the process ends."""

    def interrupt(self) -> None:
        """What runs is stopped by its tag."""

    def coding(self, names: list[str]) -> Coding:
        """What asks for the values of these columns, where they are."""
        if not names:
            raise BadInput(f"{self.where}: no column is left to read")
        positions = [self._position(name) for name in names]
        fields = {name: f"c{i}" for name, i in zip(names, positions, strict=True)}
        return SparkCoding(self._session, self._plain(positions), fields, self.where)

    def batches(self, columns: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """All records on this side, for an engine here."""
        found = self._session.ask(self._plain([self._position(name) for name in columns]))
        if not len(found):
            raise BadInput(f"{self.where}: there are no records")
        for batch in found.to_batches(rows):
            yield pa.RecordBatch.from_arrays(batch.columns, names=columns)

    def _plain(self, positions: list[int]) -> Any:
        """These columns by plain names: Spark holds `a` and `A` to be the same, and a dot in a name to be a part.

        A number that is none is null, and -0 is 0, whatever a server makes of them where it groups and joins.
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
                kind = pa.list_(pa.null())  # what Arrow cannot hold is refused as nested values are
            fields.append(pa.field(f"c{i}", kind))
        return pa.schema(fields)


def _called(field: Any) -> str:
    return str(field.dataType.simpleString())


def spark_table(name: str, remote: str | None) -> SparkSource:
    """The table of this name (`catalog.schema.table`), read through a server that speaks Spark Connect."""
    if not remote:
        raise BadInput(f"{NAMED}{name}: say where Spark is: remote='sc://host:15002'")
    if not name.strip():
        raise BadInput(f"{NAMED} names no table; say which: {NAMED}catalog.schema.table")
    session = Session.opened(remote)
    try:
        return SparkSource(session.run(lambda: session.spark.table(name)), session, f"the table {name}")
    except Unable as error:
        raise BadInput(f"{error}; see that {name} is the name of a table there, such as catalog.schema.table") from None


def places_of(name: str) -> list[Path]:
    """The file or folder that a table's name may hold, where this process may see it, and all below it."""
    found = PLACE.fullmatch(name)
    if found is None:
        return []
    place = os.path.realpath(found[1])
    return [Path(place), Path(escape(place)) / "*"]


def is_frame(data: Any) -> bool:
    """Whether this is a DataFrame of Spark's, of whatever kind."""
    return any(kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(data).mro())


def spark_frame(data: Any) -> SparkSource:
    """The DataFrame of a session of the caller's."""
    return SparkSource(data, Session(data.sparkSession), "the frame")
