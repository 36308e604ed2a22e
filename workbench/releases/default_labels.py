"""Labels of runs of codes that no hierarchy names: an interval, or a set of values."""

from __future__ import annotations

import json

from workbench.data.column import MISSING, Column
from workbench.data.range_ends import ANY

STAR = "*"  # any value: everything, or suppressed
LISTED = 8  # maximum number of values that a set lists


def in_quotes(name: str) -> str:
    """Return a name in double quotes, so that it cannot be confused with several."""
    return json.dumps(name, ensure_ascii=False)


def format_run(column: Column, low: int, high: int, quoted: bool = False) -> str:
    """Return a run as an interval of numbers or dates, or as a set of values; "or missing" is appended for missing."""

    def name(code: int) -> str:
        label = column.value_labels()[code]
        return in_quotes(label) if quoted and code < len(column.values) else label

    if low == high:
        return name(low)
    if column.missing and high == len(column.values):
        return f"{format_run(column, low, high - 1, quoted)} or {MISSING}"
    if column.ends is not None and not quoted:
        text = column.ends.text(column, low, high)
        return STAR if text == ANY and not column.missing else text
    if column.kind != "text":
        plain = column.values.dtype.kind == "i" and column.values[0] >= 0
        return f"[{name(low)}{'-' if plain else '..'}{name(high)}]"
    if high - low < LISTED:
        return "{" + ", ".join(map(name, range(low, high + 1))) + "}"
    return f"{{{name(low)} .. {name(high)}: {high - low + 1} values}}"
