"""Explanation of a miner: the importance of each column, and a small tree of its predictions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent
from workbench.data.table import Table
from workbench.miners import Miner, workers
from workbench.miners.conditions import conditions_on
from workbench.miners.cross_fitting import Progress, feature_columns, require_able, run_folds, training_data
from workbench.miners.fitting import TrainingData, predict_shuffled, sample_note
from workbench.miners.prediction_cache import mining_lock
from workbench.miners.sets import display_name, resolve_miners
from workbench.miners.small_tree import Branch, PredictionQuality, grow_tree
from workbench.queries.query_text import text_of
from workbench.releases.base import Release
from workbench.releases.shown import Shown

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

    def take(job: workers.Job, answer: np.ndarray) -> None:
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
        return f"{what} with a mean error of {format_number(found.right)}, from what is published of the others.{more}"
    return f"{what} correctly for {format_percent(found.right)}, from what is published of the others.{more}"


def _tree(
    table: Table, work: TrainingData, names: tuple[str, ...], says: PredictionQuality, known: np.ndarray
) -> Branch:
    columns = [conditions_on(table.columns[n], one) for n, one in zip(names, work.features, strict=True)]
    there = np.flatnonzero(known)
    columns = [one._replace(at=one.at[there]) for one in columns]
    return grow_tree(columns, PredictionQuality(says.predicted[there], says.labels, says.well[there]))


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
