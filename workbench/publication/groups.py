"""Sentences about the groups of a release: their number, order and exposure."""

from __future__ import annotations

import math

from workbench.base.figures import format_number, join_names
from workbench.publication.published_folder import Published
from workbench.publication.published_types import ClassRow
from workbench.redaction.controlled_rounding import STEPS

NOISE = 1e-6  # per cent
WITHIN = "Other people may have the same values: each record states its group."


def are(study: Published, index: int) -> str:
    """Describe the groups of a release; in buckets people can be distinguished, but not their sensitive values."""
    apart = (
        "whose sensitive values are published together"
        if study.opened(index)["exact"]
        else "that cannot be distinguished"
    )
    return f"of {study.wording.many} {apart}"


def counted(study: Published, index: int) -> str:
    """Return the number of groups of a release and their average size."""
    classes, records = study.opened(index)["classes"], study.results["table"]["records"]
    if not isinstance(classes, int):
        return ""
    mean = f"about {format_number(float(f'{records / classes:.2g}'))} on average"
    return f"{classes:,} {'group' if classes == 1 else 'groups'} {are(study, index)}, {mean}"


def who(study: Published, index: int) -> str:
    """Return the heading of group labels; the labels of a bucket only bound the values of its members."""
    return "All are within" if study.opened(index)["exact"] else "Who they are"


def unlisted(study: Published, index: int) -> str:
    """Return why the groups of a release are not listed; empty if they are."""
    classes = study.opened(index)["classes"]
    return "" if isinstance(classes, int) else f"{classes['reason'][:1].upper()}{classes['reason'][1:]}."


def order(study: Published, index: int) -> str:
    """Describe the order in which the groups of a release are listed."""
    if unlisted(study, index):
        return ""
    detail = study.opened(index)
    few, fewer, every, tied = detail["small"], detail["fewer"], detail["classes"], detail["tied"]
    small = f"fewer than {fewer:,} {study.wording.many}"
    if few == every:
        return f"All are groups of {small}: the most exposed first, as far as rounding allows."
    first = "The most exposed first"
    if tied > 1:
        first += f"; the first {tied:,} are published as equally exposed"
        if study.results["table"]["sensitive"]:
            first += ", the strongest belief first"
    words = "group of" if few == 1 else "groups of"
    last = f"{first}. At the end {few:,} {words} {small}." if few else f"{first}."
    return f"{last} {WITHIN}" if detail["exact"] else last


def rounding(study: Published) -> str:
    """Describe the rounding of numbers and shares of groups."""
    many, smallest = study.wording.many, study.smallest
    numbers = f"Numbers of {many} are rounded to multiples of {smallest}"
    if not study.results["table"]["sensitive"]:
        return f"{numbers}."
    steps = [f"{100 / n:g} % in groups of {n * smallest:,} {many} or more" for n in STEPS]
    return f"{numbers}, shares of a group to {join_names(steps, 'or')}; shares of smaller groups are ranges."


def how_many(study: Published, row: ClassRow) -> str:
    """Return the number of people in one row of the table of groups."""
    count, wording = row["people"], study.wording
    return f"fewer than {row['fewer']:,} {wording.many}" if count is None else wording.people(count, study.smallest)


def how_exposed(row: ClassRow) -> str:
    """Return the minimum and maximum exposure of one row, as published."""
    low, high = math.floor(100 * row["fewest"] + NOISE), math.ceil(100 * row["share"] - NOISE)
    if (low, high) == (0, 100):
        return "not published"
    if high == 100 and row["share"] < 1:
        return f"{low} % or more" if low < 99 else "over 99 %"
    return f"{low} %" if low == high else f"{low} to {high} %"
