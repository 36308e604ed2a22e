"""Find the type of a column's distinct values (numbers, dates or text), and sort and label them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.base.errors import BadInput, Fix
from workbench.data.column import Kind
from workbench.data.reading.column_types import (
    DATE,
    DAY_FIRST,
    DECIMAL_COMMAS,
    DOTTED,
    INFINITE,
    INTEGER,
    LEADING_ZERO,
    MONTH_FIRST,
    NUMBER,
    POWER,
    SLASHED,
    THOUSANDS_COMMAS,
    YEAR_FIRST,
    ZONE,
    ColumnType,
    beyond_floats,
    codes,
    date_orders,
    grouped,
    loses_digits,
    mask,
    matches,
    notations_of,
    numbers_in,
    parse_type,
    parsed_dates,
    plain_numbers,
    trimmed,
)

# Distinct values as NumPy arrays: exact numbers, sorted text, and labels.


def float64(array: pa.Array) -> np.ndarray:
    if pa.types.is_float32(array.type):  # via text, so that 0.1 stays 0.1
        return np.array([float(str(value)) for value in array.to_numpy()])
    return array.cast(pa.float64()).to_numpy(zero_copy_only=False)


def whole(values: np.ndarray) -> np.ndarray:
    """Return int64 if that is exact."""
    if (values == np.floor(values)).all() and (np.abs(values) < 2.0**63).all():
        return values.astype(np.int64)
    return values + 0.0  # no -0.0


def finer(array: pa.Array) -> bool:
    """Return whether times have nanoseconds."""
    return array.type.unit == "ns" and bool((array.cast(pa.int64()).to_numpy() % 1000).any())


def sorted_text(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct text sorted by code points, and the rank of each given value."""
    encoded = array.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = np.empty(len(order), dtype=object)
    values[:] = encoded.dictionary.take(pa.array(order)).to_pylist()
    return values, rank[encoded.indices.to_numpy()]


def number_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype.kind == "i":
        return tuple(pa.array(values).cast(pa.string()).to_pylist())
    return tuple(repr(value).removesuffix(".0") for value in values.tolist())


def date_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype == np.dtype("datetime64[D]"):
        return tuple(np.datetime_as_string(values).tolist())
    whole = (values == values.astype("datetime64[s]")).all()
    fine = np.datetime_data(values.dtype)[0] == "ns" and (values != values.astype("datetime64[us]")).any()
    return tuple(np.datetime_as_string(values, unit="s" if whole else "ns" if fine else "us").tolist())


# Reasons why a column cannot be read unchanged, with the details that a fix needs.


class Empty(BadInput):
    """A column without a value."""


class Undecided(BadInput):
    """A column that can be read in several ways; `choices` and the message have the possible types."""

    choices: tuple[str, ...] = ()


class Mixed(BadInput):
    """A column of numbers with some text. `texts` has the first of them; no message may, since they are values."""

    texts: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()  # texts that are read as missing in the whole file

    def name_markers(self, markers: Sequence[str]) -> None:
        """Add the known markers to the suggested list, since a list replaces those that were found."""
        self.markers = tuple(markers)
        self.args = (str(self).replace(Fix.MISSING([]), Fix.MISSING([*markers])),)


MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", ".", "-")
MOSTLY = 0.9
OFFENDING = 8  # maximum number of texts to show the analyst that do not fit a type
EXACT = 2.0**53  # floats distinguish whole numbers up to here
FIRST, LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


