"""A released table as codes in random order, written batch by batch as CSV or Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.base.errors import BadInput
from workbench.base.randomness import operating_system_random
from workbench.data.engines import ClassesOfCells, ClassesOfParts, Engine

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
    """Records in an engine, with the engine's column for each released one (None: the class)."""

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
