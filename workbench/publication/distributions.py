"""Publishable distributions of the original and the release: coarse counts of columns and errors of cross tables.

The count before is rounded to the threshold; values that few people have share one row. The count after is the estimate
from the release, rounded in the same way. No cell of a cross table is published, before or after: a small cell would
follow by subtraction from a row, a column, or a sum over the values of another table. The only published figure is the
share of records that are expected in another cell, in steps that as many people as the threshold can move. A column
that could only be divided into equal parts of its range is not published: the ends of its range are values of single
persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.small_counts import may_list_groups, round_average
from workbench.data.table import Table
from workbench.publication.published_types import CrossMoved, Distribution, DistributionRow, Distributions
from workbench.releases.base import Release
from workbench.releases.before_after import SIDE, before_and_after, bins_of, cross

REST = "all others"
PAIRS = 20  # maximum number of published cross tables, those with the largest errors


def distributions(release: Release, smallest: int) -> Distributions:
    """Return the distributions of one release; raise Undefined for a table of few people."""
    table = release.table
    if not may_list_groups(table.records, smallest):
        raise Undefined(f"the table has so few {table.wording.many} that its groups are not listed")
    if release.suppressed:  # subtracting the file from the counts before would reveal the suppressed records
        raise Undefined("records are suppressed, and counts of the original would reveal their values")
    names = [name for name in (*table.quasi, *table.sensitive) if name not in release.unpublished_columns]
    if table.rounding.part_of is not None:  # only counts of sensitive values are rounded jointly with the other parts
        names = [name for name in names if name in table.sensitive]
    declared = [name for name in names if bins_of(table, name, SIDE).declared]
    columns = [_published(release, name, smallest) for name in declared]
    pairs = [found for a, b in combinations(names, 2) if (found := _moved(release, a, b, smallest))]
    return {"columns": columns, "pairs": sorted(pairs, key=lambda one: (-one["moved"], one["columns"]))[:PAIRS]}


def _published(release: Release, name: str, smallest: int) -> Distribution:
    """Return the count of each value that more than few people have, and of all others.

    The number of other values is not published: if about as many people have them, each is one person's value.
    """
    found, single = before_and_after(release, name, SIDE), len(bins_of(release.table, name, SIDE).runs)
    assert found.after is not None
    before, after = (_rounded(release.table, name, found.labels, one, smallest) for one in (found.before, found.after))
    known = (before >= 2 * smallest if smallest > 1 else before > 0) & (np.arange(len(found.labels)) < single)
    rows: list[DistributionRow] = [
        {"label": label, "before": int(then), "after": int(now)}
        for label, then, now, shown in zip(found.labels, before, after, known, strict=True)
        if shown
    ]
    rest: DistributionRow = {"label": REST, "before": int(before[~known].sum()), "after": int(after[~known].sum())}
    return {"column": found.column, "rows": [*rows, *([rest] if rest["before"] or rest["after"] else [])]}


def _rounded(table: Table, name: str, labels: Sequence[str], exact: np.ndarray, smallest: int) -> np.ndarray:
    """Return the published counts of a column's groups; of a sensitive column the sums of its published values."""
    if (seen := table.sensitive.get(name)) is not None:
        bins = bins_of(table, name, SIDE)
        if np.allclose(bins.counted(seen.totals), exact):
            return bins.counted(seen.published(smallest)).astype(np.int64)
    return table.rounding.counts(name, labels, exact, smallest)


def _moved(release: Release, a: str, b: str, smallest: int) -> CrossMoved | None:
    """Return the share of a cross table that is expected elsewhere; None if both columns are published unchanged."""
    if a not in release.table.quasi:
        return None
    records = release.table.records
    step, crowd = (2 * smallest / records, records / smallest) if smallest > 1 else (0.0, np.inf)
    return {
        "columns": [a, b],
        "moved": min(round_average(round(cross(release, a, b).moved, 9), step, crowd=crowd), 1.0),
    }