@dataclass(frozen=True)
class Values:
    """Distinct values in order, and the place of each original value among them (-1: missing)."""

    kind: Kind
    values: np.ndarray
    labels: tuple[str, ...]
    place: np.ndarray
    markers: list[str] = field(default_factory=list)  # texts read as missing
    notes: list[str] = field(default_factory=list)  # how ambiguous values were read


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
    """Type and sort the distinct values of a column; untyped values are read from their text.

    `first` returns the first record with any of the given values, which messages cite instead of the values.
    """
    text = pa.types.is_large_string(found.type)
    given = missing if missing is not None else ("",) if typed else MARKERS
    missing_mask, markers = np.zeros(len(found), dtype=bool), list[str]()
    if text:
        missing_mask = mask(pc.is_in(found if typed else trimmed(found), value_set=pa.array(given, found.type)))
        markers = sorted({str(value) for value in found.filter(pa.array(missing_mask)).to_pylist()})
    else:
        if pa.types.is_floating(found.type):
            missing_mask = mask(pc.is_nan(found))
        for one, value in _typed_marks(given, found.type):
            if (equal := mask(pc.equal(found, value))).any():
                missing_mask, markers = missing_mask | equal, [*markers, one]
    present = found.filter(pa.array(~missing_mask)) if missing_mask.any() else found
    decimal = pa.types.is_decimal(found.type) and found.type.scale > 0
    declared_type = parse_type(declared) if declared else None
    column = _Reading(
        where, name, typed, declared_type, decimal, lambda some: first(np.flatnonzero(~missing_mask)[some])
    )
    if not len(present):
        raise Empty(str(column.bad("all values are missing; add it to the identifiers, which are not read")))
    if decimal:
        present = present.cast(pa.large_string())  # exact
    try:
        kind, values, labels, rank = column.read(present)
    except Mixed as error:
        error.markers = tuple(markers)
        raise
    place = np.full(len(found), -1, dtype=np.int32)
    place[~missing_mask] = rank
    return Values(kind, values, labels, place, markers, list(column.doubts(present, kind)))


def _typed_marks(given: Sequence[str], kind: pa.DataType) -> Iterator[tuple[str, pa.Scalar]]:
    """Yield markers of missing values, converted to the type of the values: `-7` is a number."""
    if pa.types.is_boolean(kind):
        return
    for one in given:
        with suppress(pa.ArrowException):  # not a value of this type
            yield one, pa.scalar(one.strip()).cast(kind)


