"""What the distinct values of a column are: numbers, dates or text, ascending and labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.base.errors import BadInput
from workbench.data.column import Kind
from workbench.data.reading.spellings import (
    COMMA,
    DATE,
    DOTTED,
    INFINITE,
    INTEGER,
    LEADING_ZERO,
    NUMBER,
    POWER,
    ZONE,
    beyond_floats,
    codes,
    grouped,
    loses_digits,
    mask,
    matches,
    parsed_dates,
    trimmed,
    with_points,
)

MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", ".", "-")
KINDS = ("number", "date", "text")
MOSTLY = 0.9
EXACT = 2.0**53  # floats tell whole numbers apart up to here
FIRST, LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


@dataclass(frozen=True)
class Values:
    """Distinct values in order, and where each of the values they came from stands among them (-1: missing)."""

    kind: Kind
    values: np.ndarray
    labels: tuple[str, ...]
    place: np.ndarray
    markers: list[str] = field(default_factory=list)  # read as missing
    notes: list[str] = field(default_factory=list)  # how it was read, where that could be doubted


def find_values(
    found: pa.Array,
    where: str,
    name: str,
    *,
    typed: bool = True,
    missing: Sequence[str] | None = None,
    declared: str | None = None,
    first: Callable[[np.ndarray], int] = lambda _: 0,
) -> Values:
    """Type and sort the distinct values of a column; without types of their own they are read from the text.

    `first` knows the first record with one of some values, for messages, which quote none.
    """
    text = pa.types.is_large_string(found.type)
    given = missing if missing is not None else ("",) if typed else MARKERS
    gone, markers = np.zeros(len(found), dtype=bool), list[str]()
    if text:
        gone = mask(pc.is_in(found if typed else trimmed(found), value_set=pa.array(given, found.type)))
        markers = sorted({str(value) for value in found.filter(pa.array(gone)).to_pylist()})
    else:
        if pa.types.is_floating(found.type):
            gone = mask(pc.is_nan(found))
        for one, value in _typed_marks(given, found.type):
            if (alike := mask(pc.equal(found, value))).any():
                gone, markers = gone | alike, [*markers, one]
    present = found.filter(pa.array(~gone)) if gone.any() else found
    decimal = pa.types.is_decimal(found.type) and found.type.scale > 0
    column = _Reading(where, name, typed, declared, decimal, lambda some: first(np.flatnonzero(~gone)[some]))
    if not len(present):
        raise Empty(
            str(column.bad("there is nothing but missing values; name it among the identifiers, which are not read"))
        )
    if decimal:
        present = present.cast(pa.large_string())  # which loses nothing
    kind, values, labels, rank = column.read(present)
    place = np.full(len(found), -1, dtype=np.int32)
    place[~gone] = rank
    return Values(kind, values, labels, place, markers, list(column.doubts(present, kind)))


def _typed_marks(given: Sequence[str], kind: pa.DataType) -> Iterator[tuple[str, pa.Scalar]]:
    """What stands for a missing value, where values are numbers or dates already: `-7` is the number."""
    if pa.types.is_boolean(kind):
        return
    for one in given:
        with suppress(pa.ArrowException):  # it is no such value
            yield one, pa.scalar(one.strip()).cast(kind)


class Empty(BadInput):
    """A column with nothing but missing values."""


@dataclass(frozen=True)
class _Reading:
    """One column on its way from what was found to typed values."""

    where: str
    name: str
    typed: bool
    declared: str | None
    decimal: bool
    first: Callable[[np.ndarray], int]  # the first record with one of these values

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
        if self.decimal:
            return "text" if beyond_floats(present) else "number"
        if pa.types.is_large_string(kind):
            return "text" if self.typed else self.kind_of_text(present)
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            return "date"
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            return "number"
        return "text"

    def kind_of_text(self, present: pa.Array) -> str:
        """What every value can be read as; codes and what a number would not tell apart stay text."""
        bare = trimmed(present)
        leading = matches(bare, LEADING_ZERO).any()
        if not leading and matches(bare, INTEGER).all():  # the most frequent ones at once
            return "number"
        number = matches(bare, NUMBER) | matches(bare, INFINITE)
        if number.any() and leading:  # codes: as numbers they would lose the zero
            return "text"
        if number.all():
            text = matches(bare, INFINITE).all() or codes(bare) or beyond_floats(bare)
            return "text" if text else "number"
        if matches(bare, COMMA).all() and not leading:
            return "text" if grouped(bare, ",") or beyond_floats(with_points(bare)) else "number"
        if grouped(bare, "."):
            return "text"
        if number.mean() >= MOSTLY:
            raise self.mixed(number)
        if matches(bare, DATE).all() or matches(bare, DOTTED).all():
            return "text" if parsed_dates(bare) is None else "date"
        return "text"

    def doubts(self, present: pa.Array, kind: str) -> Iterator[str]:
        """What to say where values could have been read in another way, or were changed."""
        if not pa.types.is_large_string(present.type):
            yield from self._typed_doubts(present, kind)
            return
        bare = trimmed(present)
        if self.decimal:
            if kind == "text" and self.declared is None:
                yield self._rounding()
        elif kind == "date":
            if matches(bare, DOTTED).all():
                yield "read as day.month.year"
            if (matches(bare, ZONE) & ~matches(bare, r"(Z|[+-]00:?00)$")).any():
                yield f"times of other zones are read in UTC; to keep them as written, {self.declare('text')}"
        elif kind == "number":
            if not matches(bare, INTEGER).all():
                yield from self._number_doubts(with_points(bare), bare)
        elif self.declared is None and not self.typed:
            yield from self._text_doubts(present, bare)

    def _typed_doubts(self, present: pa.Array, kind: str) -> Iterator[str]:
        """What is said of values that have a type."""
        if pa.types.is_timestamp(present.type):
            if present.type.tz:
                yield "times are read in UTC, whatever their zone; to keep them as written, make them text"
            if kind == "date" and _finer(present):
                yield f"nanoseconds are cut to microseconds; to keep them, {self.declare('text')}"
        elif pa.types.is_floating(present.type) and kind == "number":
            values = _float64(present)
            if (np.abs(values) >= EXACT).any() and (values != np.floor(values)).any():
                yield "numbers beyond 2^53 are rounded, as floats are; if they are codes, make them text"

    def _number_doubts(self, plain: pa.Array, bare: pa.Array) -> Iterator[str]:
        """What is said of text that was read as numbers."""
        if loses_digits(plain):
            yield f"numbers of more digits than floats keep are rounded; if they are codes, {self.declare('text')}"
        if self.declared is not None:
            return
        if not matches(bare, NUMBER).all():
            yield f"the comma is read as a decimal point; if it is none, {self.declare('text')}"
        if grouped(bare, "."):
            yield (
                "the dot is read as a decimal point; if it stands between thousands, take it out, "
                f"or {self.declare('text')}"
            )
        if matches(bare, POWER).any():
            yield f"2E3 and the like are read as 2000; if they are codes, {self.declare('text')}"

    def _text_doubts(self, present: pa.Array, bare: pa.Array) -> Iterator[str]:
        """What is said of text that is not read as numbers."""
        if grouped(bare, ","):
            yield (
                "read as text, because its commas may stand for thousands; "
                f"if they are decimal points, {self.declare('number')}, else take them out"
            )
        elif grouped(bare, ".") and not matches(bare, NUMBER).all():
            yield "read as text, because its dots stand for thousands; to have numbers, take them out"
        if matches(bare, NUMBER).all() and not matches(bare, LEADING_ZERO).any():
            if codes(bare):
                yield f"read as text, because 2E3 and the like may be codes; if none is, {self.declare('number')}"
            elif beyond_floats(bare):
                yield self._rounding()
        if len(bare.unique()) < len(present):
            yield "values that differ only in blanks around them stay apart; if they are the same, take the blanks out"

    def _rounding(self) -> str:
        return (
            "read as text, because numbers beyond 2^53 would be rounded beside decimals; "
            f"if they are measured, {self.declare('number')}"
        )

    def declare(self, kind: str) -> str:
        """What to do about a kind."""
        return f"declare types={{{self.name!r}: {kind!r}}}"

    def mixed(self, number: np.ndarray) -> BadInput:
        """What to say when a column is numbers but for a few values."""
        others = np.flatnonzero(~number)
        found = self.first(others)
        place = f", the first in record {found:,}" if found else ""
        return self.bad(
            f"mixed types: {len(others):,} of {len(number):,} distinct values are no numbers{place}; "
            f"{self.declare('text')}, list what stands for missing in missing=[...], or correct the data"
        )

    def numbers(self, present: pa.Array) -> np.ndarray:
        """int64 if all are integers, otherwise float64."""
        kind = present.type
        if pa.types.is_large_string(kind):
            present = trimmed(present)
            if not matches(present, INTEGER).all():
                present = with_points(present)
            number = matches(present, NUMBER) | matches(present, INFINITE)
            if not number.all():
                raise self.mixed(number)
            if not matches(present, INTEGER).all():
                return self.floats(_float64(present))
            present = pc.replace_substring_regex(present, r"^\+", "")
        elif pa.types.is_floating(kind):
            return self.floats(_float64(present))
        elif not (pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)):
            raise self.bad("these values are not numbers; declare another type")
        try:
            return present.cast(pa.int64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            pass
        raise self.beyond()

    def floats(self, values: np.ndarray) -> np.ndarray:
        """The numbers as integers if they all are."""
        if np.isinf(values).any():
            raise self.bad(f"there are infinite values; make them finite or missing, or {self.declare('text')}")
        numbers = _whole(values)
        if self.declared != "number" and numbers.dtype.kind == "f" and (values == np.floor(values)).all():
            raise self.beyond(f"; if they are measured, {self.declare('number')}")
        return numbers

    def beyond(self, way: str = "") -> BadInput:
        return self.bad(f"integers beyond 64 bits; if they are codes, {self.declare('text')}{way}")

    def dates(self, present: pa.Array) -> np.ndarray:
        """datetime64[D] if no value has a time of day, otherwise datetime64[us] (in UTC where a zone is given)."""
        values = None
        if pa.types.is_large_string(present.type):
            values = parsed_dates(trimmed(present))
        elif pa.types.is_date(present.type) or pa.types.is_timestamp(present.type):
            values = present.to_numpy(zero_copy_only=False)
        if values is None:
            raise self.bad(
                "not all values are dates such as 2024-12-31 or 31.12.2024; declare another type or correct the data"
            )
        days = values.astype("datetime64[D]")
        if days.min() < FIRST or days.max() > LAST:
            raise self.bad("dates outside the years 1 to 9999; make them missing, or correct the data")
        return days if (days == values).all() else values.astype("datetime64[us]")

    def text(self, present: pa.Array) -> pa.Array:
        """The values as people read them."""
        kind = present.type
        if pa.types.is_boolean(kind):
            return pa.array([str(value) for value in present.to_pylist()], pa.large_string())
        if pa.types.is_floating(kind):
            return pa.array(_number_labels(_whole(_float64(present))), pa.large_string())
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            exact = present.to_numpy(zero_copy_only=False) if _finer(present) else self.dates(present)
            return pa.array(_date_labels(exact), pa.large_string())
        return present.cast(pa.large_string())


def _float64(array: pa.Array) -> np.ndarray:
    if pa.types.is_float32(array.type):  # by way of text: 0.1 stays 0.1
        return np.array([float(str(value)) for value in array.to_numpy()])
    return array.cast(pa.float64()).to_numpy(zero_copy_only=False)


def _whole(values: np.ndarray) -> np.ndarray:
    """int64 where that loses nothing."""
    if (values == np.floor(values)).all() and (np.abs(values) < 2.0**63).all():
        return values.astype(np.int64)
    return values + 0.0  # no -0.0


def _finer(array: pa.Array) -> bool:
    """Whether moments have nanoseconds."""
    return array.type.unit == "ns" and bool((array.cast(pa.int64()).to_numpy() % 1000).any())


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
    fine = np.datetime_data(values.dtype)[0] == "ns" and (values != values.astype("datetime64[us]")).any()
    return tuple(np.datetime_as_string(values, unit="s" if whole else "ns" if fine else "us").tolist())
