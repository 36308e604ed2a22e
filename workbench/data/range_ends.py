"""Allowed ends of published ranges, so that no end reveals the value of a few records.

A range may begin or end at a value shared by at least `threshold` records, or at a round number between two values.
There are at least `threshold` records between neighboring round numbers, and between a round number and the next shared
value, so no end reveals anybody's value more precisely. Other ranges are extended to the next allowed end; without one
the range is open: "under 20", "80 and over".
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from workbench.data.column import Column

ANY = "[..]"  # a range that is open at both ends
LARGEST = 1e15  # larger numbers are not rounded: floats no longer distinguish neighbors
DECIMALS = 9  # decimals of the finest round number
COARSE = 4.999  # minimum step, in steps between values, of round numbers that are somebody's value
CALENDAR = (("Y", 10), ("Y", 5), ("Y", 1), ("M", 6), ("M", 3), ("M", 1), ("D", 1))
CLOCK = (("h", 12), ("h", 6), ("h", 1), ("m", 30), ("m", 10), ("m", 1), ("s", 1))


class End(NamedTuple):
    """The text at one end of a range; `closed` if the value belongs to the range."""

    text: str
    closed: bool


@dataclass(frozen=True, eq=False)
class Ends:
    """The smallest allowed range around each code (its first and last code), and the text at its ends.

    A range is open at a code that `lower` or `upper` lacks.
    """

    start: np.ndarray
    end: np.ndarray
    lower: Mapping[int, End]
    upper: Mapping[int, End]
    boundaries: np.ndarray  # codes at which a new group may begin, ascending

    @classmethod
    def from_column(cls, column: Column, threshold: int) -> Ends:
        """Find the allowed ends for a column of numbers or dates; missing is a range by itself."""
        counts, codes = np.asarray(column.counts), np.arange(len(column.values))
        shared = counts >= threshold
        start = np.maximum(np.maximum.accumulate(np.where(shared, codes, -1)), 0)
        end = np.minimum.accumulate(np.where(shared, codes, len(codes) - 1)[::-1])[::-1].copy()
        known = {code: End(column.labels[code], True) for code in np.flatnonzero(shared).tolist()}
        lower, upper, cuts = dict(known), dict(known), dict[int, str]()
        for first, last in _runs(~shared):
            if counts[first : last + 1].sum() < threshold:
                continue
            found = _round_cuts(column, first, last, threshold)
            begins = np.array([first, *sorted(found)])
            ends = np.append(begins[1:] - 1, last)
            start[first : last + 1] = np.repeat(begins, ends - begins + 1)
            end[first : last + 1] = np.repeat(ends, ends - begins + 1)
            cuts |= found
            if first:
                lower[first] = End(column.labels[first - 1], False)
            if last < len(codes) - 1:
                upper[last] = End(column.labels[last + 1], False)
        for code, text in cuts.items():
            lower[code], upper[code - 1] = End(text, True), End(text, False)
        either = np.flatnonzero(shared[1:] | shared[:-1]) + 1
        boundaries = np.union1d(either, np.array([*cuts], np.int64)).astype(np.int64)
        if column.missing:
            start, end = np.append(start, len(codes)), np.append(end, len(codes))
        return cls(start, end, lower, upper, boundaries)

    def outward(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest allowed ranges that contain these."""
        return self.start[low].astype(low.dtype), self.end[high].astype(high.dtype)

    def allows(self, low: int, high: int) -> bool:
        """Return whether a range may be published unchanged; it may include missing values."""
        return bool(self.start[low] == low and self.end[high] == high)

    def nearest_boundaries(self, starts: np.ndarray) -> np.ndarray:
        """Move the first codes of groups to the nearest boundaries; groups without one are merged."""
        inside = self.boundaries[np.searchsorted(self.boundaries, 1) :]
        if not len(inside):
            return starts[:1]
        at = np.searchsorted(inside, starts[1:])
        right, left = inside[np.minimum(at, len(inside) - 1)], inside[np.maximum(at - 1, 0)]
        nearest = np.where(np.abs(starts[1:] - left) <= np.abs(right - starts[1:]), left, right)
        return np.append(starts[:1], np.unique(nearest)).astype(starts.dtype)

    def text(self, column: Column, low: int, high: int) -> str:
        """Return the label of a range."""
        return range_text(column, *self.printed(column, low, high))

    def printed(self, column: Column, low: int, high: int) -> tuple[End | None, End | None]:
        """Return the texts at both ends of a range; None if the range is open.

        The end of the neighboring range is used if that is shared and the own end is not.
        """
        below, above = self.lower.get(low), self.upper.get(high)
        if below is None and low - 1 in self.upper:
            text, closed = self.upper[low - 1]
            below = End(text, not closed)
        if above is None and high + 1 in self.lower:
            text, closed = self.lower[high + 1]
            above = End(text, not closed)
        if below is None and low:  # a range of a query, or of a table published unchanged
            below = End(column.labels[low], True)
        if above is None and high < len(column.values) - 1:
            above = End(column.labels[high], True)
        return below, above