@dataclass(frozen=True)
class _Reading:
    """One column while its values are typed."""

    where: str
    name: str
    typed: bool
    declared: ColumnType | None
    decimal: bool
    first: Callable[[np.ndarray], int]  # finds the first record with one of these values

    def bad(self, message: str) -> BadInput:
        return BadInput(f"{self.where}, column {self.name!r}: {message}")

    def read(self, present: pa.Array) -> tuple[Kind, np.ndarray, tuple[str, ...], np.ndarray]:
        """Return kind, ascending values, their labels, and the rank of each given value."""
        kind = self.declared.kind if self.declared else self.kind_of(present)
        if kind == "number":
            values, rank = np.unique(self.numbers(present), return_inverse=True)
            return "number", values, number_labels(values), rank
        if kind == "date":
            values, rank = np.unique(self.dates(present), return_inverse=True)
            return "date", values, date_labels(values), rank
        values, rank = sorted_text(self.text(present))
        return "text", values, tuple(values), rank

    def kind_of(self, present: pa.Array) -> str:
        """Return the kind of the type, or for untyped text the kind of all values."""
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
        """Return the kind of all values; codes, and numbers that floats would not distinguish, stay text."""
        bare = trimmed(present)
        leading = matches(bare, LEADING_ZERO).any()
        if not leading and matches(bare, INTEGER).all():  # the common case first
            return "number"
        number = numbers_in(bare, "")
        if number.any() and leading:  # codes: numbers would lose the zero
            return "text"
        if number.all():
            text = matches(bare, INFINITE).all() or codes(bare) or beyond_floats(bare)
            return "text" if text else "number"
        if grouped(bare, "."):  # for example versions and IP addresses
            return "text"
        if notations_of(bare) and not leading:
            return "text" if beyond_floats(plain_numbers(bare, self.notation_of(bare))) else "number"
        number = _mostly_numbers(bare)
        if not leading and number.mean() >= MOSTLY:
            raise self.mixed(bare, number)
        if matches(bare, DATE).all() or matches(bare, DOTTED).all() or matches(bare, YEAR_FIRST).all():
            return "text" if parsed_dates(bare) is None else "date"
        return "date" if self.order_of(bare) else "text"

    def notation_of(self, bare: pa.Array) -> str:
        """Return the declared notation of numbers, or the one of all values."""
        if self.declared and self.declared.notation:
            return self.declared.notation
        fitting = notations_of(bare)
        if len(fitting) > 1:
            commas, decimals = (self.declare(f"number {one}") for one in (THOUSANDS_COMMAS, DECIMAL_COMMAS))
            raise self.undecided(
                "a comma may separate thousands or decimals; "
                f"{commas} for thousands, {decimals} for decimals, or {self.declare('text')}",
                *(f"number {one}" for one in fitting),
            )
        return fitting[0] if fitting else ""

    def order_of(self, bare: pa.Array) -> str:
        """Return an order of day, month and year in which all values are dates; empty if there is none."""
        fitting = date_orders(bare)
        if len(fitting) > 1:
            day, month = (self.declare(f"date {one}") for one in (DAY_FIRST, MONTH_FIRST))
            raise self.undecided(
                f"the first part of dates may be the day or the month; {day}, {month}, or {self.declare('text')}",
                *(f"date {one}" for one in fitting),
            )
        return fitting[0] if fitting else ""

    def undecided(self, message: str, *choices: str) -> Undecided:
        """Return the error for ambiguous values."""
        error = Undecided(str(self.bad(message)))
        error.choices = (*choices, "text")
        return error

    def doubts(self, present: pa.Array, kind: str) -> Iterator[str]:
        """Yield notes on values that could have been read differently, or were changed."""
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
            elif matches(bare, SLASHED).all() and not (self.declared and self.declared.notation):
                order = "day/month/year" if self.order_of(bare) == DAY_FIRST else "month/day/year"
                yield f"read as {order}: the other order is not valid for every value, or gives the same dates"
            elif (matches(bare, ZONE) & ~matches(bare, r"(Z|[+-]00:?00)$")).any():
                yield f"times of other zones are converted to UTC; to keep them unchanged, {self.declare('text')}"
        elif kind == "number":
            if not matches(bare, INTEGER).all():
                yield from self._number_doubts(bare, self.notation_of(bare))
        elif self.declared is None and not self.typed:
            yield from self._text_doubts(present, bare)

    def _typed_doubts(self, present: pa.Array, kind: str) -> Iterator[str]:
        """Yield notes on typed values."""
        if pa.types.is_timestamp(present.type):
            if present.type.tz:
                yield "times are converted to UTC; to keep them unchanged, convert them to text"
            if kind == "date" and finer(present):
                yield f"nanoseconds are truncated to microseconds; to keep them, {self.declare('text')}"
        elif pa.types.is_floating(present.type) and kind == "number":
            values = float64(present)
            if (np.abs(values) >= EXACT).any() and (values != np.floor(values)).any():
                yield "numbers beyond 2^53 are rounded to floats; if they are codes, convert them to text"

    def _number_doubts(self, bare: pa.Array, notation: str) -> Iterator[str]:
        """Yield notes on text that was read as numbers."""
        if loses_digits(plain_numbers(bare, notation)):
            yield f"numbers with too many digits for floats are rounded; if they are codes, {self.declare('text')}"
        if self.declared and self.declared.notation:
            return
        if notation == THOUSANDS_COMMAS:
            decimals = self.declare(f"number {DECIMAL_COMMAS}")
            yield f"commas are read as thousands separators; if they are decimal commas, {decimals}"
        elif notation == DECIMAL_COMMAS and matches(bare, ",").any():
            yield f"commas are read as decimal commas; if they are not, {self.declare('text')}"
        elif notation == DECIMAL_COMMAS:
            yield "dots are read as thousands separators"
        elif grouped(bare, "."):
            thousands = self.declare(f"number {DECIMAL_COMMAS}")
            yield f"dots are read as decimal points; if they separate thousands, {thousands}"
        if self.declared is None and matches(bare, POWER).any():
            yield f"values such as 2E3 are read as 2000; if they are codes, {self.declare('text')}"

    def _text_doubts(self, present: pa.Array, bare: pa.Array) -> Iterator[str]:
        """Yield notes on text that was not read as numbers."""
        if grouped(bare, ".") and not matches(bare, NUMBER).all():
            yield f"read as text, because dots may separate thousands; to read numbers, {self.declare('number')}"
        if matches(bare, NUMBER).all() and not matches(bare, LEADING_ZERO).any():
            if codes(bare):
                yield f"read as text, because 2E3 and the like may be codes; if they are not, {self.declare('number')}"
            elif beyond_floats(bare):
                yield self._rounding()
        if len(bare.unique()) < len(present):
            yield "values that differ only in blanks around them are kept distinct; remove the blanks to merge them"

    def _rounding(self) -> str:
        return (
            "read as text, because numbers beyond 2^53 would be rounded together with decimals; "
            f"if they are measurements, {self.declare('number')}"
        )

    def declare(self, kind: str) -> str:
        """Return the advice to declare this column's type."""
        return f"use {Fix.TYPES({self.name: kind})}"

    def mixed(self, bare: pa.Array, number: np.ndarray) -> Mixed:
        """Return the error for a column of numbers with a few other values."""
        others = np.flatnonzero(~number)
        found = self.first(others)
        place = f", the first in record {found:,}" if found else ""
        error = Mixed(
            str(
                self.bad(
                    f"mixed types: {len(others):,} of {len(number):,} distinct values are not numbers{place}; "
                    f"{self.declare('text')}, add markers of missing values to {Fix.MISSING([])}, or correct the data"
                )
            )
        )
        error.texts = tuple(bare.take(pa.array(others[:OFFENDING])).to_pylist())
        return error

    def numbers(self, present: pa.Array) -> np.ndarray:
        """Return int64 if all values are integers, otherwise float64."""
        kind = present.type
        if pa.types.is_large_string(kind):
            present = trimmed(present)
            if not matches(present, INTEGER).all():
                notation = self.notation_of(present)
                found = bool(notation) or numbers_in(present, "").all()
                number = numbers_in(present, notation) if found else _mostly_numbers(present)
                if not number.all():
                    raise self.mixed(present, number)
                present = plain_numbers(present, notation)
            if not matches(present, INTEGER).all():
                return self.floats(float64(present))
            present = pc.replace_substring_regex(present, r"^\+", "")
        elif pa.types.is_floating(kind):
            return self.floats(float64(present))
        elif not (pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)):
            raise self.bad("these values are not numbers; declare another type")
        try:
            return present.cast(pa.int64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            pass
        raise self.beyond()

    def floats(self, values: np.ndarray) -> np.ndarray:
        """Return floats as integers if all of them are whole."""
        if np.isinf(values).any():
            raise self.bad(f"there are infinite values; replace them, or {self.declare('text')}")
        numbers = whole(values)
        if self.declared is None and numbers.dtype.kind == "f" and (values == np.floor(values)).all():
            raise self.beyond(f"; if they are measurements, {self.declare('number')}")
        return numbers

    def beyond(self, way: str = "") -> BadInput:
        return self.bad(f"integers beyond 64 bits; if they are codes, {self.declare('text')}{way}")

    def dates(self, present: pa.Array) -> np.ndarray:
        """Return datetime64[D] if no value has a time of day, otherwise datetime64[us] (in UTC if a zone is given)."""
        values = notation = None
        if pa.types.is_large_string(present.type):
            bare = trimmed(present)
            notation = self.declared if self.declared and self.declared.notation else None
            if notation is None and (order := self.order_of(bare)):
                notation = ColumnType("date", order)
            values = parsed_dates(bare, notation)
        elif pa.types.is_date(present.type) or pa.types.is_timestamp(present.type):
            values = present.to_numpy(zero_copy_only=False)
        if values is None:
            form = f"in the format {notation.notation}" if notation else "such as 2024-12-31 or 31.12.2024"
            example = Fix.TYPES({self.name: "date %d %b %Y"})
            raise self.bad(
                f"not all values are dates {form}; declare another format, as in {example}, another type, or correct "
                "the data"
            )
        days = values.astype("datetime64[D]")
        if days.min() < FIRST or days.max() > LAST:
            raise self.bad("dates outside the years 1 to 9999; correct them, or list them as missing values")
        return days if (days == values).all() else values.astype("datetime64[us]")

    def text(self, present: pa.Array) -> pa.Array:
        """Return the values as text."""
        kind = present.type
        if pa.types.is_boolean(kind):
            return pa.array([str(value) for value in present.to_pylist()], pa.large_string())
        if pa.types.is_floating(kind):
            return pa.array(number_labels(whole(float64(present))), pa.large_string())
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            exact = present.to_numpy(zero_copy_only=False) if finer(present) else self.dates(present)
            return pa.array(date_labels(exact), pa.large_string())
        return present.cast(pa.large_string())


def _mostly_numbers(bare: pa.Array) -> np.ndarray:
    """Return which values are numbers, in the notation of most of them."""
    return max((numbers_in(bare, one) for one in ("", THOUSANDS_COMMAS, DECIMAL_COMMAS)), key=np.count_nonzero)
