"""Declared types of columns: number, date or text, with a notation if the values are ambiguous."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import Kind

KINDS: tuple[Kind, ...] = ("number", "date", "text")
THOUSANDS_COMMAS, DECIMAL_COMMAS = "1,234.5", "1.234,5"
DAY_FIRST, MONTH_FIRST = "dd/mm/yyyy", "mm/dd/yyyy"
DIRECTIVES = (("yyyy", "%Y"), ("yy", "%y"), ("mm", "%m"), ("dd", "%d"))  # longer ones first
DAY_OR_MORE = re.compile(r"%[djxcDFs]")
EXAMPLES = (
    "'number', 'date' or 'text', optionally with a notation: "
    f"'number {THOUSANDS_COMMAS}', 'number {DECIMAL_COMMAS}', 'date {DAY_FIRST}', 'date {MONTH_FIRST}', 'date %d %b %Y'"
)


@dataclass(frozen=True)
class ColumnType:
    """A kind of values and their notation, which is detected if it is empty."""

    kind: Kind
    notation: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.notation}".rstrip()

    @property
    def date_format(self) -> str:
        """The notation of a date as a format of strptime."""
        found = self.notation
        if "%" not in found:
            for token, directive in DIRECTIVES:
                found = found.replace(token, directive)
        return found


def parse_type(text: object) -> ColumnType:
    """Return the type that a text such as `number 1,234.5` or `date dd/mm/yyyy` declares."""
    kind, _, notation = text.strip().partition(" ") if isinstance(text, str) else ("", "", "")
    found = next((ColumnType(one, notation.strip()) for one in KINDS if one == kind), None)
    if found is None or not _is_known(found):
        raise BadInput(f"a type is {EXAMPLES}; got {safe_repr(text)}")
    return found


def _is_known(found: ColumnType) -> bool:
    if not found.notation:
        return True
    if found.kind == "number":
        return found.notation in (THOUSANDS_COMMAS, DECIMAL_COMMAS)
    if found.kind == "date":
        return bool(re.search("%[yYcxDFs]", found.date_format) and DAY_OR_MORE.search(found.date_format))
    return False


# Notations of numbers and dates: how text can be read, and what reading it would change.

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
    """Return the orders of day and month in which all values are dates; several only if they yield different dates."""
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
