"""Rows of `*` that represent suppressed records in a released file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from workbench.base.randomness import operating_system_random
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.releases.default_labels import STAR
from workbench.releases.export import BATCH, NONE, ColumnValues, Rows, text_of


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
