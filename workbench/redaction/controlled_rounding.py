"""Rounding of counts to multiples of the threshold (`smallest`): parts that still add up, and single numbers.

Each count is rounded to the nearest multiple below it or above it (a multiple may stay), and the rounded parts of a
total add up to the rounded total. A secret decides which counts are rounded up: it derives a pseudo-random number from
the name of each count. These numbers are the same in each publication, so publishing a table twice discloses nothing
more, and they do not depend on the data. So the exact count is less than the threshold below the published count, or at
most the threshold above it: a published 0, if somebody is known to be counted, means at most the threshold. Only the
total is rounded to the nearest multiple.

References: Cox, A constructive procedure for unbiased controlled rounding, JASA 82 (1987); Rosén, On sampling with
probability proportional to size, J. Statist. Plann. Inference 62 (1997), for the choice by ranked random numbers.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from workbench.base.figures import format_whole_percent

FAR = 1e6  # cost of using a multiple that is not adjacent; ranks cost at most a few hundred
SECRET = secrets.token_bytes(32)  # for tables that this process publishes without a store


class Decided(NamedTuple):
    """The rounded counts of a part of a table: its records, and those of each value by column."""

    records: int
    counts: Mapping[str, Mapping[str, int]]


class Parts(Protocol):
    """A table that contains another table."""

    def decided(self, secret: bytes, threshold: int) -> Decided:
        """Return the counts of the part, rounded jointly with those of the other parts."""


@dataclass(frozen=True, eq=False)
class Rounding:
    """The rounding of a table's counts: the secret, and the table that it is a part of."""

    secret: bytes = b""
    threshold: int = 0  # the study's
    part_of: Parts | None = None

    def with_secret(self, secret: bytes) -> Rounding:
        """Return the same rounding with another secret."""
        return replace(self, secret=secret)

    @cached_property
    def _decided(self) -> Decided | None:
        return None if self.part_of is None else self.part_of.decided(self.secret, self.threshold)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the decided counts, without the table that this one is a part of."""
        return {**self.__dict__, "_decided": self._decided}

    def total(self, exact: int, threshold: int) -> int:
        """Return the published number of records."""
        if self._decided is not None and threshold == self.threshold:
            return self._decided.records
        return round_count(exact, threshold)

    def counts(self, name: str, labels: Sequence[str], exact: np.ndarray, threshold: int) -> np.ndarray:
        """Return the published numbers of records of each value of a column, or of each group of a partition."""
        if threshold <= 1:
            return np.asarray(exact)
        if self._decided is not None and threshold == self.threshold and name in self._decided.counts:
            known = self._decided.counts[name]
            return np.array([known.get(label, 0) for label in labels], np.int64)
        total = self.total(round(float(np.sum(exact))), threshold)
        return round_parts(exact, threshold, total, self.draws(name, labels))

    def draws(self, name: str, labels: Iterable[str]) -> np.ndarray:
        """Return a reproducible number between 0 and 1 for each count."""
        key = self.secret or SECRET
        return np.array([_uniform(key, f"{name}\0{label}") for label in labels])


BY_ITSELF = Rounding()  # for a table that is published without a study


def _uniform(key: bytes, words: str) -> float:
    found = hashlib.blake2b(words.encode(), key=key[:64], digest_size=8).digest()
    return (int.from_bytes(found, "big") + 0.5) / 2**64


def round_parts(exact: np.ndarray, threshold: int, total: int, draws: np.ndarray) -> np.ndarray:
    """Return multiples of the threshold that add up to `total`, each adjacent to its exact count.

    A count that is r above the multiple below it is rounded up with a probability of about r / `threshold`. If no
    rounding to adjacent multiples adds up (because other parts decide the total), some counts move further.
    """
    steps, part = _steps(np.asarray(exact, float), threshold)
    order = np.argsort(_rank(part, draws, threshold), kind="stable")
    order = order[part[order] > 0]
    missing = total // threshold - int(steps.sum())
    up = order[: max(missing, 0)]
    steps[up] += 1
    return threshold * _further(steps, missing - len(up), order)


def _steps(exact: np.ndarray, threshold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the multiples strictly below positive counts, in thresholds, and the remaining parts of a threshold."""
    steps = np.maximum(np.ceil(exact / threshold - 1e-9) - 1, 0).astype(np.int64)
    return steps, np.clip(exact / threshold - steps, 0, 1)


def _rank(part: np.ndarray, draws: np.ndarray, threshold: int) -> np.ndarray:
    """Return the logarithm of Rosén's ranking variable (Pareto sampling): the smallest are chosen.

    A multiple is not certain to be rounded up either; otherwise no count would be published as 0.
    """
    part = np.minimum(part, 1 - 1 / (2 * threshold))
    with np.errstate(divide="ignore"):
        return np.log(draws / (1 - draws)) - np.log(part / np.maximum(1 - part, 1e-12))


def _further(steps: np.ndarray, missing: int, order: np.ndarray) -> np.ndarray:
    """Move steps one by one in the order of the draws, until they add up."""
    while missing and len(order):
        for i in order if missing > 0 else order[::-1]:
            if missing > 0 or steps[i] > 0:
                move = int(math.copysign(1, missing))
                steps[i] += move
                missing -= move
            if not missing:
                break
    return steps


def round_table(
    exact: np.ndarray, threshold: int, rows: np.ndarray, columns: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """A table of counts in multiples of the threshold whose rows and columns add up to rounded totals.

    A transport problem: each count is at a neighboring multiple where the totals allow it, and as many steps away as
    they need where not. Its constraints are totally unimodular, so the linear program has a solution in whole steps.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    exact = np.asarray(exact, np.int64)
    many, wide = exact.shape
    steps, part = _steps(exact, threshold)
    between = (part > 0).ravel()
    prices = np.where(between, np.clip(_rank(part, draws, threshold).ravel(), -300, 300), 0.0)
    cells = np.arange(many * wide)
    used = np.concatenate([cells[between], cells, cells])  # to the multiple above; further up; down
    sign = np.concatenate([np.ones(int(between.sum())), np.ones(len(cells)), -np.ones(len(cells))])
    high = np.concatenate([np.ones(int(between.sum())), np.full(len(cells), np.inf), steps.ravel().astype(float)])
    empty = exact.ravel() == 0
    further = FAR * np.where(empty, 100.0, 1.0)
    cost = np.concatenate([prices[between], further, further])
    which = np.arange(len(used))
    sums = csr_array(
        (np.tile(sign, 2), (np.concatenate([used // wide, many + used % wide]), np.tile(which, 2))),
        shape=(many + wide, len(used)),
    )
    missing = np.concatenate([rows // threshold - steps.sum(axis=1), columns // threshold - steps.sum(axis=0)])
    bounds = np.column_stack([np.zeros(len(used)), high])
    found = linprog(cost, A_eq=sums, b_eq=missing, bounds=bounds, method="highs-ds")
    if not found.success:
        raise RuntimeError(f"the linear program of controlled rounding failed: {found.message}")
    moved = np.bincount(used, sign * np.round(found.x), minlength=len(cells)).astype(np.int64)
    return threshold * (steps + moved.reshape(many, wide))


# Rounding of numbers of people on pages, by the study's threshold (`smallest`).
#
# A released file may show a class of seven people to its recipients; a page that many people read does not. Every
# number of people is rounded to a multiple of the threshold, whatever it counts and however large it is, so that a
# number, a share or a difference of two fits many counts. Tables of few people list no groups (`may_list_groups`).

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
