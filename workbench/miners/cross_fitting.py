"""Cross-fitting: every published record is predicted by miners trained on the other folds."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.base.progress import Cancelled, cancellable_lock, checkpoint
from workbench.data.column import Column
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.miners import Miner, fitting
from workbench.miners.features import features
from workbench.miners.fitting import TrainingData, predict_fold, processors
from workbench.miners.sets import resolve_miners
from workbench.queries.exact import numbers_of
from workbench.releases.base import Release
from workbench.releases.partition import Partition
from workbench.releases.shown import Shown

# Cache of predictions, on the release and optionally in a store, so that no miner is trained twice.


class PredictionCache(Protocol):
    """Storage for predictions that outlives the release."""

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """Return the predictions of a miner for this work, if stored."""

    def put_predictions(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Store the predictions of a miner."""


Mine = Callable[[Sequence[Miner]], Mapping[Miner, np.ndarray]]
Memory = dict[Any, np.ndarray]
_turn = threading.Lock()
_cache: ContextVar[PredictionCache | None] = ContextVar("predictions", default=None)


@contextmanager
def use_cache(cache: PredictionCache | None) -> Iterator[None]:
    """Use this storage for everything mined in this context and thread."""
    before = _cache.set(cache)
    try:
        yield
    finally:
        _cache.reset(before)


def cached_predictions(
    release: Release, work: TrainingData, miners: Sequence[Miner], mine: Mine, look: Callable[[], object] = checkpoint
) -> dict[Miner, np.ndarray]:
    """Return the predictions of each miner: from the cache, or from `mine` for the missing ones.

    Another thread may have mined them while this one waited for its turn.
    """
    with mining_lock(look):
        return _cached_predictions(release.remember.results, work, miners, mine)


def mining_lock(look: Callable[[], object] = checkpoint) -> AbstractContextManager[None]:
    """Return a context that one thread can enter at a time, since memory is budgeted for one set of processes."""
    return cancellable_lock(_turn, look)


