"""Levels of intervals over numbers, labeled by their ends, and of calendar units over dates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Level, starts_of
from workbench.data.range_ends import End, range_text


def integers(column: Column) -> bool:
    """Return whether a column contains whole numbers."""
    return column.kind == "number" and column.values.dtype.kind in "iu"


def coded(column: Column, bottom: float | None, top: float | None, between: Callable[[Column], Level]) -> Level:
    """Return a level with one node below the bottom, one from the top on, and a division of the values between them."""
    low = 0 if bottom is None else int(np.searchsorted(column.values, bottom))
    high = len(column.values) if top is None else int(np.searchsorted(column.values, top))
    starts, labels = [np.zeros(min(low, 1), np.int32)], [f"under {_named(bottom)}"] if low else []
    if low < high:
        inner = slice(low, high)
        part = replace(
            column, values=column.values[inner], labels=column.labels[inner], counts=column.counts[inner], missing=0
        )
        level = between(part)
        starts.append(level.starts + np.int32(low))
        labels += level.labels
    if high < len(column.values):
        starts.append(np.array([high], np.int32))
        labels.append(f"{_named(top)} and over")
    return Level(np.concatenate(starts), tuple(labels))


def single_level(column: Column) -> Level:
    """Return a level with every value by itself."""
    return Level(np.arange(len(column.values), dtype=np.int32), column.labels)


def width_level(
    column: Column, width: float, origin: float, bottom: float | None = None, top: float | None = None
) -> Level:
    """Return intervals of one width, aligned at the origin. Labels end at the bottom and the top, too."""
    values = column.values
    least: Any = -math.inf if bottom is None else bottom
    most: Any = math.inf if top is None else top
    if integers(column) and isinstance(width, int) and isinstance(origin, int) and width < 2**62:
        shift = origin % width  # subtracting the origin itself could overflow
        group = values // width - (values % width < shift)
        ends = [(int(k) * width + shift, (int(k) + 1) * width + shift) for k in group[starts_of(group)]]
        return Level(starts_of(group), tuple(_interval(max(low, least), min(high, most), True) for low, high in ends))
    step, start = Decimal(str(width)), Decimal(str(origin))
    ratio = np.floor((values.astype(float) - origin) / width)
    if np.abs(ratio).max() > 2**53:
        raise BadInput(f"column {column.name!r}: width {width:g} is too small for values up to {values.max()}")
    # 0.3 // 0.1 is 2, so the quotient is corrected with the interval's decimal ends
    group, inverse = np.unique(ratio.astype(np.int64), return_inverse=True)
    low, high = (np.array([float(start + (int(k) + side) * step) for k in group]) for side in (0, 1))
    group = group[inverse] - (values < low[inverse]) + (values >= high[inverse])
    exact = [(start + int(k) * step, start + (int(k) + 1) * step) for k in group[starts_of(group)]]
    inside = [(max(low, Decimal(str(least))), min(high, Decimal(str(most)))) for low, high in exact]
    names = [_interval(*ends, integers(column)) for ends in inside]
    return Level(starts_of(group), tuple(names))


def cut_level(column: Column, cuts: Sequence[float]) -> Level:
    """Return the intervals below, between and above the cut points."""
    whole = integers(column)
    group = np.searchsorted(np.asarray(cuts), column.values, side="right")
    points = [math.ceil(c) if whole else Decimal(str(c)) for c in cuts]

    def label(g: int) -> str:
        if g == 0:
            return f"<{_spelled(points[0])}"
        return f">={_spelled(points[-1])}" if g == len(points) else _interval(points[g - 1], points[g], whole)

    starts = starts_of(group)
    return Level(starts, tuple(label(g) for g in group[starts]))


def quantile_level(column: Column, groups: int, bottom: float | None = None, top: float | None = None) -> Level:
    """Return intervals with similar numbers of records, and with ends that the column allows."""
    counts = np.asarray(column.counts, dtype=float)
    middle = np.cumsum(counts) - counts / 2
    starts = starts_of(np.floor(middle * groups / max(counts.sum(), 1)))
    if column.ends is not None:
        starts = column.ends.nearest_boundaries(starts)
    ends = zip(starts, np.append(starts[1:], len(counts)) - 1, strict=True)
    dash = " to " if column.values[0] < 0 else "-"
    if column.ends is not None:
        return Level(starts, tuple(_allowed_label(column, int(a), int(b), bottom, top) for a, b in ends))
    names = [column.labels[a] if a == b else f"[{column.labels[a]}{dash}{column.labels[b]}]" for a, b in ends]
    return Level(starts, tuple(names))


def _allowed_label(column: Column, low: int, high: int, bottom: float | None, top: float | None) -> str:
    """Return a group's label with ends that the column allows; open ends are replaced by declared ones."""
    assert column.ends is not None
    below, above = column.ends.printed(column, low, high)
    if low == high and below is not None and below.closed:
        return column.labels[low]
    if below is None and bottom is not None:
        below = End(_named(bottom), True)
    if above is None and top is not None:
        above = End(_named(top), False)
    return range_text(column, below, above)


def _exact(number: float) -> float:
    """Return an int if the number is whole, so that labels have no decimals."""
    exact = isinstance(number, Integral) or (number == int(number) and abs(number) < 2**53)
    return int(number) if exact else float(number)


def finite_numbers(where: str, given: object) -> tuple[float, ...]:
    """Return one or several numbers as a tuple. Raise BadInput for anything else."""
    values = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise BadInput(f"intervals: {where} hold {value!r}; use finite numbers")
    return tuple(map(_exact, values))


def end_number(where: str, given: object) -> float | None:
    """Return the number at which the first or last node begins, or None."""
    found = () if given is None else finite_numbers(where, given)
    if len(found) > 1:
        raise BadInput(f"intervals: {where} holds {len(found)} numbers; use one")
    return found[0] if found else None


def _interval(low: int | Decimal, high: int | Decimal, whole: bool) -> str:
    """Return the label of the values from low to below high.

    Labels of whole numbers include both ends; `[1.5-3[` excludes 3.
    """
    if whole:
        low, high = math.ceil(low), math.ceil(high) - 1
        if low >= high:
            return str(low)
    dash = " to " if low < 0 else "-"
    return f"[{_spelled(low)}{dash}{_spelled(high)}{']' if whole else '['}"


def _named(number: float | None) -> str:
    return _spelled(number if isinstance(number, int) else Decimal(str(number)))


def _spelled(number: int | Decimal) -> str:
    if isinstance(number, int):
        return str(number)
    plain = format(number.normalize(), "f") if number else "0"
    return plain if len(plain) <= 20 else str(number.normalize())


def calendar(dates: np.ndarray, level: str) -> Level:
    """Return the days, months, quarters, years or decades of ascending dates."""
    unit, size = {"day": ("D", 1), "month": ("M", 1), "quarter": ("M", 3), "year": ("Y", 1), "decade": ("Y", 10)}[level]
    group = dates.astype(f"datetime64[{unit}]").astype(np.int64) // size
    if level == "decade":
        group = (dates.astype("datetime64[Y]").astype(np.int64) + 1970) // 10
    starts = starts_of(group)
    days = [str(day) for day in dates[starts].astype("datetime64[D]")]
    names = [_date_label(day, g, level) for day, g in zip(days, group[starts].tolist(), strict=True)]
    return Level(starts, tuple(names))


def _date_label(day: str, group: int, level: str) -> str:
    if level == "decade":
        return f"{group * 10}s"
    if level == "quarter":
        return f"{day[:-6]}-Q{group % 4 + 1}"
    return {"day": day, "month": day[:-3], "year": day[:-6]}[level]
