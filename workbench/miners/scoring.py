"""Predictions of miners compared with the truth, for every record of the table or of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.miners import Miner
from workbench.miners.cross_fitting import cross_fit, published_numbers
from workbench.releases.base import Release
from workbench.releases.partition import Partition
from workbench.releases.shown import Shown


class ScoredPredictions(NamedTuple):
    """Predicted and true values (or numbers, nan if missing), one row per record."""

    column: Column
    labels: tuple[str, ...]  # of the values
    predicted: np.ndarray
    true: np.ndarray
    records: np.ndarray | None  # the record of the table for each row; None if unknown


def original_release(table: Table) -> Release:
    """Return the unchanged table as a release, cached with what was mined from it."""
    cells = table.cells()
    unchanged = np.repeat(cells.quasi.T[:, :, None], 2, axis=2)
    group = np.arange(len(cells), dtype=np.int32)
    return table.remember("original", lambda: Partition(table, cells, group, runs=unchanged))


def predict_target(
    release: Release, target: str, miner: Miner, numbers: bool = False, given: Sequence[str] | None = None
) -> ScoredPredictions:
    """Return the predictions of the target by a miner trained on the release.

    Suppressed records are predicted by the commonest value of the release, or its mean.
    """
    if not release.has_original:
        raise Undefined("the original is unknown, so predictions cannot be compared with it")
    found, table = cross_fit(release, target, miner, given=given), release.table
    seen, told = (_read(shown, table, numbers) for shown in (found.of(miner), found.target))
    records = _records(release)
    if records is None:  # a file contains unchanged values, but not whose they are
        return ScoredPredictions(found.target.column, labels_of(table, target), seen, told, None)
    true = _read(original_release(table).shown(target), table, numbers)
    predicted = np.full(len(true), _usual(told), seen.dtype)
    predicted[records] = seen
    return ScoredPredictions(found.target.column, labels_of(table, target), predicted, true, np.arange(len(true)))


def predict_commonest(table: Table, target: str) -> ScoredPredictions:
    """Return the commonest value as the prediction for everybody: the baseline without any other column."""
    shown = original_release(table).shown(target)
    true = _read(shown, table, False)
    return ScoredPredictions(
        shown.column, labels_of(table, target), np.full(len(true), _usual(true)), true, np.arange(len(true))
    )


def _records(release: Release) -> np.ndarray | None:
    """Return the record of the table for each row; None if unknown."""
    try:
        return release.published_records
    except Undefined:
        return None


def _read(shown: Shown, table: Table, numbers: bool) -> np.ndarray:
    """Return numbers, or values at the model level of the column."""
    name = shown.column.name
    if numbers:
        if shown.column.kind == "text":
            raise Undefined(f"{name!r} is text, and this error compares numbers; choose accuracy or costs")
        return published_numbers(shown)
    if shown.numbers is not None:
        raise Undefined(f"{name!r} is published or predicted as numbers; choose an error of numbers")
    if shown.codes is None and not table.levels.get(name, 0):
        raise Undefined(
            f"{name!r} is generalized, so predictions cannot be right or wrong; choose a column that is published "
            "unchanged, or an error of numbers"
        )
    return shown.labels


def _usual(told: np.ndarray) -> float:
    """Return the commonest value, or the mean of numbers."""
    if told.dtype.kind == "f":
        return float(np.nanmean(told)) if not np.isnan(told).all() else np.nan
    return int(np.bincount(told).argmax())


def labels_of(table: Table, target: str) -> tuple[str, ...]:
    """Return the values of a column as miners see them: a sensitive column at its level."""
    return table.sensitive[target].labels if target in table.sensitive else table.columns[target].value_labels()
