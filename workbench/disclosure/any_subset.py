"""An adversary who knows any subset of the quasi-identifiers: on which of them people are alone, before and after."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, said
from workbench.data.cells import distinct_rows
from workbench.data.subsets import Subsets, countable, every_subset
from workbench.data.table import Table
from workbench.releases.base import Release

SOON = 2**25  # subsets x cells that are counted in a second or two


def uniqueness_by_subset(table: Table, release: Release | None = None, k: int = 5) -> pd.DataFrame:
    """A row a subset of the quasi-identifiers, the smallest first, then those on which most records are alone.

    `unique` are the records that no other equals on these columns, `below k` those that fewer than k equal, themselves
    included; `minimal` the records for which no part of the columns is enough. With a release the same is counted of
    what it shows: who shows the same cannot be told apart by these columns.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"uniqueness_by_subset: k = {said(k)} must be a whole number of at least 1")
    if release is not None and release.table is not table:
        raise BadInput("uniqueness_by_subset: the release is of another table; give the table that it was made of")
    cells = table.cells()
    found = _columns(every_subset(list(cells.quasi), cells.weight, k), k)
    if release is not None:
        after = _columns(every_subset(*_shown(release), k), k)
        found |= {f"{name} in the release": counts for name, counts in after.items()}
    members = [_members(table, number) for number in range(2 ** len(table.quasi))]
    frame = pd.DataFrame({"known": [", ".join(one) for one in members], "columns": [*map(len, members)], **found})
    return frame.sort_values(["columns", "unique"], ascending=[True, False], kind="stable", ignore_index=True)


def smallest_sets(table: Table, most: int) -> list[tuple[tuple[str, ...], int]]:
    """The subsets of the quasi-identifiers on which most records are alone that are so on no part of them, and how
    many; none where there are too many subsets to count."""
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
    """What the records show of each quasi-identifier, as codes of what is distinct, and how many show it."""
    there = {name: _labels(release, name) for name in release.table.quasi if name not in release.removed}
    records = release.table.records - release.left_out
    nothing = np.zeros(len(next(iter(there.values()), np.zeros(records))), np.int64)
    codes = [there.get(name, nothing) for name in release.table.quasi]
    first, number = distinct_rows(np.stack(codes, axis=1))
    return [one[first] for one in codes], np.bincount(number)


def _labels(release: Release, name: str) -> np.ndarray:
    """A number for each thing that a column shows, of each record."""
    shown = release.shown(name)
    return np.unique(shown.labels if shown.numbers is None else shown.numbers, return_inverse=True)[1]
