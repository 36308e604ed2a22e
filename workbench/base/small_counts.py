"""Small counts: what a page may say of numbers of people, all of them as coarse as a study's smallest count.

A release may well show a class of seven people to whoever gets the file. What is published beside it to be read by
many doesn't. Every number of people is rounded to a multiple of the threshold, whatever it counts and however large it
is: a number, a share or the difference of two then fits many counts. Of a table of few people nothing is told of
single groups (`may_list_groups`).
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np

from workbench.base.figures import about_per_cent

SMALLEST = 10  # people: the threshold where a study says nothing else
FINEST = 2  # the least that may be said: by 1 numbers would be exact
STEPS = (100, 20, 10)  # parts that a share is told in, where there are as many times the threshold of people
LISTED = 60  # times the threshold: of a table of fewer people nothing is told of single groups
PREFERRED = (  # series of preferred numbers (IEC 60063), by the times of the threshold below which they are used
    (100, (1.0, 1.5, 2.2, 3.3, 4.7, 6.8)),
    (1000, (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)),
)
QUARTERS = 4  # where there are fewer


def coarse(count: float, smallest: int) -> int:
    """The nearest multiple of the threshold; some people are at least one."""
    step = max(smallest, 1)
    return max(step * int((2 * count + step) // (2 * step)), step) if count > 0 else 0


def few(smallest: int) -> int:
    """The first number of people that is told as more than "fewer than" itself."""
    return math.ceil(1.5 * max(smallest, 1))


def least(count: int, smallest: int) -> int:
    """The fewest people that are told in the same words."""
    return 1 if count < few(smallest) else math.ceil(coarse(count, smallest) - max(smallest, 1) / 2)


def people(count: int, smallest: int, one: str = "person", many: str = "people") -> str:
    """How many people, or other records, as the threshold allows."""
    if count == 0:
        return "nobody" if many == "people" else f"no {many}"
    if smallest <= 1:
        return f"1 {one}" if count == 1 else f"{count:,} {many}"
    if count < few(smallest):
        return f"fewer than {few(smallest):,} {many}"
    return f"about {coarse(count, smallest):,} {many}"


def some_of(count: int, of: int, smallest: int, one: str = "person", many: str = "people") -> str:
    """So many of all people, or other records, as the threshold allows."""
    every = people(of, smallest, one, many)
    if count and coarse(count, smallest) == coarse(of, smallest) and smallest > 1:
        return f"all or nearly all of {every}"
    some = people(count, smallest, one, many)
    return f"{some.rsplit(' ', len(many.split()))[0]} of {every}" if count else some


def parts(of: int, smallest: int) -> int:
    """In how many parts a share of so many people is told: one is the threshold or more, but of few people."""
    told, step = coarse(of, smallest), max(smallest, 1)
    return next((n for n in STEPS if told >= n * step), QUARTERS)


def share(count: float, of: int, smallest: int) -> float:
    """The share, in as many parts as the number of people allows."""
    n = parts(of, smallest)
    return round(n * count / of) / n


def about_share(count: int, of: int, smallest: int) -> str:
    """A share in per cent: of few people in quarters."""
    if parts(of, smallest) == QUARTERS:
        quarter = min(QUARTERS * count // of, QUARTERS - 1)
        return between(quarter / QUARTERS, (quarter + 1) / QUARTERS)
    return about_per_cent(share(count, of, smallest))


def between(low: float, high: float) -> str:
    """A share of which its ends are told.

    >>> between(0.5, 0.64), between(0.75, 1), between(0, 0.25)
    ('50–64 %', 'over 75 %', 'under 25 %')
    """
    if high == 1 or low == 0:
        return f"over {about_per_cent(low)}" if high == 1 else f"under {about_per_cent(high, 'lower')}"
    return f"{100 * low:.0f}–{about_per_cent(high, 'lower')}"


def may_list_groups(records: int, smallest: int) -> bool:
    """Whether a table has so many people that anything is told of single groups.

    Each cut of a group is at a median: among few people the bounds of groups tell how many are in each of them, and
    what is told of one leaves few tables that all of it fits.
    """
    return smallest <= 1 or records >= LISTED * smallest


def named(totals: np.ndarray, smallest: int) -> np.ndarray:
    """Which values of a column may be named: those that more people have than are told as few."""
    return totals >= (few(smallest) if smallest > 1 else 1)


def averaged(value: float, step: float = 0.0, better: str = "lower", crowd: float = math.inf) -> float:
    """A figure in two figures, and in no finer steps; it never flatters.

    `crowd` is of how many times the threshold of people it is: of fewer than 1,000 times, it is told in a series of
    preferred numbers, since one person more or less would show in its second figure.
    """
    if not math.isfinite(value):
        return value
    rounding = ROUND_FLOOR if better == "higher" else ROUND_CEILING
    if value and step > 10.0 ** (math.floor(math.log10(abs(value))) - 1):
        value = stepped(value, float(Context(prec=1, rounding=ROUND_CEILING).create_decimal(repr(step))), better)
    value = float(Context(prec=2, rounding=rounding).create_decimal(repr(round(value, 12))))
    series = next((numbers for least, numbers in PREFERRED if crowd < least), ())
    return _preferred(value, series, better) if series and value else value


def _preferred(value: float, series: tuple[float, ...], better: str) -> float:
    """The next number of a series that does not flatter."""
    power = 10.0 ** math.floor(math.log10(abs(value)) + 1e-12)
    steps = np.array([*series, 10.0]) * math.copysign(power, value)
    kept = steps[steps <= value + 1e-12 * power] if better == "higher" else steps[steps >= value - 1e-12 * power]
    return float(f"{kept.max() if better == 'higher' else kept.min():.2g}")


def stepped(value: float, step: float, better: str = "lower") -> float:
    """The next multiple of a step that does not flatter."""
    if not (math.isfinite(value) and step > 0):
        return value
    whole = math.floor(value / step + 1e-9) if better == "higher" else math.ceil(value / step - 1e-9)
    return round(whole * step, 12)
