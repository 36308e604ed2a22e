"""What miners predict beside what is true: of every record of the table, or of those of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.miners import Miner
from workbench.miners.cross_fitting import cross_fitted, numbers_shown
from workbench.releases.base import Release
from workbench.releases.partition import Partition
from workbench.releases.shown import Shown


class Judged(NamedTuple):
    """A row a record: what is predicted and what is true, as values or as numbers (nan is missing)."""

    column: Column
    labels: tuple[str, ...]  # of the values
    predicted: np.ndarray
    true: np.ndarray
    records: np.ndarray | None  # which record of the table each row is; None where nobody knows


def original(table: Table) -> Release:
    """The table as it is, as a release: remembered, with what was mined of it."""
    cells = table.cells()
    return table.remember("original", lambda: Partition(table, cells, np.arange(len(cells), dtype=np.int32)))


def judged(
    release: Release, target: str, miner: Miner, numbers: bool = False, given: Sequence[str] | None = None
) -> Judged:
    """What a miner predicts of the target, having learnt from the release.

    Of who is left out nobody learns anything: predicted is what is commonest in the release, or its mean.
    """
    if not release.original:
        raise Undefined("the original is not known, so nobody can say which predictions are right")
    found, table = cross_fitted(release, target, miner, given=given), release.table
    seen, told = (_read(shown, table, numbers) for shown in (found.of(miner), found.target))
    records = _records(release)
    if records is None:  # a file tells its values unchanged, but not whose they are
        return Judged(found.target.column, labels_of(table, target), seen, told, None)
    true = _read(original(table).shown(target), table, numbers)
    predicted = np.full(len(true), _usual(told), seen.dtype)
    predicted[records] = seen
    return Judged(found.target.column, labels_of(table, target), predicted, true, np.arange(len(true)))


def guessed(table: Table, target: str) -> Judged:
    """The commonest value, for everybody: what is left without any column to learn from."""
    shown = original(table).shown(target)
    true = _read(shown, table, False)
    return Judged(shown.column, labels_of(table, target), np.full(len(true), _usual(true)), true, np.arange(len(true)))


def _records(release: Release) -> np.ndarray | None:
    """Which record of the table each row is; None where nobody knows."""
    try:
        return release.published_records
    except Undefined:
        return None


def _read(shown: Shown, table: Table, numbers: bool) -> np.ndarray:
    """Numbers, or values as models see them: at a level above the values its nodes."""
    name = shown.column.name
    if numbers:
        if shown.column.kind == "text":
            raise Undefined(f"{name!r} is text, and this error compares numbers; choose accuracy or costs")
        return numbers_shown(shown)
    if shown.numbers is not None:
        raise Undefined(f"{name!r} is told or predicted as numbers; choose an error of numbers")
    if shown.codes is None and not table.levels.get(name, 0):
        raise Undefined(
            f"{name!r} is generalized, so no prediction of it is right or wrong; choose a column that is published "
            "unchanged, or an error of numbers"
        )
    return shown.labels


def _usual(told: np.ndarray) -> float:
    """What is commonest, or the mean of numbers."""
    if told.dtype.kind == "f":
        return float(np.nanmean(told)) if not np.isnan(told).all() else np.nan
    return int(np.bincount(told).argmax())


def labels_of(table: Table, target: str) -> tuple[str, ...]:
    """The values of a column as miners see them: of a sensitive one at its level."""
    return table.sensitive[target].labels if target in table.sensitive else table.columns[target].value_labels()
