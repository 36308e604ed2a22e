"""Explanation of a miner: the importance of each column, and a small tree of its predictions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent
from workbench.base.progress import checkpoint
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.miners import Miner, fitting
from workbench.miners.cross_fitting import (
    Progress,
    feature_columns,
    mining_lock,
    require_able,
    run_folds,
    training_data,
)
from workbench.miners.features import Feature
from workbench.miners.fitting import TrainingData, predict_shuffled, sample_note
from workbench.miners.sets import display_name, resolve_miners
from workbench.queries.query import text_of, value_text
from workbench.queries.tokens import in_quotes, name_text
from workbench.releases.base import Release
from workbench.releases.shown import Shown

# Conditions on a column that a small tree may test, in the notation of queries.

MOST = 32  # conditions on a column's numbers, on its values, and on its nodes per level


class Conditions(NamedTuple):
    """The conditions on one column: their texts, and which of the items shown by records certainly meet them."""

    words: list[str]
    met: np.ndarray  # conditions x things
    at: np.ndarray  # the thing shown by each record


def conditions_on(column: Column, feature: Feature) -> Conditions:
    """Return `age >= 40` for numbers and dates, `= 'Flu'` and `within 'Higher'` for common values and nodes of text."""
    counts = np.bincount(feature.at, minlength=len(feature.low)).astype(float)
    weight = feature.weight_of_codes(counts)
    if feature.places is not None:
        words, sets = _from_on(column, feature, weight)
    else:
        words, sets = _values(column, feature, weight)
        for level in range(len(feature.levels)):
            more = _nodes(column, feature, level, weight)
            words, sets = words + more[0], sets + more[1]
    met = np.stack([_inside(feature, codes) for codes in sets]) if sets else np.empty((0, len(counts)), bool)
    return Conditions(words, met, feature.at)


def _from_on(column: Column, feature: Feature, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    """Return lower bounds on a number, at most `MOST`, with about equally many records between them."""
    assert feature.places is not None
    known = np.flatnonzero(~np.isnan(feature.places))
    below = np.cumsum(weight[known])
    shares = np.searchsorted(below, below[-1:] * np.arange(1, MOST) / MOST) if len(known) else np.empty(0, int)
    codes = np.arange(feature.size)
    starts = [int(known[place]) for place in np.unique(np.minimum(shares + 1, len(known) - 1)).tolist() if place]
    noisy = len(codes) != column.size or not np.array_equal(feature.places, _positions(column), equal_nan=True)
    values = [format_number(feature.places[code]) if noisy else value_text(column, code) for code in starts]
    words = [f"{name_text(column.name)} >= {value}" for value in values]
    return words, [(codes >= code) & ~np.isnan(feature.places) for code in starts]


def _positions(column: Column) -> np.ndarray:
    return np.append(column.positions[: len(column.values)], [np.nan] * (column.missing > 0))


def _values(column: Column, feature: Feature, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    common = _commonest(weight)
    name, known = name_text(column.name), len(column.values)
    words = [f"{name} = {value_text(column, c)}" if c < known else f"{name} is missing" for c in common]
    return words, [np.arange(feature.size) == code for code in common]


def _nodes(column: Column, feature: Feature, level: int, weight: np.ndarray) -> tuple[list[str], list[np.ndarray]]:
    assert column.hierarchy is not None
    node, labels = feature.levels[level], column.hierarchy.levels[level].labels
    several = np.bincount(node) > 1
    common = [one for one in _commonest(np.bincount(node, weight)) if several[one] and one < len(labels)]
    words = [f"{name_text(column.name)} within {in_quotes(labels[one])}" for one in common]
    return words, [node == one for one in common]


def _commonest(weight: np.ndarray) -> list[int]:
    order = np.argsort(-weight, kind="stable")[:MOST]
    return [int(one) for one in order if weight[one]]


def _inside(feature: Feature, codes: np.ndarray) -> np.ndarray:
    """Return which items contain only these codes."""
    if feature.held is not None:
        others = np.flatnonzero(~codes)
        parts = [feature.has(part).any(axis=1) for part in np.array_split(others, len(others) // 256 + 1)]
        return ~np.any(parts, axis=0)
    upto = np.concatenate([[0], np.cumsum(codes)])
    return upto[feature.high + 1] - upto[feature.low] == feature.high - feature.low + 1


# A small tree that describes a miner's predictions in a few readable conditions.

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
        """Yield the tree as indented plain text, for the analyst only, because it quotes values and counts."""
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


FOLDS = 3


@dataclass(frozen=True)
class MinerExplanation:
    """`importance` of a column: the loss of accuracy when its values are shuffled among the records.

    Predictions are compared with what the release shows. `right` is the share of right predictions; for numbers `right`
    is the mean absolute error, and `importance` its increase. The tree quotes values: it is for the analyst only.
    """

    target: str
    miner: Miner
    numbers: bool
    right: float
    importance: dict[str, float]
    tree: Branch
    records: int

    def __repr__(self) -> str:
        return f"<Learnt of {self.target!r} by {self.miner}>"

    @property
    def text(self) -> str:
        """The tree as indented plain text."""
        return "\n".join(self.tree.lines())


def explain_miner(
    release: Release,
    target: str,
    miner: Any,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> MinerExplanation:
    """Return what a miner learns of a column from the other published ones: on unseen records, in three folds."""
    one, *others = resolve_miners(miner)
    if others:
        raise BadInput(f"these are {len(others) + 1} miners; choose one to explain")
    shown, names = release.shown(target, seed), feature_columns(release, target)
    work = training_data(release, shown, names, FOLDS, seed)
    require_able(one, work, shown)
    truth = work.labels if one.predicts == "values" else work.numbers
    assert truth is not None
    found = np.empty((len(names) + 1, len(truth)), truth.dtype)

    def take(job: fitting.Job, answer: np.ndarray) -> None:
        found[:, work.sides(job[1])[1]] = answer

    with mining_lock():
        run_folds(work, [one], predict_shuffled, take, progress, cancel)
    numbers = one.predicts == "numbers"
    known = ~np.isnan(truth) if numbers else np.ones(len(truth), bool)
    if not known.any():
        raise Undefined(f"every value of {target!r} is missing, so predictions cannot be right or wrong")
    well = np.abs(found - truth) if numbers else found == truth
    means = well[:, known].mean(axis=1)
    worse = (means[1:] - means[0]) * (1 if numbers else -1)
    labels = None if numbers else _labels(release.table, shown)
    tree = _tree(release.table, work, names, PredictionQuality(found[0], labels, well[0]), known)
    return MinerExplanation(
        target, one, numbers, float(means[0]), dict(zip(names, worse.tolist(), strict=True)), tree, len(truth)
    )


def accuracy_sentence(found: MinerExplanation) -> str:
    """Describe the accuracy of the miner without quoting values of the data."""
    what = f"{display_name(found.miner)} predicts {found.target} of unseen records"
    more = sample_note(found.records, FOLDS)
    if found.numbers:
        return (
            f"{what} with a mean error of {format_number(found.right)}, from the published data about the others.{more}"
        )
    return f"{what} correctly for {format_percent(found.right)}, from the published data about the others.{more}"


def _tree(
    table: Table, work: TrainingData, names: tuple[str, ...], says: PredictionQuality, known: np.ndarray
) -> Branch:
    columns = [conditions_on(table.columns[n], one) for n, one in zip(names, work.features, strict=True)]
    known_records = np.flatnonzero(known)
    columns = [one._replace(at=one.at[known_records]) for one in columns]
    return grow_tree(columns, PredictionQuality(says.predicted[known_records], says.labels, says.well[known_records]))


def _labels(table: Table, shown: Shown) -> Callable[[int], str]:
    """Return a formatter of predictions: values, nodes of a sensitive column, or regions as conditions."""
    name = shown.column.name
    if shown.codes is not None:
        return shown.column.value_labels().__getitem__
    if table.levels.get(name, 0):
        return table.sensitive[name].labels.__getitem__
    regions = shown.regions
    assert regions is not None

    def region(number: int) -> str:
        held = Shown(shown.column, group=np.full(shown.column.size, number), regions=regions)
        return text_of(table, {name: held.held(np.arange(shown.column.size))})

    return region
