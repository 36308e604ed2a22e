"""Verification of a written release before it gets its name: classes and sensitive values are counted again.

Every figure of classes is computed from these counts: k, l and t.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput
from workbench.base.progress import checkpoint, run_interruptible
from workbench.data.engines.remote import RemoteEngine
from workbench.data.reading.source import literal
from workbench.releases.export import EngineRecords, Rows, text_of

MEMORY = "150MB"
TEXT = (
    "read_csv($path, columns = $fields, auto_detect = false, strict_mode = false, null_padding = false, "
    "parallel = false, header = false, delim = ',', quote = '\"', escape = '\"', new_line = '\\n', "
    "force_not_null = $names, compression = 'none', hive_partitioning = false) OFFSET 1"
)


def expected(held: EngineRecords, values: Sequence[pa.Array]) -> Iterator[pa.Table]:
    """Yield the number of records by class and by the values of each sensitive column; by class only, if there is none.

    `values` are those of the written columns, v0, v1, ...; the last column is their `count`. Classes may be identical.
    """
    classes = [i for i, name in enumerate(held.names) if name is None]
    sensitive = [i for i, name in enumerate(held.names) if name in held.partition.others]
    for i in sensitive or [-1]:
        many = len(values[i]) if sensitive else 1
        counts = held.partition.counts(held.names[i] if sensitive else None, many)
        nonempty = np.flatnonzero(counts)
        places = {one: nonempty // many for one in classes} | ({i: nonempty % many} if sensitive else {})
        shown = {f"v{one}": pa.DictionaryArray.from_arrays(at, values[one]) for one, at in places.items()}
        yield pa.table({**shown, "count": counts[nonempty]})


def sums(table: pa.Table) -> pa.Table:
    """Return counts by all other columns, sorted."""
    kinds = {one.name: one.type.value_type if pa.types.is_dictionary(one.type) else one.type for one in table.schema}
    table = table.cast(pa.schema(kinds))
    names = [name for name in table.column_names if name != "count"]
    if not names:
        return pa.table({"count": [sum(table["count"].to_pylist())]})
    found = table.group_by(names).aggregate([("count", "sum")]).select([*names, "count_sum"])
    return found.rename_columns([*names, "count"]).sort_by([(name, "ascending") for name in names]).combine_chunks()


def refuse_other(path: Path, rows: Rows, target: Path) -> None:
    """Raise BadInput unless the file at `path`, which will become `target`, has the records of the release.

    Records in memory need no verification: the written arrays are those from which the classes were counted.
    """
    if rows.held is None or not isinstance(held_in := rows.held.engine, RemoteEngine):
        return
    checkpoint("what was written, counted again")
    values = _texts(rows) if target.suffix == ".csv" else [pa.array(v, from_pandas=True) for _, v in rows.columns]
    names = [f"v{i}" for i in range(len(values))]
    given: dict[str, object] = {"path": literal(path)}
    found_in = "read_parquet($path, hive_partitioning = false)"
    if target.suffix == ".csv":
        found_in, given = TEXT, {**given, "fields": dict.fromkeys(names, "VARCHAR"), "names": names}
    records = f"(SELECT * FROM {found_in}) AS t({', '.join(names)})"
    with PrivateConnection(MEMORY, path.parent) as engine:
        try:
            other = any(_differ(engine, records, given, wanted) for wanted in expected(rows.held, values))
            wrong = "is not the release" if other else ""
        except (duckdb.Error, pa.ArrowException):
            wrong = "cannot be counted again"
    if wrong and held_in.may_change:
        raise held_in.changed()
    if wrong:
        raise BadInput(
            f"{target}: what was written {wrong}, so it was removed; see that the disk is sound and has room, and "
            "write it again"
        )


def _texts(rows: Rows) -> list[pa.Array]:
    return [pc.fill_null(text_of(one.values)(one.values), "") for one in rows.columns]


def _differ(engine: duckdb.DuckDBPyConnection, records: str, given: Mapping[str, object], wanted: pa.Table) -> bool:
    """Return whether any count differs from the expected one."""
    keys = [name for name in wanted.column_names if name != "count"]
    engine.register("wanted", wanted)
    positive, negative = ", ".join([*keys, "1 AS n"]), ", ".join([*keys, '-"count" AS n'])
    # A sum of hashes needs no memory, however many classes there are; it misses a difference once in 2^64 times.
    key = f"CAST(hash({', '.join([*keys, repr(secrets.token_hex(8))])}) AS HUGEINT)"
    relation = engine.sql(
        f"SELECT sum({key} * n) FROM (SELECT {positive} FROM {records} UNION ALL SELECT {negative} FROM wanted)",
        params=given,
    )
    return bool(run_interruptible(relation.fetchall, engine.interrupt)[0][0])
