"""Several releases of one table together: of how many people the sensitive value follows when all that is shown of them
is crossed: their files, and the tables of their classes.

Intersections of releases: Ganta, Kasiviswanathan & Smith, Composition Attacks and Auxiliary Information (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.releases.release import Release

BLOCK = 10_000_000  # groups x values looked at together


class Certain(NamedTuple):
    """Of how many people a sensitive value is certain: for who has all that is shown, and who has the worst release."""

    together: int
    alone: int
    joined: bool  # records were taken to be found again by the columns that are published as they are


def certain(table: Table, releases: Sequence[Release], shown: Sequence[Release] = ()) -> Certain:
    """Who knows a person's quasi-identifiers finds the person's class in every file; the value is in all of them.

    Neutral columns may join the files record by record: then what remains are the records alike in every class. Of the
    releases `shown` there is a table of classes, which tells what all of a class have.
    """
    found = np.zeros(table.records, bool)
    joined = bool(table.neutral) and len(releases) > 1
    if releases:
        groups = np.stack([release._group_of_record for release in releases], axis=1)
        first, crossed = distinct_rows(groups)
        found = (_joined(table, crossed) if joined else _certain(releases, groups[first]))[crossed]
    alone = 0
    for release in dict.fromkeys([*releases, *shown]):
        own = _certain([release], np.arange(len(release.classes))[:, None])[release._group_of_record]
        alone = max(alone, int(own.sum()))
        found = found | own
    return Certain(int(found.sum()), alone, joined)


def certain_beside(table: Table, release: Release) -> int:
    """Of how many people a value is certain for who has one file and knows the neutral columns of everybody, too."""
    return release.beside.certain


def _certain(releases: Sequence[Release], groups: np.ndarray) -> np.ndarray:
    """Which rows of classes, one a release, have a single value in common, of any sensitive column."""
    found = np.zeros(len(groups), bool)
    for name, seen in releases[0].table.sensitive.items():
        there = [(r.classes.histograms[name] > 0, i) for i, r in enumerate(releases) if name in r.classes.histograms]
        step = max(1, BLOCK // len(seen))
        for start in range(0, len(groups) if there else 0, step):
            rows = slice(start, start + step)
            common = np.logical_and.reduce([has[groups[rows, i]] for has, i in there])
            found[rows] |= common.sum(axis=1) == 1
    return found


def _joined(table: Table, crossed: np.ndarray) -> np.ndarray:
    """Which groups of records that no file tells apart have a single value of any sensitive column."""
    found = np.zeros(int(crossed.max()) + 1, bool)
    for name in table.sensitive:
        first, _ = distinct_rows(np.stack([crossed, table.sensitive_codes(name)], axis=1))
        found |= np.bincount(crossed[first]) == 1
    return found
