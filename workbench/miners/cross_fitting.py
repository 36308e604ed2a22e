"""Cross-fitting: every published record is predicted by miners trained on the other folds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.base.progress import Cancelled, checkpoint
from workbench.miners import Miner, workers
from workbench.miners.features import features
from workbench.miners.fitting import TrainingData, predict_fold
from workbench.miners.prediction_cache import cached_predictions
from workbench.miners.sets import resolve_miners
from workbench.queries.exact import numbers_of
from workbench.releases.base import Release
from workbench.releases.shown import Shown

FEW = 3000  # records up to which no process is started, because each fold takes milliseconds
MEMORY = 2_000_000_000  # bytes that mining may use in this and all worker processes
TWICE = 2  # training data are copied once to be sent and encoded
Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """The predictions of each miner for each published record, in their order; as private as the records."""

    target: Shown
    found: Mapping[Miner, np.ndarray]

    def __repr__(self) -> str:
        return f"<Predictions of {self.target.column.name!r} by {', '.join(map(str, self.found))}>"

    def of(self, miner: Miner | str) -> Shown:
        """Return the predictions of a miner: codes, numbers of regions, or numbers."""
        (one,) = resolve_miners(miner)
        if one not in self.found:
            raise BadInput(f"{one} made no predictions here; there are {', '.join(map(str, self.found))}")
        column, target = self.target.column, self.target
        if one.predicts == "numbers":
            return Shown(column, numbers=self.found[one])
        if target.codes is not None:
            return Shown(column, codes=self.found[one])
        return Shown(column, group=self.found[one], regions=target.regions)


def cross_fit(
    release: Release,
    target: str,
    miners: Any,
    folds: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    given: Sequence[str] | None = None,
) -> Predictions:
    """Return the predictions of a column by miners, from the other published columns or from those `given`.

    `progress(done, total)` is called after each fold; setting `cancel` ends the processes at once.
    """
    asked = resolve_miners(miners)
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise BadInput(f"folds = {safe_repr(folds)} must be an integer of at least 2")
    shown = release.shown(target, seed)
    work = training_data(release, shown, feature_columns(release, target, given), folds, seed)
    for miner in asked:
        require_able(miner, work, shown)
    found = cached_predictions(
        release, work, asked, lambda missing: _mine(work, missing, progress, cancel), lambda: _step(cancel)
    )
    return Predictions(shown, found)


def training_data(release: Release, shown: Shown, names: tuple[str, ...], folds: int, seed: int) -> TrainingData:
    """Return the training data and the target of a cross-fitting."""
    numbers = None if shown.column.kind == "text" else published_numbers(shown)
    labels = _labels(shown)
    if shown.records < 2:
        raise Undefined("fewer than two records are published, so there is nothing to learn from")
    strata = labels if shown.numbers is None else _parts(shown.numbers)
    fold = folds_of(strata, min(folds, shown.records), seed)
    return TrainingData(features(release, names, seed), labels, numbers, fold, seed)


def folds_of(labels: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """Return the fold of each record, with every label spread evenly over the folds."""
    by_chance = np.random.default_rng([seed, folds]).random(len(labels))
    fold = np.empty(len(labels), np.int16)
    fold[np.lexsort([by_chance, labels])] = np.arange(len(labels)) % folds
    return fold


def published_numbers(shown: Shown) -> np.ndarray:
    """Return the number that each record shows: the middle of an interval, nan if missing."""
    if shown.numbers is not None:
        return shown.numbers
    column = shown.column
    places = numbers_of(column) if column.kind == "number" else column.positions.copy()
    places[len(column.values) :] = np.nan
    if shown.codes is not None:
        return places[shown.codes]
    assert shown.group is not None and shown.regions is not None
    known = len(column.values) - 1
    middle = (places[shown.regions.low] + places[np.minimum(shown.regions.high, known)]) / 2
    return middle[shown.group]


def _labels(shown: Shown) -> np.ndarray:
    return np.zeros(shown.records, np.int32) if shown.numbers is not None else shown.labels.astype(np.int32)


def _parts(numbers: np.ndarray) -> np.ndarray:
    """Return the tenth of each record in the order of its number."""
    return np.argsort(np.argsort(numbers, kind="stable")) * 10 // len(numbers)


def feature_columns(release: Release, target: str, given: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the columns to predict from."""
    there = [name for name in release.table.released if name not in release.unpublished_columns and name != target]
    for name in given or ():
        if name not in release.table.released:
            raise BadInput(f"{safe_repr(name)} is not a column of the table; {suggest(name, release.table.released)}")
    return tuple(name for name in there if given is None or name in given)


def require_able(miner: Miner, work: TrainingData, shown: Shown) -> None:
    if miner.predicts == "numbers" and work.numbers is None:
        raise Undefined(f"{miner} predicts numbers, and {shown.column.name!r} is text; choose a miner of values")
    if miner.predicts == "values" and shown.numbers is not None:
        raise Undefined(
            f"{miner} predicts values, and {shown.column.name!r} has noisy numbers; choose a miner of numbers"
        )


def _step(cancel: threading.Event | None, words: str = "") -> None:
    """Raise Cancelled if cancellation was requested."""
    checkpoint(words)
    if cancel is not None and cancel.is_set():
        raise Cancelled


def _mine(
    work: TrainingData, asked: Sequence[Miner], progress: Progress | None, cancel: threading.Event | None
) -> dict[Miner, np.ndarray]:
    """Return the predictions of every fold by every miner."""
    found = {one: np.empty(len(work.fold), work.labels.dtype if one.predicts == "values" else float) for one in asked}

    def done(job: workers.Job, answer: np.ndarray) -> None:
        found[job[0]][work.sides(job[1])[1]] = answer

    run_folds(work, asked, predict_fold, done, progress, cancel)
    return found


def run_folds(
    work: TrainingData,
    asked: Sequence[Miner],
    task: workers.Task,
    take: Callable[[workers.Job, np.ndarray], object],
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> None:
    """Run a task for every fold of every miner: in this process if that is fast, otherwise in worker processes."""
    jobs, count = [(miner, fold) for miner in asked for fold in range(int(work.fold.max()) + 1)], 0

    def look() -> None:
        _step(cancel, f"{count} of {len(jobs)} folds done")

    def done(job: workers.Job, answer: np.ndarray) -> None:
        nonlocal count
        take(job, answer)
        count += 1
        if progress is not None:
            progress(count, len(jobs))

    look()
    here = [job for job in jobs if len(work.fold) <= FEW or type(job[0]).__module__ == "__main__"]
    for job in here:  # worker processes cannot import a miner defined in a notebook
        done(job, task(work, *job))
        look()
    if rest := [job for job in jobs if job not in here]:
        if TWICE * work.size * (1 + min(workers.processors(), len(rest))) > MEMORY:
            raise Undefined(
                f"{len(work.fold):,} records with {len(work.features)} columns to learn from do not fit in "
                f"{MEMORY / 1e9:g} GB of memory; mine a random sample of the records, or publish fewer columns"
            )
        workers.run(work, rest, done, look, task)
