"""Original beside release, as it may be told: coarse counts of each column, and how far cross tables are off.

Before is a count of people: rounded to the threshold, values that few people have in one row with each other. After
is what the release lets expect, rounded alike. Of a cross table no cell is told, before or after: a small cell would
be what is left of a row, of a column, or of a sum over the values of another table. Told is one number, the share of
records that are expected in another cell, in steps that as many people as the threshold can move. Of columns that
only equal parts of their range could divide nothing is told: the ends of the range are single persons' values.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.small_counts import averaged, coarse, may_list_groups, named
from workbench.publication.shapes import CrossMoved, Distribution, DistributionRow, Distributions
from workbench.releases.base import Release
from workbench.releases.before_after import SIDE, before_and_after, bins_of, cross

REST = "all others"
PAIRS = 20  # that are told, those that are most off


def distributions(release: Release, smallest: int) -> Distributions:
    """What is told of one release; Undefined of a table of few people."""
    table = release.table
    if not may_list_groups(table.records, smallest):
        raise Undefined(f"the table has so few {table.wording.many} that its groups are not listed")
    if release.left_out:  # what is not in the file would be what is left of the counts before
        raise Undefined("records are left out, and counts of the original would tell what they have")
    names = [name for name in (*table.quasi, *table.sensitive) if name not in release.removed]
    told = [name for name in names if bins_of(table, name, SIDE).declared]
    columns = [_told(release, name, smallest) for name in told]
    pairs = [found for a, b in combinations(names, 2) if (found := _moved(release, a, b, smallest))]
    return {"columns": columns, "pairs": sorted(pairs, key=lambda one: (-one["moved"], one["columns"]))[:PAIRS]}


def _told(release: Release, name: str, smallest: int) -> Distribution:
    """Each value that more than few people have, and all others together.

    How many values the others are is not told: where about as many people have them, each is one person's.
    """
    found, single = before_and_after(release, name, SIDE), len(bins_of(release.table, name, SIDE).runs)
    assert found.after is not None
    known = named(found.before, smallest) & (np.arange(len(found.labels)) < single)
    rows = [
        _row(label, before, after, smallest)
        for label, before, after, shown in zip(found.labels, found.before, found.after, known, strict=True)
        if shown
    ]
    if not known.all():
        rows.append(_row(REST, found.before[~known].sum(), found.after[~known].sum(), smallest))
    return {"column": found.column, "rows": rows}


def _row(label: str, before: float, after: float, smallest: int) -> DistributionRow:
    return {"label": label, "before": coarse(before, smallest), "after": coarse(round(after, 6), smallest)}


def _moved(release: Release, a: str, b: str, smallest: int) -> CrossMoved | None:
    """How much of a cross table is expected elsewhere; nothing of two columns that are published unchanged."""
    if a not in release.table.quasi:
        return None
    records = release.table.records
    step, crowd = (2 * smallest / records, records / smallest) if smallest > 1 else (0.0, np.inf)
    return {"columns": [a, b], "moved": min(averaged(round(cross(release, a, b).moved, 9), step, crowd=crowd), 1.0)}
