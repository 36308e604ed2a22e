"""A released table as codes in random order, written batch by batch as CSV or Parquet."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput
from workbench.base.progress import checkpoint, run_interruptible
from workbench.base.randomness import operating_system_random
from workbench.data.column import Column
from workbench.data.engines import ClassesOfCells, ClassesOfParts, Engine, RemoteEngine
from workbench.data.reading.source import literal
from workbench.data.table import Table
from workbench.releases.labels import STAR

NONE = np.zeros(0, np.int32)
TEXT = pa.large_string()
BATCH = 1 << 16  # rows, or distinct values, that are converted to text at a time
# Spreadsheets interpret text with these first characters as formulas, also in full-width letters.
FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Characters that some reader interprets as the end of a cell, line or quote, or drops.
QUOTED = "[\",;|\\x00-\\x1f\\x7f\u0085\u2028\u2029]|^[ '\ufeff]| $"


class CodedColumn(NamedTuple):
    """A column: its distinct values, and the code of each record."""

    name: str
    values: pd.Series
    codes: np.ndarray


class ColumnValues(NamedTuple):
    """A column and its distinct values, without the codes of records."""

    name: str
    values: pd.Series


class EngineRecords(NamedTuple):
    """Records in an engine, with the engine's column for each released column (None: the class)."""

    engine: Engine
    names: Sequence[str | None]
    partition: ClassesOfCells | ClassesOfParts


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of a released table, and a function that yields the codes of its records in batches."""

    columns: Sequence[ColumnValues]
    batches: Callable[[], Iterator[list[np.ndarray]]]
    held: EngineRecords | None = None

    @classmethod
    def ordered(cls, columns: Sequence[CodedColumn], order: np.ndarray) -> Rows:
        """Build rows from records in memory, in this order."""

        def batches() -> Iterator[list[np.ndarray]]:
            for start in range(0, len(order), BATCH):
                yield [one.codes[order[start : start + BATCH]] for one in columns]

        return cls([ColumnValues(one.name, one.values) for one in columns], batches)

    @classmethod
    def shuffled(cls, columns: Sequence[CodedColumn]) -> Rows:
        """Build rows in an order that only the operating system knows."""
        return cls.ordered(columns, operating_system_random().permutation(len(columns[0].codes) if columns else 0))

    def frame(self) -> pd.DataFrame:
        """Return all rows in memory."""
        parts: list[list[np.ndarray]] = [[] for _ in self.columns]
        for batch in self.batches():
            for part, codes in zip(parts, batch, strict=True):
                part.append(codes)
        return self._framed(
            one.values.take(np.concatenate(part or [NONE])) for one, part in zip(self.columns, parts, strict=True)
        )

    def first(self) -> pd.DataFrame:
        """Return the first distinct value of each column."""
        return self._framed(one.values.iloc[:1] for one in self.columns)

    def _framed(self, values: Iterable[pd.Series]) -> pd.DataFrame:
        frame = pd.DataFrame(dict(enumerate(column.reset_index(drop=True) for column in values)))
        return frame.set_axis([one.name for one in self.columns], axis=1)

    def defused(self) -> Rows:
        """Return rows with an apostrophe before every text and name that a spreadsheet would interpret as a formula.

        Numbers are unchanged, even if written as text: -5 is not a formula.
        """
        columns = [ColumnValues(_safe(name), _without_formulas(values)) for name, values in self.columns]
        return replace(self, columns=columns)


def write_csv(rows: Rows, file: IO[bytes]) -> None:
    """Write UTF-8 text: missing values are empty, and cells are quoted if a reader could split them."""
    cells = [_cells(column, alone=len(rows.columns) == 1) for column in rows.columns]
    cells[-1] = _joined(cells[-1], "\n")
    names = _quoted(pa.array([one.name for one in rows.columns], TEXT))
    file.write(",".join(names.to_pylist()).encode() + b"\n")
    for batch in rows.batches():
        columns = [one.take(pa.array(codes)) for one, codes in zip(cells, batch, strict=True)]
        lines = _joined(*columns, by=",")
        file.write(memoryview(lines.buffers()[2])[: pc.sum(pc.binary_length(lines)).as_py()])


def write_parquet(rows: Rows, file: IO[bytes]) -> None:
    """Write Parquet with the types of the columns."""
    schema = pa.Schema.from_pandas(rows.first(), preserve_index=False)
    values = [
        pa.array(one.values, type=field.type, from_pandas=True) for one, field in zip(rows.columns, schema, strict=True)
    ]
    with pq.ParquetWriter(file, schema) as writer:
        for batch in rows.batches():
            columns = [one.take(pa.array(codes)) for one, codes in zip(values, batch, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def _cells(column: ColumnValues, alone: bool) -> pa.Array:
    """Return the text of each value in a file; an empty one is quoted if it is the only cell of its row."""
    text, values = text_of(column.values), column.values
    parts = [_quoted(pc.fill_null(text(values.iloc[at : at + BATCH]), "")) for at in range(0, len(values), BATCH)]
    cells = pa.concat_arrays(parts) if parts else pa.array([], TEXT)
    if pc.any(pc.match_substring(cells, "\0")).as_py():
        raise BadInput(f"column {column.name!r} has text with a zero byte, which readers of CSV refuse; write Parquet")
    return pc.if_else(pc.equal(cells, ""), pa.scalar('""', TEXT), cells) if alone else cells


def text_of(values: pd.Series) -> Callable[[pd.Series], pa.Array]:
    """Return a function that formats values of this column: numbers and timestamps as pandas does, all in one
    format."""
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else ""
    if kind == "f":
        return lambda some: pa.array([None if v != v else repr(v) for v in some.tolist()], TEXT)
    if kind == "M":
        known = values.dropna().to_numpy()
        units = ("D", "s", "ms", "us")
        unit = next(unit for unit in units if unit == "us" or (known == known.astype(f"datetime64[{unit}]")).all())
        return lambda some: pc.replace_substring(_moments(some, unit), "T", " ")
    return lambda some: pa.array(some, from_pandas=True).cast(TEXT)


def _moments(values: pd.Series, unit: str) -> pa.Array:
    text = np.datetime_as_string(values.to_numpy().astype(f"datetime64[{unit}]"))
    return pa.array(text.tolist(), TEXT, mask=values.isna().to_numpy())


def _quoted(cells: pa.Array) -> pa.Array:
    """Quote the cells that a reader could split or misread."""
    risky = pc.match_substring_regex(cells, QUOTED)
    if not pc.any(risky).as_py():
        return cells
    return pc.if_else(risky, _joined('"', pc.replace_substring(cells, '"', '""'), '"'), cells)


def _joined(*parts: pa.Array | str, by: str = "") -> pa.Array:
    """Concatenate text element by element; a plain string is repeated in each."""
    return pc.binary_join_element_wise(*(pa.scalar(p, TEXT) if isinstance(p, str) else p for p in (*parts, by)))


def _safe(value: str) -> str:
    return f"'{value}" if FORMULA.match(value) and not NUMBER.fullmatch(value) else value


def _without_formulas(values: pd.Series) -> pd.Series:
    if values.dtype.kind in "iufbM":
        return values
    return values.map(lambda value: _safe(value) if isinstance(value, str) else value)


# Rows of `*` that represent suppressed records in a released file.


def with_suppressed_rows(rows: Rows, kept: int, suppressed: int, as_text: bool) -> Rows:
    """Insert a row of `*` for each suppressed record at random places among the `kept` rows.

    With `as_text`, every cell is `*`; otherwise only cells of text columns are, and the others are empty.
    """
    columns = [ColumnValues(name, _and_one(text(values) if as_text else values)) for name, values in rows.columns]
    nothing = [len(values) for _, values in rows.columns]

    def batches() -> Iterator[list[np.ndarray]]:
        star = np.arange(kept + suppressed) < suppressed
        operating_system_random().shuffle(star)
        waiting, coming = [NONE for _ in columns], rows.batches()
        for start in range(0, len(star), BATCH):
            here = star[start : start + BATCH]
            need = len(here) - np.count_nonzero(here)
            while len(waiting[0]) < need:
                waiting = [np.concatenate(pair) for pair in zip(waiting, next(coming), strict=True)]
            mixed = [np.full(len(here), last, np.int32) for last in nothing]
            for column, codes in zip(mixed, waiting, strict=True):
                column[~here] = codes[:need]
            waiting = [codes[need:] for codes in waiting]
            yield mixed

    return Rows(columns, batches)


def text(values: pd.Series) -> pd.Series:
    """Return values as they are written in CSV."""
    return pd.Series(text_of(values)(values).to_pylist(), dtype=object)


def _and_one(values: pd.Series) -> pd.Series:
    """Append one distinct value: `*` if the values are text, else a missing one."""
    kind = pa.array(values, from_pandas=True).type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind):
        return pd.Series([*values, STAR], dtype=object)
    whole = values.dtype.kind in "iu"  # floats would round large numbers
    longer = (values.astype("Int64") if whole else values).reset_index(drop=True)
    return longer.reindex(range(len(values) + 1))


def find_suppressed_rows(
    table: Table, quasi: Sequence[str], sensitive: Sequence[str], texts: Collection[str], original: Table | None
) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows of a released table that represent suppressed records, and those that may.

    Such rows have `*` in every quasi-identifier and disclose no sensitive value, or, without sensitive columns, no
    neutral value: these are `*`, or missing if the column has no text. They are not a class if some column has a `*`
    that is not a value, or lacks a value that everybody has in the original.
    """
    neutral = [name for name in table.names if name not in (*quasi, *sensitive)]
    silent, shown = np.ones(table.records, bool), np.zeros(table.records, bool)
    for name in quasi:
        silent &= _starred(table, name)
    for name in (*sensitive, *neutral):
        column, known = table.columns[name], original.columns.get(name) if original else None
        star, empty = _starred(table, name), np.zeros(table.records, bool)
        if column.missing and name not in texts:
            empty = table.codes[name] == len(column.values)
        shown |= star & (known is None or not _is_value(known)) | empty & (known is not None and not known.missing)
        if name in sensitive or not sensitive:
            silent &= star | empty
    return silent & shown, silent & ~shown


def _starred(table: Table, name: str) -> np.ndarray:
    labels = [label.strip() == STAR for label in table.columns[name].labels]
    return np.array([*labels, False])[table.codes[name]]


def _is_value(column: Column) -> bool:
    """Return whether the star is a value of the column, or one of its groups."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    return any(STAR in map(str.strip, labels) for labels in (column.labels, *(level.labels for level in levels)))


# Verification of a written release before it gets its name: classes and sensitive values are counted again.
#
# Every figure of classes is computed from these counts: k, l and t.

MEMORY = "150MB"
READ_AS_TEXT = (
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
        found_in, given = READ_AS_TEXT, {**given, "fields": dict.fromkeys(names, "VARCHAR"), "names": names}
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
