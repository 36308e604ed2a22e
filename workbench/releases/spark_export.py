"""A release that Spark writes, to a table or a folder of its own: counted again before it has its name."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.progress import checkpoint
from workbench.data.column import unused_name
from workbench.data.engines.spark import Spark
from workbench.data.engines.spark_writing import Aside, is_folder, is_text, released, whole
from workbench.releases.codebook import as_rows
from workbench.releases.export import ColumnValues, EngineRecords, Rows, text_of
from workbench.releases.recount import expected, sums

if TYPE_CHECKING:
    from workbench.releases.base import Release

IN_SPARK = "spark:"  # prefix of targets in Spark


def write_in_spark(release: Release, name: str, smallest: int, *, defuse: bool, stars: bool) -> list[Path]:
    """Write all tables of a release and its codebook; none gets its name before its records were verified."""
    where = f"{IN_SPARK}{name}"
    if stars:
        raise BadInput(f"{where}: rows of * are only written to files; leave stars out, or name a file")
    if defuse and not is_text(name):
        raise BadInput(f"{where}: only CSV is protected from formulas; leave defuse out")
    tables, books = release.rows(), release.codebook(smallest)
    held = next((rows.held for rows in tables.values() if rows.held), None)
    engine = held.engine if held else None
    if not isinstance(engine, Spark):
        raise BadInput(f"{where}: only a release of records in Spark can be written there; name a file")
    targets: dict[str, Rows] = {}
    for table, rows in tables.items():
        targets[name if len(tables) == 1 else _sibling(name, table, targets)] = rows
    if books:
        targets[_sibling(name, "codebook", targets)] = as_rows(books)
    with ExitStack() as all_or_none:
        for target, rows in targets.items():
            aside = all_or_none.enter_context(whole(engine.session, target))
            rows = rows.defused() if defuse else rows
            values = [_array(column, is_text(target)) for column in rows.columns]
            names = [column.name for column in rows.columns]
            if rows.held is None:
                aside.write(engine.session.upload(_table(rows, values)).toDF(*names))
            else:
                checkpoint(f"{engine.records:,} records, written by Spark")
                aside.write(released(engine, values, rows.held.names, rows.held.partition).toDF(*names))
                _recount(engine, aside, values, rows.held)
    return [Path(f"{IN_SPARK}{target}") for target in targets]


def _sibling(name: str, table: str, taken: Container[str]) -> str:
    """Return the name of one of several tables: a folder next to the others, or a table in the same schema."""
    safe, path = re.sub(r"\W+", "_", table), Path(name)
    target = str(path.with_stem(f"{path.stem}-{safe}")) if is_folder(name) else f"{name}_{safe}"
    return unused_name(target, taken)


def _array(column: ColumnValues, as_text: bool) -> pa.Array:
    """The distinct values of a column, in the types of a file of Parquet, or as a file of CSV has them."""
    if as_text:
        return text_of(column.values)(column.values).cast(pa.string())
    found = pa.array(column.values, from_pandas=True)
    return found.cast(pa.string()) if pa.types.is_large_string(found.type) or pa.types.is_null(found.type) else found


def _table(rows: Rows, values: Sequence[pa.Array]) -> pa.Table:
    """A table that is no list of records: counts of sensitive values."""
    codes = [np.concatenate(parts) for parts in zip(*rows.batches(), strict=True)]
    return pa.table({f"v{i}": one.take(pa.array(at)) for i, (one, at) in enumerate(zip(values, codes, strict=True))})


def _recount(engine: Spark, aside: Aside, values: Sequence[pa.Array], held: EngineRecords) -> None:
    """Raise BadInput unless what was written is the release; else the table has changed meanwhile."""
    checkpoint(f"{engine.records:,} records, counted again")
    written = aside.read()
    written = written.toDF(*(f"v{i}" for i in range(len(held.names))))
    for wanted in map(sums, expected(held, values)):
        keys = [name for name in wanted.column_names if name != "count"]
        query = written.groupBy(*keys).count() if keys else written.selectExpr("count(*) AS count")
        if not sums(engine.session.ask(query).cast(wanted.schema)).equals(wanted):
            raise engine.changed()
