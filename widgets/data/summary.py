"""The summary of a table before it has roles; it shows only values that at least ten records share."""

from __future__ import annotations

from typing import Any

import numpy as np

from widgets.base.part import with_controls
from workbench.data.column import Column
from workbench.data.records import count_incomplete
from workbench.data.table import Table

SMALLEST = 10  # values of fewer records are not shown
BARS = 16


def summary(table: Table) -> dict[str, Any]:
    """Return the numbers of records and of incomplete records, the reader's notes, and a row for each column."""
    columns = [
        {
            "name": name,
            "kind": column.kind,
            "distinct": len(column.values),
            "missing": column.missing,
            "range": value_range(column),
            "bars": bars(column),
        }
        for name, column in table.columns.items()
    ]
    return {
        "records": table.records,
        "incomplete": count_incomplete(table),
        "columns": columns,
        "notes": [with_controls(note) for note in table.notes],
    }


def value_range(column: Column) -> str:
    """Return the range of a column of numbers or dates, which reveals a misread comma or day."""
    if column.kind == "text" or not len(column.values):
        return ""
    if column.kind == "date":
        low, high = column.labels[0], column.labels[-1]
    else:
        low, high = (_number(one) for one in (column.values[0], column.values[-1]))
    return low if low == high else f"{low} to {high}"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, np.integer) else f"{value:,.6g}"


def bars(column: Column) -> list[dict[str, Any]]:
    """Return a small histogram: numbers and dates in even bins with round edges, texts by their frequent values."""
    if column.kind == "text":
        order = np.argsort(-column.counts, kind="stable")[:BARS]
        heights, names = column.counts[order], [column.labels[i] for i in order]
    else:
        heights, names = _binned(column)
    top = max(int(heights.max(initial=0)), SMALLEST)
    return [
        {"height": count / top, "count": count, "name": name}
        if count >= SMALLEST
        else {"height": SMALLEST / 2 / top if count else 0}
        for count, name in zip(heights.tolist(), names, strict=True)
    ]


def _binned(column: Column) -> tuple[np.ndarray, list[str]]:
    """Return the number of records in each bin, and the bin's name."""
    none = np.zeros(0, np.int64), list[str]()
    if not len(column.values):
        return none
    values, unit = column.values, ""
    if column.kind == "date":
        days = float((values[-1] - values[0]) / np.timedelta64(1, "D"))
        unit = "Y" if days > 365 * 6 else "M" if days > 100 else "D"
        values = values.astype(f"datetime64[{unit}]").astype(np.int64)
    whole, values = values.dtype.kind == "i", values.astype(float)
    span = values[-1] - values[0]
    if not np.isfinite(span):
        return none
    step = _round(span / BARS, whole)
    place = np.floor(values / step)
    place = np.minimum(place - place[0], 3 * BARS).astype(np.int64)
    heights = np.bincount(place, weights=column.counts).astype(np.int64)
    edges = (np.floor(values[0] / step) + np.arange(len(heights))) * step
    return heights, [_bin_name(low, step, whole, unit) for low in edges.tolist()]


def _round(least: float, whole: bool) -> float:
    """Round up to 1, 2 or 5 x 10^n."""
    if least <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(least))
    step = next(float(power * digit) for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))
    return max(step, 1.0) if whole else step


def _bin_name(low: float, step: float, whole: bool, unit: str) -> str:
    last = low + step - 1 if whole else low + step
    if unit:
        ends = np.array([low, last]).astype(np.int64).astype(f"datetime64[{unit}]").astype(str).tolist()
    else:
        ends = [f"{at:,.0f}" if whole else f"{at:,.6g}" for at in (low, last)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {'' if whole else 'below '}{ends[1]}"
