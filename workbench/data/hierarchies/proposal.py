"""Propose a hierarchy for a column from its values, with a reason in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from workbench.base.figures import format_number, format_whole_percent
from workbench.data.column import Column
from workbench.data.hierarchies.builders import DATES, Builder, Dates, Groups, Intervals, Prefixes
from workbench.data.lexicon import has_word

FEW = 8  # up to so many values need no groups
MANY = 20  # text columns with more values are searched for common parts
LEVELS = 4
CROWDED = 0.6  # with a larger share of the records in a tenth of the range, equal widths are useless
CODE = re.compile(r"(?=.{2,10}$)[A-Z]{0,3}\d[A-Z\d]*[.-]?[A-Z\d]*-*")  # for example of diagnoses: V202-, E11.9, 4019
MOST = 0.9  # minimum share of the values that are such codes
SEPARATORS = "-/:|_.,; "

Proposal = tuple[Builder | None, str]


def propose(column: Column) -> Proposal:
    """Return a builder for this column, or None if it needs no hierarchy, and the reason."""
    if len(column.values) <= FEW:
        return None, f"{len(column.values)} values are few, so no groups are needed."
    return {"number": _numbers, "date": _dates, "text": _text}[column.kind](column)


def _numbers(column: Column) -> Proposal:
    if not math.isfinite(float(column.values[-1]) - float(column.values[0])):
        return None, "the range of the values is too large for numbers."
    values = (column.values - column.values[0]).astype(float)  # differences distinguish integers beyond 2^53
    counts = np.asarray(column.counts, dtype=float)
    low, high = column.values[[0, -1]].tolist()
    if column.values.dtype.kind in "iu" and low >= 1 and high <= 12 and has_word(column.name, ("month",)):
        return Intervals(widths=(3, 6), origin=1), "months: quarters and halves of the year."
    tenths = np.histogram(values, bins=10, weights=counts)[0]
    crowd = tenths.max() / max(counts.sum(), 1)
    if crowd > CROWDED:
        reason = (
            f"{format_whole_percent(crowd)} of the records are in a tenth of the range, so groups are equally filled."
        )
        return Intervals(quantiles=(16, 8, 4)), reason
    whole = column.values.dtype.kind in "iu"
    widths = _round_widths(high - low, max((high - low) / 100, 2 if whole else 0))
    if not widths:
        return None, f"values from {format_number(low)} to {format_number(high)} are too close for round intervals."
    return Intervals(
        widths=widths
    ), f"values from {format_number(low)} to {format_number(high)} are spread well enough for round intervals."


def _round_widths(span: float, least: float) -> tuple[float, ...]:
    """Return up to four of 1, 2, 5 x 10^n, each a multiple of the one before, the widest at most half the span."""
    chosen: list[Decimal] = []
    top = math.floor(math.log10(span / 2))
    for exponent in range(top, top - LEVELS, -1):
        for digit in (5, 2, 1):
            width = Decimal(digit).scaleb(exponent)
            fits = least <= width <= span / 2 and (not chosen or chosen[-1] % width == 0)
            if fits and len(chosen) < LEVELS:
                chosen.append(width)
    return tuple(int(w) if w == int(w) else float(w) for w in reversed(chosen))


def _dates(column: Column) -> Proposal:
    useful, runs = [], len(column.values)
    for name in DATES:
        groups = len(Dates((name,))(column).levels[0].starts)
        if 1 < groups < runs:
            useful.append(name)
            runs = groups
    span = f"dates from {column.labels[0]} to {column.labels[-1]}"
    if not useful:
        return None, f"{span} are in one {DATES[-1]}, and no two have the same day."
    return Dates(tuple(useful)), f"{span} span several of each: {', '.join(useful)}."


def _codes(labels: Sequence[str]) -> Proposal | None:
    """Propose prefixes for codes: digits of one length, such as zip codes, or capitals and digits."""
    length = max(map(len, labels))
    digits = all(len(v) == length and v.isdecimal() for v in labels)
    if length < 3 or not (digits or sum(map(bool, map(CODE.fullmatch, labels))) >= MOST * len(labels)):
        return None
    keep, groups = [], len(labels)
    for k in range(length - 1, 0, -1):
        distinct = len({v[:k] for v in labels})
        if 1 < distinct < groups:
            keep.append(k)
            groups = distinct
    if not keep:
        return None
    what = f"all {len(labels)} values are codes of" if digits else f"{len(labels)} values are codes of at most"
    return Prefixes(tuple(keep[:LEVELS])), f"{what} {length} {'digits' if digits else 'characters'}."


def _text(column: Column) -> Proposal:
    labels = column.labels
    if len(labels) <= MANY:
        return None, f"{len(labels)} values without a known order: group them by meaning if possible."
    if codes := _codes(labels):
        return codes
    for separator in SEPARATORS:
        heads: dict[str, list[str]] = {}
        for value in labels:
            if separator in value[1:]:
                heads.setdefault(value[0] + value[1:].split(separator)[0], []).append(value)
        covered = sum(map(len, heads.values()))
        if covered >= 0.8 * len(labels) and 1 < len(heads) <= len(labels) / 2:
            groups_of = {f"{head}{separator}*": values for head, values in heads.items() if len(values) > 1}
            if not set(groups_of) & set(labels):
                share = f"{covered} of {len(labels)} values"
                return Groups((groups_of,)), f"{share} have a common part before {separator!r}."
    return None, f"{len(labels)} values without an order or common parts: group them by meaning if possible."
