"""What the distinct values of a column are: numbers, dates or text, ascending and labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.column import Kind
from workbench.errors import BadInput

MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", ".", "-")
KINDS = ("number", "date", "text")
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
INTEGER = r"^[+-]?\d+$"
INFINITE = r"^[+-]?(?i:inf|infinity)$"
COMMA = r"^[+-]?(\d+(,\d+)?|,\d+)$"
THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})+$"
LEADING_ZERO = r"^[+-]?0\d"
DATE = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$"
DOTTED = r"^(\d\d?)\.(\d\d?)\.(\d{4})([T ]\d\d:\d\d(:\d\d)?)?$"
MOSTLY = 0.9
FIRST, LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


@dataclass(frozen=True)
class Values:
    """Distinct values in order, and where each of the values they came from stands among them (-1: missing)."""

    kind: Kind
    values: np.ndarray
    labels: tuple[str, ...]
    place: np.ndarray
    markers: list[str] = field(default_factory=list)  # read as missing
    note: str = ""  # how it was read, where that could be doubted


def find_values(
    found: pa.Array,
    where: str,
    name: str,
    *,
    typed: bool = True,
    missing: Sequence[str] | None = None,
    declared: str | None = None,
) -> Values:
    """Type and sort the distinct values of a column; without types of their own they are read from the text."""
    column = _Reading(where, name, typed, declared)
    text = pa.types.is_large_string(found.type)
    gone, markers = (
        np.zeros(len(found), dtype=bool),
        list(missing if missing is not None else ("",) if typed else MARKERS),
    )
    if text:
        found = found if typed else pc.utf8_trim_whitespace(found)
        gone = _mask(pc.is_in(found, value_set=pa.array(markers, found.type)))
        markers = sorted({str(value) for value in found.filter(pa.array(gone)).to_pylist()})
    elif pa.types.is_floating(found.type):
        gone = _mask(pc.is_nan(found))
    present = found.filter(pa.array(~gone)) if gone.any() else found
    if not len(present):
        raise Empty(
            str(column.bad("there is nothing but missing values; name it among the identifiers, which are not read"))
        )
    kind, values, labels, rank = column.read(present)
    note = column.doubt(present, kind) if text and not typed and declared is None else ""
    place = np.full(len(found), -1, dtype=np.int32)
    place[~gone] = rank
    return Values(kind, values, labels, place, markers if text else [], note)


class Empty(BadInput):
    """A column with nothing but missing values."""


@dataclass(frozen=True)
class _Reading:
    """One column on its way from what was found to typed values."""

    where: str
    name: str
    typed: bool
    declared: str | None

    def bad(self, message: str) -> BadInput:
        return BadInput(f"{self.where}, column {self.name!r}: {message}")

    def read(self, present: pa.Array) -> tuple[Kind, np.ndarray, tuple[str, ...], np.ndarray]:
        """Kind, ascending values, their labels, and the rank of each value given."""
        kind = self.declared or self.kind_of(present)
        if kind == "number":
            values, rank = np.unique(self.numbers(present), return_inverse=True)
            return "number", values, _number_labels(values), rank
        if kind == "date":
            values, rank = np.unique(self.dates(present), return_inverse=True)
            return "date", values, _date_labels(values), rank
        values, rank = _sorted_text(self.text(present))
        return "text", values, tuple(values), rank

    def kind_of(self, present: pa.Array) -> str:
        """The kind that the type says, or for text without types the one that every value has."""
        kind = present.type
        if pa.types.is_large_string(kind):
            return "text" if self.typed else self.kind_of_text(present)
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            return "date"
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            return "number"
        return "text"

    def kind_of_text(self, present: pa.Array) -> str:
        number = _matches(present, NUMBER) | _matches(present, INFINITE)
        if number.any() and _matches(present, LEADING_ZERO).any():  # codes: as numbers they would lose the zero
            return "text"
        if number.all():
            return "text" if _matches(present, INFINITE).all() else "number"
        if _matches(present, COMMA).all() and not _matches(present, LEADING_ZERO).any():
            return "text" if _grouped(present) else "number"
        if number.mean() >= MOSTLY:
            raise self.mixed(present, number)
        if _matches(present, DATE).all() or _matches(present, DOTTED).all():
            return "text" if _parsed_dates(present) is None else "date"
        return "text"

    def doubt(self, present: pa.Array, kind: str) -> str:
        """What to say where text was read as numbers or dates of a country's own writing, or was not."""
        if kind == "date" and _matches(present, DOTTED).all():
            return "read as day.month.year"
        if kind == "number" and not _matches(present, NUMBER).all():
            return f"the comma is read as a decimal point; if it is none, declare types={{{self.name!r}: 'text'}}"
        if kind == "text" and _grouped(present) and not _matches(present, INTEGER).all():
            return (
                "read as text, because its commas may stand for thousands; "
                f"if they are decimal points, declare types={{{self.name!r}: 'number'}}, else take them out"
            )
        return ""

    def mixed(self, present: pa.Array, number: np.ndarray) -> BadInput:
        """What to say when a column is numbers but for a few values."""
        others = present.filter(pa.array(~number))
        some = ", ".join(repr(str(value)[:30]) for value in others.slice(0, 3).to_pylist())
        return self.bad(
            f"mixed types: {len(others):,} of {len(present):,} distinct values are no numbers ({some}); "
            f"declare types={{{self.name!r}: 'text'}}, list what stands for missing in missing=[...], or mend the data"
        )

    def numbers(self, present: pa.Array) -> np.ndarray:
        """int64 if all are integers, otherwise float64."""
        kind = present.type
        if pa.types.is_large_string(kind):
            if _matches(present, COMMA).all():
                present = pc.replace_substring(present, ",", ".")
            number = _matches(present, NUMBER) | _matches(present, INFINITE)
            if not number.all():
                raise self.mixed(present, number)
            if not _matches(present, INTEGER).all():
                return self.floats(_float64(present))
            present = pc.replace_substring_regex(present, r"^\+", "")
        elif pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind.scale):
            return self.floats(_float64(present))
        elif not (pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)):
            raise self.bad(f"values of type {kind} are no numbers; declare another type")
        try:
            return present.cast(pa.int64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            pass
        raise self.beyond()

    def floats(self, values: np.ndarray) -> np.ndarray:
        """The numbers as integers if they all are."""
        if np.isinf(values).any():
            way = f"make them finite or missing, or declare types={{{self.name!r}: 'text'}}"
            raise self.bad(f"there are infinite values; {way}")
        numbers = _whole(values)
        if self.declared != "number" and numbers.dtype.kind == "f" and (values == np.floor(values)).all():
            raise self.beyond(f", if they are measured, types={{{self.name!r}: 'number'}}")
        return numbers

    def beyond(self, way: str = "") -> BadInput:
        return self.bad(f"integers beyond 64 bits; if they are codes, declare types={{{self.name!r}: 'text'}}{way}")

    def dates(self, present: pa.Array) -> np.ndarray:
        """datetime64[D] if no value has a time of day, otherwise datetime64[us] (in UTC where a zone is given)."""
        values = None
        if pa.types.is_large_string(present.type):
            values = _parsed_dates(present)
        elif pa.types.is_date(present.type) or pa.types.is_timestamp(present.type):
            values = present.to_numpy(zero_copy_only=False)
        if values is None:
            raise self.bad(
                "not all values are dates such as 2024-12-31 or 31.12.2024; declare another type or mend the data"
            )
        days = values.astype("datetime64[D]")
        if days.min() < FIRST or days.max() > LAST:
            raise self.bad("dates outside the years 1 to 9999; make them missing, or mend the data")
        return days if (days == values).all() else values.astype("datetime64[us]")

    def text(self, present: pa.Array) -> pa.Array:
        """The values as people read them."""
        kind = present.type
        if pa.types.is_boolean(kind):
            return pa.array([str(value) for value in present.to_pylist()], pa.large_string())
        if pa.types.is_floating(kind):
            return pa.array(_number_labels(_whole(_float64(present))), pa.large_string())
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            return pa.array(_date_labels(self.dates(present)), pa.large_string())
        return present.cast(pa.large_string())


def _mask(array: pa.Array) -> np.ndarray:
    return array.to_numpy(zero_copy_only=False).astype(bool)


def _matches(array: pa.Array, pattern: str) -> np.ndarray:
    return _mask(pc.match_substring_regex(array, pattern))


def _float64(array: pa.Array) -> np.ndarray:
    if pa.types.is_float32(array.type):  # by way of text: 0.1 stays 0.1
        return np.array([float(str(value)) for value in array.to_numpy()])
    return array.cast(pa.float64()).to_numpy(zero_copy_only=False)


def _whole(values: np.ndarray) -> np.ndarray:
    """int64 where that loses nothing."""
    if (values == np.floor(values)).all() and (np.abs(values) < 2.0**63).all():
        return values.astype(np.int64)
    return values + 0.0  # no -0.0


def _grouped(array: pa.Array) -> bool:
    """Whether every comma may stand between thousands."""
    return bool((_matches(array, THOUSANDS) | _matches(array, INTEGER)).all())


def _parsed_dates(array: pa.Array) -> np.ndarray | None:
    """The moments that text means, ISO or day.month.year, None if some is none."""
    if _matches(array, DOTTED).all():
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


def _sorted_text(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Distinct text in the order of its code points, and the rank of each given."""
    encoded = array.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = np.empty(len(order), dtype=object)
    values[:] = encoded.dictionary.take(pa.array(order)).to_pylist()
    return values, rank[encoded.indices.to_numpy()]


def _number_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype.kind == "i":
        return tuple(pa.array(values).cast(pa.string()).to_pylist())
    return tuple(repr(value).removesuffix(".0") for value in values.tolist())


def _date_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype == np.dtype("datetime64[D]"):
        return tuple(np.datetime_as_string(values).tolist())
    whole = (values == values.astype("datetime64[s]")).all()
    return tuple(np.datetime_as_string(values, unit="s" if whole else "us").tolist())
