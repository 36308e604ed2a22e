"""Notations of numbers and dates: how text can be read, and what reading it would change."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.data.reading.column_types import DAY_FIRST, DECIMAL_COMMAS, MONTH_FIRST, THOUSANDS_COMMAS, ColumnType

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
INTEGER = r"^[+-]?\d+$"
INFINITE = r"^[+-]?(?i:inf|infinity)$"
COMMA = r"^[+-]?(\d+(,\d+)?|,\d+)$"
GROUPED = {  # numbers with thousands separators, by notation
    THOUSANDS_COMMAS: r"^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$",
    DECIMAL_COMMAS: r"^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$",
}
THOUSANDS = r"^[+-]?[1-9]\d{0,2}(SIGN\d{3})+$"
UNGROUPED = r"^[+-]?\d{4}"
LEADING_ZERO = r"^[+-]?0\d"
POWER = r"^\d+[eE]\d+$"  # a number, or a code such as in ICD
MEASURED = r"\.|[eE][+-]"  # occurs in numbers, but not in such codes
LONG = r"^[+-]?\d{16}"  # whole numbers that floats may not distinguish
KEPT, SEEN = 15, 17  # digits that every float preserves; maximum number of digits of a float
ZONE = r"\d(Z|[+-]\d\d:?\d\d)$"
DATE = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$"
DOTTED = r"^(\d\d?)\.(\d\d?)\.(\d{4})([T ]\d\d:\d\d(:\d\d)?)?$"
SLASHED = r"^(\d\d?)[/-](\d\d?)[/-](\d{4})([T ]\d\d:\d\d(:\d\d)?)?$"
YEAR_FIRST = r"^(\d{4})/(\d\d?)/(\d\d?)([T ]\d\d:\d\d(:\d\d)?)?$"
ISO_ORDERS = {DAY_FIRST: r"\3-\2-\1\4", MONTH_FIRST: r"\3-\1-\2\4"}  # of SLASHED


def mask(array: pa.Array) -> np.ndarray:
    return array.to_numpy(zero_copy_only=False).astype(bool)


def matches(array: pa.Array, pattern: str) -> np.ndarray:
    return mask(pc.match_substring_regex(array, pattern))


def trimmed(array: pa.Array) -> pa.Array:
    """Remove blanks around values: numbers, dates and markers are read without them."""
    return pc.utf8_trim_whitespace(array)


def numbers_in(array: pa.Array, notation: str) -> np.ndarray:
    """Return which values are numbers in a notation; "" has decimal points and no thousands separators."""
    plain = matches(array, NUMBER) | matches(array, INFINITE)
    if notation == THOUSANDS_COMMAS:
        return plain | matches(array, GROUPED[notation])
    if notation == DECIMAL_COMMAS:
        return matches(array, COMMA) | matches(array, GROUPED[notation])
    return plain


def notations_of(array: pa.Array) -> tuple[str, ...]:
    """Return the notations in which every value is a number; several only if the values are ambiguous."""
    if numbers_in(array, "").all():
        return ("",)
    fitting = tuple(one for one in (THOUSANDS_COMMAS, DECIMAL_COMMAS) if numbers_in(array, one).all())
    if len(fitting) < 2 or matches(array, r"\.").any() or matches(array, UNGROUPED).any():
        return fitting
    return (THOUSANDS_COMMAS,)  # each comma is followed by exactly three digits


def plain_numbers(array: pa.Array, notation: str) -> pa.Array:
    """Convert numbers to decimal points without thousands separators."""
    if notation == THOUSANDS_COMMAS:
        return pc.replace_substring(array, ",", "")
    if notation == DECIMAL_COMMAS:
        return pc.replace_substring(pc.replace_substring(array, ".", ""), ",", ".")
    return array


def grouped(array: pa.Array, sign: str) -> bool:
    """Return whether there are commas, or dots, and all of them can be thousands separators."""
    thousands = matches(array, THOUSANDS.replace("SIGN", f"[{sign}]"))
    return bool(thousands.any() and (thousands | matches(array, INTEGER)).all())


def codes(array: pa.Array) -> bool:
    """Return whether values such as 1E10 are probably codes: no other value looks like a measurement."""
    return bool(matches(array, POWER).any() and not matches(array, MEASURED).any())


def beyond_floats(array: pa.Array) -> bool:
    """Return whether floats, which are needed for other values, would change whole numbers."""
    if matches(array, INTEGER).all():
        return False
    long = array.filter(pa.array(matches(array, LONG))).to_pylist()
    return any(int(Decimal(text)) != int(float(text)) for text in long if math.isfinite(float(text)))


def loses_digits(array: pa.Array) -> bool:
    """Return whether floats would change numbers or merge two of them."""
    if not (pc.utf8_length(array).to_numpy() > KEPT).any() or matches(array, INTEGER).all():
        return False
    exact = {Decimal(text) for text in array.to_pylist()}
    longer = (one for one in exact if len(one.normalize().as_tuple().digits) > SEEN)
    return len(exact) > len(set(map(float, exact))) or any(one != Decimal(repr(float(one))) for one in longer)


def parsed_dates(array: pa.Array, declared: ColumnType | None = None) -> np.ndarray | None:
    """Parse text in ISO, day.month.year or the requested notation; None if a value is not a date."""
    if declared and declared.notation and declared.notation not in ISO_ORDERS:
        return _by_format(array, declared.date_format)
    if declared and declared.notation:
        if not matches(array, SLASHED).all():
            return None
        array = _iso(array, SLASHED, ISO_ORDERS[declared.notation])
    elif matches(array, DOTTED).all():
        array = _iso(array, DOTTED, ISO_ORDERS[DAY_FIRST])
    elif matches(array, YEAR_FIRST).all():
        array = _iso(array, YEAR_FIRST, r"\1-\2-\3\4")
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return array.cast(kind).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            continue
    return None


def date_orders(array: pa.Array) -> tuple[str, ...]:
    """Return the orders of day and month in which all values are dates; several only if they give other dates."""
    if not matches(array, SLASHED).all():
        return ()
    found = {order: parsed_dates(array, ColumnType("date", order)) for order in ISO_ORDERS}
    fitting = {order: dates for order, dates in found.items() if dates is not None}
    if len(fitting) == 2 and (fitting[DAY_FIRST] == fitting[MONTH_FIRST]).all():
        return (DAY_FIRST,)
    return tuple(fitting)


def _iso(array: pa.Array, pattern: str, order: str) -> pa.Array:
    """Rewrite dates in ISO order, with two digits for each part."""
    found = pc.replace_substring_regex(array, pattern, order)
    return pc.replace_substring_regex(
        pc.replace_substring_regex(found, r"-(\d)-", r"-0\1-"), r"-(\d)($|[T ])", r"-0\1\2"
    )


def _by_format(array: pa.Array, form: str) -> np.ndarray | None:
    """Parse text in a strptime format."""
    try:
        found = pd.to_datetime(pd.Series(array.to_pylist(), dtype=object), format=form, utc=True, errors="coerce")
    except ValueError:  # a directive that pandas does not support
        return None
    if found.isna().any():
        return None
    return found.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
