"""Audit the tables of groups that are opened together, and suppress shares that disclose small counts.

All releases that a page opens are solved jointly. If a small count of a group, or of the difference between a group and
another one inside it, would have fewer possible values than the threshold, the smaller group's share is suppressed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.disclosure.several_releases import Units
from workbench.publication.details import Groups
from workbench.redaction.controlled_rounding import QUARTERS, share_resolution, small_limit
from workbench.redaction.share_audit import Share, shares_to_drop
from workbench.releases.published_classes import RedactedClasses

Place = tuple[int, int]  # a release and one of its groups


def audited(table: Table, opened: Sequence[Groups]) -> list[Groups]:
    """Return the same groups, without the shares that leave a small count too few possible values."""
    listed = [i for i, one in enumerate(opened) if _is_listed(one)]
    if not listed:
        return list(opened)
    units = Units.from_releases(table, [opened[i].release for i in listed])
    order = {i: row for row, i in enumerate(listed)}
    groups, threshold = np.stack([units.group_in(opened[i].release) for i in listed]), opened[0].smallest
    hidden = {i: np.zeros(len(opened[i].release.classes), bool) for i in listed}
    for (name, value), places in _stated(opened, listed).items():
        theirs = units.sensitive[name] == value
        shares = [_share(opened[i], order[i], row) for i, row in places]
        others = [
            replace(one, low=total - one.high, high=total - one.low, count=size - one.count)
            for one, total, size in shares
        ]
        for has_it, each in ((True, [one for one, *_ in shares]), (False, others)):
            inside = groups[:, theirs == has_it]
            first, alike = distinct_rows(np.ascontiguousarray(inside.T))
            records = np.bincount(alike, units.weight[theirs == has_it], len(first))
            for number in shares_to_drop(inside[:, first], records, each, threshold):
                i, row = places[number]
                hidden[i][row] = True
    return [replace(one, hidden=hidden[i]) if i in hidden else one for i, one in enumerate(opened)]


def _is_listed(groups: Groups) -> bool:
    try:
        return bool(groups.listed().release.classes.histograms)
    except Undefined:
        return False


def _stated(opened: Sequence[Groups], listed: Sequence[int]) -> dict[tuple[str, int], list[Place]]:
    """Return the groups that publish a share of a value, by column and value."""
    found = defaultdict(list)
    for i in listed:
        redacted = opened[i].redacted
        for row in range(len(redacted.people)):
            seen, label, *_ = redacted.exposed_value(row)
            if label is not None:
                found[seen.name, int(redacted.value[row])].append((i, row))
    return found


def _share(groups: Groups, release: int, row: int) -> tuple[Share, int, int]:
    """Return the number of members with the published value, the group's published size, and its exact size."""
    redacted = groups.redacted
    _, _, count, total = redacted.exposed_value(row)
    return Share(release, row, *_having(redacted, row), count), int(redacted.people[row]), total


def _having(redacted: RedactedClasses, row: int) -> tuple[float, float]:
    """Return the bounds on how many members have the value, in a group of its published size."""
    _, _, count, total = redacted.exposed_value(row)
    people, fewer = int(redacted.people[row]), small_limit(redacted.smallest)
    if share_resolution(people, redacted.smallest) > QUARTERS and count < fewer:
        return 0.0, fewer - 1.0
    if share_resolution(people, redacted.smallest) > QUARTERS and 0 < total - count < fewer:
        return people - fewer + 1.0, float(people)
    low, high = redacted.share_bounds(row)
    return people * low, people * high
