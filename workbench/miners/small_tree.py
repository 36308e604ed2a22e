"""A small tree: what a miner predicts of whom, in so few conditions that people can read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.base.figures import figures, per_cent
from workbench.base.progress import step
from workbench.miners.conditions import Conditions

DEPTH = 3
ALL, REST = "all records", "otherwise"
COMMON = 30  # predicted values that are told apart; the others count as one
FEWEST = 100  # a part of the records is a hundredth at least
WORTH = 0.01  # of the doubt about all records, that a condition must take away


class Says(NamedTuple):
    """What is predicted of each record, as numbers of labels or as numbers, and how well: whether it is right, or how
    far it is off."""

    predicted: np.ndarray
    labels: Callable[[int], str] | None  # None of numbers
    well: np.ndarray

    def units(self) -> np.ndarray:
        """Of each record what conditions are judged by: labels as indicators, or the number alone."""
        if self.labels is None:
            return self.predicted[:, None]
        values, number, count = np.unique(self.predicted, return_inverse=True, return_counts=True)
        rank = np.empty(len(values), int)
        rank[np.argsort(-count, kind="stable")] = np.arange(len(values))
        return np.eye(min(len(values), COMMON))[np.minimum(rank[number.reshape(-1)], COMMON - 1)]


class Branch(NamedTuple):
    """Records that meet a condition, or do not: how many, what is predicted of them, and the parts of them."""

    condition: str
    records: int
    says: str
    below: tuple[Branch, ...]

    def lines(self, depth: int = 0) -> Iterator[str]:
        """As indented plain text; it quotes values and counts of the data, so it is for the analyst."""
        yield f"{'    ' * depth}{self.condition}: {self.says}"
        for one in self.below:
            yield from one.lines(depth + 1)


def grown(columns: Sequence[Conditions], says: Says) -> Branch:
    """The tree that tells best, condition by condition, what is predicted of each record."""
    units = says.units()
    least = WORTH * _doubt(units)
    return _branch(columns, says, units, np.arange(len(units)), ALL, DEPTH, least)


def _branch(
    columns: Sequence[Conditions],
    says: Says,
    units: np.ndarray,
    records: np.ndarray,
    condition: str,
    depth: int,
    least: float,
) -> Branch:
    best = (0.0, "", np.empty(0, bool))
    for column in columns if depth else ():
        step()
        gains = _gains(column, units[records], column.at[records], max(len(units) // FEWEST, 1))
        place = int(gains.argmax()) if len(gains) else -1
        if place >= 0 and gains[place] > best[0] + 1e-9:
            best = (float(gains[place]), column.words[place], column.met[place][column.at[records]])
    below: tuple[Branch, ...] = ()
    if best[0] > least:
        sides = ((best[1], records[best[2]]), (REST, records[~best[2]]))
        below = tuple(_branch(columns, says, units, part, words, depth - 1, least) for words, part in sides)
    return Branch(condition, len(records), _said(says, records), below)


def _gains(column: Conditions, units: np.ndarray, at: np.ndarray, fewest: int) -> np.ndarray:
    """How much doubt each condition takes away; nothing where a side has too few records."""
    things = column.met.shape[1]
    sums = np.stack([np.bincount(at, one, minlength=things) for one in units.T], axis=1)
    inside = column.met.astype(float)
    met, count = inside @ sums, inside @ np.bincount(at, minlength=things)
    rest, others = sums.sum(axis=0) - met, len(at) - count
    known = (met**2).sum(axis=1) / np.maximum(count, 1) + (rest**2).sum(axis=1) / np.maximum(others, 1)
    gain = known - (sums.sum(axis=0) ** 2).sum() / len(at)
    return np.where((count >= fewest) & (others >= fewest), gain, 0.0)


def _doubt(units: np.ndarray) -> float:
    """The sum of squares about the mean: of indicators the Gini impurity, times the records."""
    return float((units**2).sum() - (units.sum(axis=0) ** 2).sum() / len(units))


def _said(says: Says, records: np.ndarray) -> str:
    """What is predicted of these records, and how well."""
    predicted, many = says.predicted[records], f"{len(records):,} records"
    well = float(says.well[records].mean())
    if says.labels is None:
        return f"{figures(float(predicted.mean()))} on average for {many}, off by {figures(well)}"
    values, counts = np.unique(predicted, return_counts=True)
    label, share = says.labels(int(values[counts.argmax()])), counts.max() / len(records)
    mostly = "all" if share == 1 else per_cent(float(share))
    return f"{label} for {mostly} of {many}; right for {per_cent(well)}"
