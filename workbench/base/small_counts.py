"""Rounding of numbers of people on pages, by the study's threshold (`smallest`).

A released file may show a class of seven people to its recipients; a page that many people read does not. Every number
of people is rounded to a multiple of the threshold, whatever it counts and however large it is, so that a number, a
share or a difference of two fits many counts. Tables of few people list no groups (`may_list_groups`).
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np

from workbench.base.figures import format_whole_percent

SMALLEST = 10  # people: the default threshold
FINEST = 5  # the minimum threshold: counts rounded to multiples of less follow from their sums
STEPS = (100, 20, 10)  # parts of a share, for tables of at least so many times the threshold of people
LISTED = 60  # times the threshold: tables of fewer people list no groups
PREFERRED = (  # series of preferred numbers (IEC 60063), by the times of the threshold below which they are used
    (100, (1.0, 1.5, 2.2, 3.3, 4.7, 6.8)),
    (1000, (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)),
)
QUARTERS, HALVES = 4, 2  # parts of shares that are published as ranges


def round_count(count: float, smallest: int) -> int:
    """Round to the nearest multiple of the threshold; at least one threshold unless the count is 0."""
    step = max(smallest, 1)
    return max(step * int((2 * count + step) // (2 * step)), step) if count > 0 else 0


def small_limit(smallest: int) -> int:
    """Return the number below which counts are published as "fewer than" it."""
    return math.ceil(1.5 * max(smallest, 1))


def lower_bound(count: int, smallest: int) -> int:
    """Return the smallest count that is published in the same words."""
    return 1 if count < small_limit(smallest) else math.ceil(round_count(count, smallest) - max(smallest, 1) / 2)


def describe_count(count: int, smallest: int, one: str = "person", many: str = "people") -> str:
    """Describe a rounded number of people, or of other records."""
    if count == 0:
        return "nobody" if many == "people" else f"no {many}"
    if smallest <= 1:
        return f"1 {one}" if count == 1 else f"{count:,} {many}"
    if count < small_limit(smallest):
        return f"fewer than {small_limit(smallest):,} {many}"
    return f"about {round_count(count, smallest):,} {many}"


def describe_part(count: int, total: int, smallest: int, one: str = "person", many: str = "people") -> str:
    """Describe a rounded count as a part of a rounded total."""
    every = describe_count(total, smallest, one, many)
    if count and round_count(count, smallest) == round_count(total, smallest) and smallest > 1:
        return f"all or nearly all of {every}"
    some = describe_count(count, smallest, one, many)
    return f"{some.rsplit(' ', len(many.split()))[0]} of {every}" if count else some


def share_resolution(total: int, smallest: int) -> int:
    """Return the number of steps in which a share is published; each step is at least the threshold of people."""
    rounded, step = round_count(total, smallest), max(smallest, 1)
    return next((n for n in (*STEPS, QUARTERS) if rounded >= n * step), HALVES)


def round_share(count: float, total: int, smallest: int) -> float:
    """Round a share to the steps that the number of people allows."""
    n = share_resolution(total, smallest)
    return round(n * count / total) / n


def describe_usual_share(share: float, total: int, smallest: int) -> str:
    """A share of everybody, whose count may be rounded by less than the threshold, in whole per cent.

    >>> describe_usual_share(20 / 2570, 2571, 10), describe_usual_share(0.35, 2571, 10)
    ('about 1 %', '35 %')
    """
    off = max(smallest - 1, 0) / max(total, 1)
    if 0 < share < 0.01 <= share + off or share - off <= 0.99 < share < 1:
        return "about 1 %" if share < 0.5 else "about 99 %"
    return format_whole_percent(share)


def describe_range(low: float, high: float) -> str:
    """Describe a share by the ends of its range.

    >>> describe_range(0.5, 0.64), describe_range(0.75, 1), describe_range(0, 0.25)
    ('50–64 %', 'over 75 %', 'under 25 %')
    """
    if high == 1 or low == 0:
        return f"over {format_whole_percent(low)}" if high == 1 else f"under {format_whole_percent(high, 'lower')}"
    return f"{100 * low:.0f}–{format_whole_percent(high, 'lower')}"


def may_list_groups(records: int, smallest: int) -> bool:
    """Return whether a table has enough people for its groups to be listed.

    Groups are cut at medians: among few people the bounds of groups reveal their sizes, and only few tables fit the
    published shares of all groups.
    """
    return smallest <= 1 or records >= LISTED * smallest


def may_be_named(totals: np.ndarray, smallest: int) -> np.ndarray:
    """Return which values of a column may be named: those that enough people share."""
    return totals >= (small_limit(smallest) if smallest > 1 else 1)


def round_average(value: float, step: float = 0.0, better: str = "lower", crowd: float = math.inf) -> float:
    """Round an average to two digits, and to no finer steps; the result is never better than the average.

    `crowd` is the number of people in units of the threshold: below 1,000 the result is one of a series of preferred
    numbers, since a single person would change its second digit.
    """
    if not math.isfinite(value):
        return value
    rounding = ROUND_FLOOR if better == "higher" else ROUND_CEILING
    if value and step > 10.0 ** (math.floor(math.log10(abs(value))) - 1):
        value = round_to_step(value, float(Context(prec=1, rounding=ROUND_CEILING).create_decimal(repr(step))), better)
    value = float(Context(prec=2, rounding=rounding).create_decimal(repr(round(value, 12))))
    series = next((numbers for least, numbers in PREFERRED if crowd < least), ())
    return _preferred(value, series, better) if series and value else value


def _preferred(value: float, series: tuple[float, ...], better: str) -> float:
    """Return the nearest preferred number that is not better."""
    power = 10.0 ** math.floor(math.log10(abs(value)) + 1e-12)
    steps = np.array([*series, 10.0]) * math.copysign(power, value)
    kept = steps[steps <= value + 1e-12 * power] if better == "higher" else steps[steps >= value - 1e-12 * power]
    return float(f"{kept.max() if better == 'higher' else kept.min():.2g}")


def round_to_step(value: float, step: float, better: str = "lower") -> float:
    """Return the nearest multiple of a step that is not better."""
    if not (math.isfinite(value) and step > 0):
        return value
    whole = math.floor(value / step + 1e-9) if better == "higher" else math.ceil(value / step - 1e-9)
    return round(whole * step, 12)
