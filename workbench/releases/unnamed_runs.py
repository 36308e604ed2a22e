"""How a run of codes is written out where no hierarchy names it: as an interval, or as a set of its values."""

from __future__ import annotations

import json

from workbench.data.column import MISSING, Column

STAR = "*"  # everything, or nothing told
LISTED = 8  # values that a set names one by one at most


def in_quotes(name: str) -> str:
    """A name in double quotes, so that nothing in it is taken for more than a part of it."""
    return json.dumps(name, ensure_ascii=False)


def spelled(column: Column, low: int, high: int, quoted: bool = False) -> str:
    """A run as an interval of numbers or dates, or as a set of its values; missing is named beside them."""

    def name(code: int) -> str:
        label = column.value_labels()[code]
        return in_quotes(label) if quoted and code < len(column.values) else label

    if low == high:
        return name(low)
    if column.missing and high == len(column.values):
        return f"{spelled(column, low, high - 1, quoted)} or {MISSING}"
    if column.kind != "text":
        plain = column.values.dtype.kind == "i" and column.values[0] >= 0
        return f"[{name(low)}{'-' if plain else '..'}{name(high)}]"
    if high - low < LISTED:
        return "{" + ", ".join(map(name, range(low, high + 1))) + "}"
    return f"{{{name(low)} .. {name(high)}: {high - low + 1} values}}"
