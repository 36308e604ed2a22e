"""A small tree that describes a miner's predictions in a few readable conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.figures import format_number, format_percent
from workbench.base.progress import checkpoint
from workbench.miners.conditions import Conditions

DEPTH = 3
ALL, REST = "all records", "otherwise"
COMMON = 30  # predicted values that are distinguished; the others count as one
FEWEST = 100  # a branch has at least this fraction (1/100) of the records
WORTH = 0.01  # share of the total impurity that a condition must remove


class PredictionQuality(NamedTuple):
    """The prediction for each record, as a label number or a number, and whether it is right, or its absolute error."""

    predicted: np.ndarray
    labels: Callable[[int], str] | None  # None for numbers
    well: np.ndarray

    def units(self) -> np.ndarray:
        """Return what conditions are evaluated on: indicators of the labels, or the number."""
        if self.labels is None:
            return self.predicted[:, None]
        values, number, count = np.unique(self.predicted, return_inverse=True, return_counts=True)
        rank = np.empty(len(values), int)
        rank[np.argsort(-count, kind="stable")] = np.arange(len(values))
        return np.eye(min(len(values), COMMON))[np.minimum(rank[number.reshape(-1)], COMMON - 1)]


class Branch(NamedTuple):
    """Records that do or do not meet a condition: their number, their prediction, and their branches."""

    condition: str
    records: int
    says: str
    below: tuple[Branch, ...]

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the tree as indented plain text; it quotes values and counts, so it is for the analyst only."""
        yield f"{'    ' * depth}{self.condition}: {self.says}"
        for one in self.below:
            yield from one.lines(depth + 1)


def grow_tree(columns: Sequence[Conditions], says: PredictionQuality) -> Branch:
    """Return the tree that best separates different predictions, condition by condition."""
    units = says.units()
    least = WORTH * _doubt(units)
    return _branch(columns, says, units, np.arange(len(units)), ALL, DEPTH, least)


def _branch(
    columns: Sequence[Conditions],
    says: PredictionQuality,
    units: np.ndarray,
    records: np.ndarray,
    condition: str,
    depth: int,
    least: float,
) -> Branch:
    best = (0.0, "", np.empty(0, bool))
    for column in columns if depth else ():
        checkpoint()
        gains = _gains(column, units[records], column.at[records], max(len(units) // FEWEST, 1))
        place = int(gains.argmax()) if len(gains) else -1
        if place >= 0 and gains[place] > best[0] + 1e-9:
            best = (float(gains[place]), column.words[place], column.met[place][column.at[records]])
    below: tuple[Branch, ...] = ()
    if best[0] > least:
        sides = ((best[1], records[best[2]]), (REST, records[~best[2]]))
        below = tuple(_branch(columns, says, units, part, words, depth - 1, least) for words, part in sides)
    return Branch(condition, len(records), _describe(says, records), below)


def _gains(column: Conditions, units: np.ndarray, at: np.ndarray, fewest: int) -> np.ndarray:
    """Return how much impurity each condition removes; 0 if a side has too few records."""
    things = column.met.shape[1]
    sums = np.stack([np.bincount(at, one, minlength=things) for one in units.T], axis=1)
    inside = column.met.astype(float)
    met, count = inside @ sums, inside @ np.bincount(at, minlength=things)
    rest, others = sums.sum(axis=0) - met, len(at) - count
    known = (met**2).sum(axis=1) / np.maximum(count, 1) + (rest**2).sum(axis=1) / np.maximum(others, 1)
    gain = known - (sums.sum(axis=0) ** 2).sum() / len(at)
    return np.where((count >= fewest) & (others >= fewest), gain, 0.0)


def _doubt(units: np.ndarray) -> float:
    """Return the sum of squares about the mean: for indicators the Gini impurity times the records."""
    return float((units**2).sum() - (units.sum(axis=0) ** 2).sum() / len(units))


def _describe(says: PredictionQuality, records: np.ndarray) -> str:
    """Describe the prediction for these records and its quality."""
    predicted, many = says.predicted[records], f"{len(records):,} records"
    well = float(says.well[records].mean())
    if says.labels is None:
        return f"{format_number(float(predicted.mean()))} on average for {many}, off by {format_number(well)}"
    values, counts = np.unique(predicted, return_counts=True)
    label, share = says.labels(int(values[counts.argmax()])), counts.max() / len(records)
    mostly = "all" if share == 1 else format_percent(float(share))
    return f"{label} for {mostly} of {many}; right for {format_percent(well)}"
