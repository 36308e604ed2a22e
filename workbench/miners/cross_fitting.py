"""Cross-fitting: every published record is predicted by miners that have learnt from others alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined, meant, said
from workbench.base.progress import Cancelled, step
from workbench.miners import Miner, workers
from workbench.miners.features import features
from workbench.miners.fitting import Work, predicted
from workbench.miners.keeping import remembered
from workbench.miners.sets import chosen
from workbench.releases.base import Release
from workbench.releases.shown import Shown
from workbench.workloads.exact import numbers_of

FEW = 3000  # records for which no process is started: each fold takes a blink
MEMORY = 2_000_000_000  # bytes that mining may take, here and in all processes
TWICE = 2  # what is learnt from takes as much again while it is handed over and encoded
Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What each miner predicts of each published record, in their order; as private as the records are."""

    target: Shown
    found: Mapping[Miner, np.ndarray]

    def __repr__(self) -> str:
        return f"<Predictions of {self.target.column.name!r} by {', '.join(map(str, self.found))}>"

    def of(self, miner: Miner | str) -> Shown:
        """What a miner predicts: codes, numbers of regions that occur, or numbers."""
        (one,) = chosen(miner)
        if one not in self.found:
            raise BadInput(f"{one} was not asked; there are {', '.join(map(str, self.found))}")
        column, target = self.target.column, self.target
        if one.predicts == "numbers":
            return Shown(column, numbers=self.found[one])
        if target.codes is not None:
            return Shown(column, codes=self.found[one])
        return Shown(column, group=self.found[one], regions=target.regions)


def cross_fitted(
    release: Release,
    target: str,
    miners: Any,
    folds: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    given: Sequence[str] | None = None,
) -> Predictions:
    """What miners predict of a column from the other published columns, or from those `given`.

    `progress(done, total)` is called after each fold; setting `cancel` ends the processes at once.
    """
    asked = chosen(miners)
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise BadInput(f"folds = {said(folds)} must be a whole number, 2 or more")
    shown = release.shown(target, seed)
    work = work_of(release, shown, columns_known(release, target, given), folds, seed)
    for miner in asked:
        refuse_unable(miner, work, shown)
    found = remembered(
        release, work, asked, lambda missing: _mined(work, missing, progress, cancel), lambda: _step(cancel)
    )
    return Predictions(shown, found)


def work_of(release: Release, shown: Shown, names: tuple[str, ...], folds: int, seed: int) -> Work:
    """What is learnt from, and what is learnt."""
    numbers = None if shown.column.kind == "text" else numbers_shown(shown)
    labels = _labels(shown)
    if shown.records < 2:
        raise Undefined("fewer than two records are published, so nothing can be learnt from the others")
    strata = labels if shown.numbers is None else _parts(shown.numbers)
    fold = folds_of(strata, min(folds, shown.records), seed)
    return Work(features(release, names, seed), labels, numbers, fold, seed)


def folds_of(labels: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """The fold of each record: of every label nearly as many in each."""
    by_chance = np.random.default_rng([seed, folds]).random(len(labels))
    fold = np.empty(len(labels), np.int16)
    fold[np.lexsort([by_chance, labels])] = np.arange(len(labels)) % folds
    return fold


def numbers_shown(shown: Shown) -> np.ndarray:
    """What each record shows, as a number: the middle of its interval; nan is missing."""
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
    """Tenths of the records, by their numbers."""
    return np.argsort(np.argsort(numbers, kind="stable")) * 10 // len(numbers)


def columns_known(release: Release, target: str, given: Sequence[str] | None = None) -> tuple[str, ...]:
    """The columns that are learnt from."""
    there = [name for name in release.table.released if name not in release.removed and name != target]
    for name in given or ():
        if name not in release.table.released:
            raise BadInput(f"{said(name)} is not a column of the table; {meant(name, release.table.released)}")
    return tuple(name for name in there if given is None or name in given)


def refuse_unable(miner: Miner, work: Work, shown: Shown) -> None:
    if miner.predicts == "numbers" and work.numbers is None:
        raise Undefined(f"{miner} predicts numbers, and {shown.column.name!r} is text; ask a miner of values")
    if miner.predicts == "values" and shown.numbers is not None:
        raise Undefined(f"{miner} predicts values, and {shown.column.name!r} shows noisy numbers; ask one of numbers")


def _step(cancel: threading.Event | None, words: str = "") -> None:
    """Raise Cancelled where anybody asks for it."""
    step(words)
    if cancel is not None and cancel.is_set():
        raise Cancelled


def _mined(
    work: Work, asked: Sequence[Miner], progress: Progress | None, cancel: threading.Event | None
) -> dict[Miner, np.ndarray]:
    """Every fold of every miner."""
    found = {one: np.empty(len(work.fold), work.labels.dtype if one.predicts == "values" else float) for one in asked}

    def done(job: workers.Job, answer: np.ndarray) -> None:
        found[job[0]][work.sides(job[1])[1]] = answer

    every_fold(work, asked, predicted, done, progress, cancel)
    return found


def every_fold(
    work: Work,
    asked: Sequence[Miner],
    task: workers.Task,
    take: Callable[[workers.Job, np.ndarray], object],
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> None:
    """A task for every fold of every miner: here where that is short, else in processes."""
    jobs, count = [(miner, fold) for miner in asked for fold in range(int(work.fold.max()) + 1)], 0

    def look() -> None:
        _step(cancel, f"{count} of {len(jobs)} folds are mined")

    def done(job: workers.Job, answer: np.ndarray) -> None:
        nonlocal count
        take(job, answer)
        count += 1
        if progress is not None:
            progress(count, len(jobs))

    look()
    here = [job for job in jobs if len(work.fold) <= FEW or type(job[0]).__module__ == "__main__"]
    for job in here:  # of a miner that was written in a notebook no other process knows
        done(job, task(work, *job))
        look()
    if rest := [job for job in jobs if job not in here]:
        if TWICE * work.size * (1 + min(workers.processors(), len(rest))) > MEMORY:
            raise Undefined(
                f"{len(work.fold):,} records with {len(work.features)} columns to learn from are too many for "
                f"{MEMORY / 1e9:g} GB of memory; mine a random sample of the records, or publish fewer columns"
            )
        workers.run(work, rest, done, look, task)
