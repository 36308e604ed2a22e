"""Uniqueness on every subset of the quasi-identifiers, before and after a release."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.data.uniqueness import Subsets, countable, every_subset
from workbench.releases.base import Release

SOON = 2**25  # subsets x cells that can be counted within two seconds


def uniqueness_by_subset(table: Table, release: Release | None = None, k: int = 5) -> pd.DataFrame:
    """Count unique records on every subset of the quasi-identifiers.

    Parameters
    ----------
    table
        The original records.
    release
        A release of this table. If given, the counts of its records are added, in columns that end in `in the release`.
    k
        Group size for the column `below k`.

    Returns
    -------
    pandas.DataFrame
        One row per subset, the smallest subsets first, then by the number of unique records. `unique` counts the
        records that are unique on these columns, `below k` those in groups of fewer than k, and `minimal` those that
        are unique on these columns but not on any subset of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, uniqueness_by_subset
    >>> people = pd.DataFrame({"age": [30, 30, 40], "sex": ["f", "m", "f"]})
    >>> uniqueness_by_subset(Table.from_frame(people, quasi=["age", "sex"]))["unique"].tolist()
    [0, 1, 1, 3]
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"uniqueness_by_subset: k = {safe_repr(k)} must be a whole number of at least 1")
    if release is not None and release.table is not table:
        raise BadInput(
            "uniqueness_by_subset: the release is of another table; pass the table that it was computed from"
        )
    cells = table.cells()
    found = _columns(every_subset(list(cells.quasi), cells.weight, k), k)
    if release is not None:
        after = _columns(every_subset(*_shown(release), k), k)
        found |= {f"{name} in the release": counts for name, counts in after.items()}
    members = [_members(table, number) for number in range(2 ** len(table.quasi))]
    frame = pd.DataFrame({"known": [", ".join(one) for one in members], "columns": [*map(len, members)], **found})
    return frame.sort_values(["columns", "unique"], ascending=[True, False], kind="stable", ignore_index=True)


def smallest_sets(table: Table, most: int) -> list[tuple[tuple[str, ...], int]]:
    """Return the subsets on which most records are minimally unique, with counts; empty if there are too many to
    count.
    """
    cells = table.cells()
    if not countable(len(table.quasi), len(cells), SOON):
        return []
    minimal = every_subset([*cells.quasi], cells.weight, 1).minimal
    found = [number for number in np.argsort(-minimal, kind="stable").tolist() if minimal[number]]
    return [(_members(table, number), int(minimal[number])) for number in found[:most]]


def _members(table: Table, number: int) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(table.quasi) if number >> i & 1)


def _columns(found: Subsets, k: int) -> dict[str, np.ndarray]:
    return {"groups": found.groups, "unique": found.unique, f"below {k}": found.below, "minimal": found.minimal}


def _shown(release: Release) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the released values of each quasi-identifier as codes of the distinct rows, and the number of records of
    each.
    """
    labels = {name: _labels(release, name) for name in release.table.quasi if name not in release.unpublished_columns}
    records = release.table.records - release.suppressed
    nothing = np.zeros(len(next(iter(labels.values()), np.zeros(records))), np.int64)
    codes = [labels.get(name, nothing) for name in release.table.quasi]
    first, number = distinct_rows(np.stack(codes, axis=1))
    return [one[first] for one in codes], np.bincount(number)


def _labels(release: Release, name: str) -> np.ndarray:
    """Return an ID per record for each distinct value that a column shows."""
    shown = release.shown(name)
    return np.unique(shown.labels if shown.numbers is None else shown.numbers, return_inverse=True)[1]
