"""What is said of the groups of a release: how many there are, in what order they are listed, how exposed each is."""

from __future__ import annotations

import math

from workbench.base.figures import figures
from workbench.publication.reader import Published
from workbench.publication.shapes import ClassRow

NOISE = 1e-6  # per cent
WITHIN = "Others may be within the same values: which group somebody is in stands beside each record."


def are(study: Published, index: int) -> str:
    """What the groups of a release are: buckets tell people apart, and their values not."""
    apart = (
        "whose sensitive values are published together" if study.opened(index)["exact"] else "that are not told apart"
    )
    return f"of {study.wording.many} {apart}"


def counted(study: Published, index: int) -> str:
    """Into how many groups a release puts people."""
    classes, records = study.opened(index)["classes"], study.results["table"]["records"]
    if not isinstance(classes, int):
        return ""
    mean = f"about {figures(float(f'{records / classes:.2g}'))} on average"
    return f"{classes:,} {'group' if classes == 1 else 'groups'} {are(study, index)}, {mean}"


def who(study: Published, index: int) -> str:
    """What the labels of a group say: who they are; of a bucket no more than within which values all of them are."""
    return "All are within" if study.opened(index)["exact"] else "Who they are"


def unlisted(study: Published, index: int) -> str:
    """Why the classes of a release are not listed; nothing where they are."""
    classes = study.opened(index)["classes"]
    return "" if isinstance(classes, int) else f"{classes['reason'][:1].upper()}{classes['reason'][1:]}."


def order(study: Published, index: int) -> str:
    """In what order the classes of a release are listed."""
    if unlisted(study, index):
        return ""
    detail = study.opened(index)
    few, fewer, every, tied = detail["small"], detail["fewer"], detail["classes"], detail["tied"]
    small = f"fewer than {fewer:,} {study.wording.many}"
    if few == every:
        return f"All are groups of {small}: the most exposed first, as far as rounding allows."
    first = "The most exposed first"
    if tied > 1:
        first += f"; the first {tied:,} are published as equally exposed and are ordered by the highest belief"
    of = "group of" if few == 1 else "groups of"
    last = f"{first}. At the end {few:,} {of} {small}." if few else f"{first}."
    return f"{last} {WITHIN}" if detail["exact"] else last


def how_many(study: Published, row: ClassRow) -> str:
    """The people of one row of the table of classes."""
    count, wording = row["people"], study.wording
    return f"fewer than {row['fewer']:,} {wording.many}" if count is None else wording.people(count, study.smallest)


def how_exposed(row: ClassRow) -> str:
    """The exposure of one row of that table: what it is at least and at most, as far as that is told."""
    low, high = math.floor(100 * row["fewest"] + NOISE), math.ceil(100 * row["share"] - NOISE)
    if (low, high) == (0, 100):
        return "not told"
    return f"{low} %" if low == high else f"{low} to {high} %"
