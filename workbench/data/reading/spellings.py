"""How numbers and dates are written: what text can be read as, and what reading it would change."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
INTEGER = r"^[+-]?\d+$"
INFINITE = r"^[+-]?(?i:inf|infinity)$"
COMMA = r"^[+-]?(\d+(,\d+)?|,\d+)$"
THOUSANDS = r"^[+-]?[1-9]\d{0,2}(SIGN\d{3})+$"
LEADING_ZERO = r"^[+-]?0\d"
POWER = r"^\d+[eE]\d+$"  # a number, or a code as in ICD
MEASURED = r"\.|[eE][+-]"  # what a number has that is no such code
LONG = r"^[+-]?\d{16}"  # whole numbers beyond what every float tells apart
KEPT, SEEN = 15, 17  # digits that every float keeps, and that floats are written with
ZONE = r"\d(Z|[+-]\d\d:?\d\d)$"
DATE = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$"
DOTTED = r"^(\d\d?)\.(\d\d?)\.(\d{4})([T ]\d\d:\d\d(:\d\d)?)?$"


def mask(array: pa.Array) -> np.ndarray:
    return array.to_numpy(zero_copy_only=False).astype(bool)


def matches(array: pa.Array, pattern: str) -> np.ndarray:
    return mask(pc.match_substring_regex(array, pattern))


def trimmed(array: pa.Array) -> pa.Array:
    """Without blanks around the values, as numbers, dates and what stands for missing are read."""
    return pc.utf8_trim_whitespace(array)


def with_points(array: pa.Array) -> pa.Array:
    """Decimal commas as points, if there are some."""
    return pc.replace_substring(array, ",", ".") if matches(array, COMMA).all() else array


def grouped(array: pa.Array, sign: str) -> bool:
    """Whether there are commas, or dots, and each may stand between thousands."""
    thousands = matches(array, THOUSANDS.replace("SIGN", f"[{sign}]"))
    return bool(thousands.any() and (thousands | matches(array, INTEGER)).all())


def codes(array: pa.Array) -> bool:
    """Whether numbers such as 1E10 are more likely codes: nothing beside them looks measured."""
    return bool(matches(array, POWER).any() and not matches(array, MEASURED).any())


def beyond_floats(array: pa.Array) -> bool:
    """Whether floats, which decimals beside them call for, would make whole numbers others."""
    if matches(array, INTEGER).all():
        return False
    long = array.filter(pa.array(matches(array, LONG))).to_pylist()
    return any(int(Decimal(text)) != int(float(text)) for text in long if math.isfinite(float(text)))


def loses_digits(array: pa.Array) -> bool:
    """Whether floats would change numbers, or make two of them one."""
    if not (pc.utf8_length(array).to_numpy() > KEPT).any() or matches(array, INTEGER).all():
        return False
    exact = {Decimal(text) for text in array.to_pylist()}
    longer = (one for one in exact if len(one.normalize().as_tuple().digits) > SEEN)
    return len(exact) > len(set(map(float, exact))) or any(one != Decimal(repr(float(one))) for one in longer)


def parsed_dates(array: pa.Array) -> np.ndarray | None:
    """The moments that text means, ISO or day.month.year, None if some is none."""
    if matches(array, DOTTED).all():
        padded = pc.replace_substring_regex(
            pc.replace_substring_regex(array, r"^(\d)\.", r"0\1."), r"\.(\d)\.", r".0\1."
        )
        array = pc.replace_substring_regex(padded, DOTTED, r"\3-\2-\1\4")
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return array.cast(kind).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            continue
    return None