def _cached_predictions(
    memory: Memory, work: TrainingData, miners: Sequence[Miner], mine: Mine
) -> dict[Miner, np.ndarray]:
    content, cache = work.content, _cache.get()
    for miner in miners:
        if (content, miner) not in memory and cache is not None:
            found = cache.mined(content, miner)
            if found is not None and len(found) == len(work.fold):
                memory[content, miner] = found
    missing = [miner for miner in miners if (content, miner) not in memory]
    for miner, predicted in (mine(missing) if missing else {}).items():
        memory[content, miner] = predicted
        if cache is not None:
            cache.put_predictions(content, miner, predicted)
    return {miner: memory[content, miner] for miner in miners}


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

    def by_miner(self, miner: Miner | str) -> Shown:
        """Return the predictions of a miner: codes, numbers of regions, or numbers."""
        (one,) = resolve_miners(miner)
        if one not in self.found:
            raise BadInput(f"{one} made no predictions here; choose from {', '.join(map(str, self.found))}")
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
    resolved = resolve_miners(miners)
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise BadInput(f"folds = {safe_repr(folds)} must be an integer of at least 2")
    shown = release.shown(target, seed)
    work = training_data(release, shown, feature_columns(release, target, given), folds, seed)
    for miner in resolved:
        require_able(miner, work, shown)
    found = cached_predictions(
        release, work, resolved, lambda missing: _mine(work, missing, progress, cancel), lambda: _step(cancel)
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
    available = [
        name for name in released_columns(release.table) if name not in release.unpublished_columns and name != target
    ]
    for name in given or ():
        if name not in released_columns(release.table):
            raise BadInput(
                f"{safe_repr(name)} is not a column of the table; {suggest(name, released_columns(release.table))}"
            )
    return tuple(name for name in available if given is None or name in given)


def require_able(miner: Miner, work: TrainingData, shown: Shown) -> None:
    if miner.predicts == "numbers" and work.numbers is None:
        raise Undefined(
            f"{miner} predicts numbers, and {shown.column.name!r} is text; choose a miner that predicts values"
        )
    if miner.predicts == "values" and shown.numbers is not None:
        raise Undefined(
            f"{miner} predicts values, and {shown.column.name!r} has noisy numbers; choose a miner that predicts "
            "numbers"
        )


def _step(cancel: threading.Event | None, words: str = "") -> None:
    """Raise Cancelled if cancellation was requested."""
    checkpoint(words)
    if cancel is not None and cancel.is_set():
        raise Cancelled


def _mine(
    work: TrainingData, miners: Sequence[Miner], progress: Progress | None, cancel: threading.Event | None
) -> dict[Miner, np.ndarray]:
    """Return every miner's predictions for every fold."""
    found = {one: np.empty(len(work.fold), work.labels.dtype if one.predicts == "values" else float) for one in miners}

    def done(job: fitting.Job, answer: np.ndarray) -> None:
        found[job[0]][work.sides(job[1])[1]] = answer

    run_folds(work, miners, predict_fold, done, progress, cancel)
    return found


def run_folds(
    work: TrainingData,
    asked: Sequence[Miner],
    task: fitting.Task,
    take: Callable[[fitting.Job, np.ndarray], object],
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> None:
    """Run a task for every fold of every miner: in this process if that is fast, otherwise in worker processes."""
    jobs, count = [(miner, fold) for miner in asked for fold in range(int(work.fold.max()) + 1)], 0

    def look() -> None:
        _step(cancel, f"{count} of {len(jobs)} folds done")

    def done(job: fitting.Job, answer: np.ndarray) -> None:
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
        if TWICE * work.size * (1 + min(fitting.processors(), len(rest))) > MEMORY:
            raise Undefined(
                f"{len(work.fold):,} records with {len(work.features)} columns to learn from do not fit in "
                f"{MEMORY / 1e9:g} GB of memory; mine a random sample of the records, or publish fewer columns"
            )
        fitting.run(work, rest, done, look, task)


# The expected duration of cross-fitting, extrapolated from the processor time of samples.

FOLDS = 10
SAMPLES = (800, 1600)  # records
FIRST = 200  # untimed records, which load the libraries
STEEPEST = 2.0  # largest exponent of the growth of time with the number of records


def estimate_seconds(release: Release, target: str, miners: Sequence[Miner]) -> float:
    """Return the expected seconds until all miners have predicted a column of the release, on all processors."""
    shown = release.shown(target)
    work, found = training_data(release, shown, feature_columns(release, target), FOLDS, 0), 0.0
    for miner in miners:
        require_able(miner, work, shown)
        found += _of_one(work, miner)
    return found if len(work.fold) <= FEW else found / processors()


def _of_one(work: TrainingData, miner: Miner) -> float:
    many = len(work.fold)
    _timed(work, miner, FIRST)
    if many <= SAMPLES[1]:
        return FOLDS * _timed(work, miner, many)
    less, more = (max(_timed(work, miner, size), 1e-4) for size in SAMPLES)
    power = min(max(math.log(more / less) / math.log(SAMPLES[1] / SAMPLES[0]), 1.0), STEEPEST)
    return FOLDS * more * (many / SAMPLES[1]) ** power


def _timed(work: TrainingData, miner: Miner, size: int) -> float:
    """Return the duration of one fold on a sample, in seconds."""
    checkpoint()
    part = np.random.default_rng(0).permutation(len(work.fold))[:size]
    features = [one._replace(at=one.at[part]) for one in work.features]
    numbers = None if work.numbers is None else work.numbers[part]
    sample = TrainingData(
        features, work.labels[part], numbers, (np.arange(len(part)) % FOLDS).astype(np.int16), work.seed
    )
    began = time.thread_time()
    predict_fold(sample, miner, 0)
    return time.thread_time() - began


# Predictions of miners compared with the truth, for every record of the table or of a file.


class ScoredPredictions(NamedTuple):
    """Predicted and true values (or numbers, nan if missing), one row per record."""

    column: Column
    labels: tuple[str, ...]  # of the values
    predicted: np.ndarray
    true: np.ndarray
    records: np.ndarray | None  # the record of the table for each row; None if unknown


def original_release(table: Table) -> Release:
    """Return the unchanged table as a release, cached with the predictions mined from it."""
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
    if not release.about.has_original:
        raise Undefined("the original is unknown, so predictions cannot be compared with it")
    found, table = cross_fit(release, target, miner, given=given), release.table
    seen, shown_values = (_read(shown, table, numbers) for shown in (found.by_miner(miner), found.target))
    records = _records(release)
    if records is None:  # a file contains unchanged values, but not whose they are
        return ScoredPredictions(found.target.column, labels_of(table, target), seen, shown_values, None)
    true = _read(original_release(table).shown(target), table, numbers)
    predicted = np.full(len(true), _usual(shown_values), seen.dtype)
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


def _usual(numbers: np.ndarray) -> float:
    """Return the commonest value, or the mean of numbers."""
    if numbers.dtype.kind == "f":
        return float(np.nanmean(numbers)) if not np.isnan(numbers).all() else np.nan
    return int(np.bincount(numbers).argmax())


def labels_of(table: Table, target: str) -> tuple[str, ...]:
    """Return the values of a column as miners see them: a sensitive column at its level."""
    return table.sensitive[target].labels if target in table.sensitive else table.columns[target].value_labels()