def range_text(column: Column, below: End | None, above: End | None) -> str:
    """Return the label of a range of numbers or dates; an end that is None is open."""
    dates = column.kind == "date"
    if below is None:
        words = ("until", "before") if dates else ("up to", "under")
        return ANY if above is None else f"{words[not above.closed]} {above.text}"
    if above is None and dates:
        return f"{'from' if below.closed else 'after'} {below.text}"
    if above is None:
        return f"{below.text} and over" if below.closed else f"over {below.text}"
    opening, closing = "[" if below.closed else "(", "]" if above.closed else ")"
    plain = below.closed and above.closed and column.values.dtype.kind == "i" and column.values[0] >= 0
    return f"{opening}{below.text}{'-' if plain else '..'}{above.text}{closing}"


def _runs(wanted: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of each run of True."""
    steps = np.diff(wanted.astype(np.int8), prepend=0, append=0)
    yield from zip(np.flatnonzero(steps == 1).tolist(), (np.flatnonzero(steps == -1) - 1).tolist(), strict=True)


def _round_cuts(column: Column, first: int, last: int, threshold: int) -> dict[int, str]:
    """Return the codes between `first` and `last` before which a range may end, with the round number there.

    The roundest numbers come first, and numbers that are nobody's value come before the others.
    """
    values, counts = column.values[first : last + 1], np.asarray(column.counts[first : last + 1])
    before = np.append(0, np.cumsum(counts))
    chosen, found = [0, len(counts)], dict[int, str]()

    def has_room(place: int) -> bool:
        here = bisect_left(chosen, place)
        left, right = chosen[here - 1], chosen[here]
        return before[place] - before[left] >= threshold and before[right] - before[place] >= threshold

    kinds = list(_round_dates(values) if column.kind == "date" else _round_numbers(values))
    for kind, unused in [(kind, True) for kind in kinds] + [(kind, False) for kind in kinds if kind.coarse]:
        inside = (kind.next > values[:-1]) & (kind.next < values[1:] if unused else kind.next <= values[1:])
        places, bins = np.flatnonzero(inside) + 1, np.array(chosen)
        at = np.searchsorted(bins, places)
        left, right = before[bins[at - 1]], before[bins[at]]
        likely = (before[places] - left >= threshold) & (right - before[places] >= threshold)
        for place in places[likely].tolist():
            if has_room(place):
                insort(chosen, place)
                found[first + place] = kind.written(kind.next[place - 1])
    return found


class RoundNumbers(NamedTuple):
    """Equally round numbers: the next such number above each value except the last."""

    next: np.ndarray
    written: Callable[[Any], str]
    coarse: bool  # there are fewer of them than possible values


def _round_numbers(values: np.ndarray) -> Iterator[RoundNumbers]:
    """Yield the multiples of 1 and 5 at each power of ten, the roundest first."""
    if len(values) < 2 or float(np.abs(values.astype(float)).max()) > LARGEST:
        return
    decimals = 0 if values.dtype.kind in "iu" else min(max(map(_decimals, values.tolist())), DECIMALS)
    span = float(values[-1]) - float(values[0])
    for power in range(math.ceil(math.log10(max(span, 10.0**-decimals))) + 1, -decimals - 1, -1):
        for factor, exponent in ((1, power), (5, power - 1)):
            if exponent >= -decimals:
                step, places = factor * 10.0**exponent, max(-exponent, 0)
                below = np.floor(np.round(values[:-1] / step, 6))
                numbers = np.round((below + 1) * step, places)
                yield RoundNumbers(numbers, partial(_written, places=places), step >= COARSE * 10.0**-decimals)


def _decimals(number: float) -> int:
    return len(np.format_float_positional(number, trim="-").partition(".")[2])


def _written(number: float, places: int) -> str:
    text = f"{number:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def _round_dates(values: np.ndarray) -> Iterator[RoundNumbers]:
    """Yield the beginnings of decades, years, months and days, and for times of day of hours, minutes and seconds."""
    moments = values.dtype != "datetime64[D]"
    for unit, many in (*CALENDAR, *(CLOCK if moments else ())):
        origin = 1970 if unit == "Y" else 0  # numpy counts years from 1970
        number = (values[:-1].astype(f"datetime64[{unit}]").astype(np.int64) + origin) // many + 1
        starts = (number * many - origin).astype(f"datetime64[{unit}]").astype(values.dtype)
        yield RoundNumbers(starts, partial(_day, unit="s" if unit in dict(CLOCK) else "D"), unit != "D")


def _day(start: np.datetime64, unit: Any) -> str:
    return str(np.datetime_as_string(start, unit=unit))
