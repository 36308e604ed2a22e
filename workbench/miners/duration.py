"""How long cross-fitting will take, from samples of the records that are timed by the clock of the processor."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from workbench.base.progress import step
from workbench.miners import Miner
from workbench.miners.cross_fitting import FEW, columns_known, refuse_unable, work_of
from workbench.miners.fitting import Work, predicted
from workbench.miners.workers import processors
from workbench.releases.base import Release

FOLDS = 10
SAMPLES = (800, 1600)  # records
FIRST = 200  # that are not timed: libraries are loaded with them
STEEPEST = 2.0  # the power of the records that time grows with, at most


def seconds(release: Release, target: str, miners: Sequence[Miner]) -> float:
    """About how long it takes until all of them have predicted a column of this release, on all processors."""
    shown = release.shown(target)
    work, found = work_of(release, shown, columns_known(release, target), FOLDS, 0), 0.0
    for miner in miners:
        refuse_unable(miner, work, shown)
        found += _of_one(work, miner)
    return found if len(work.fold) <= FEW else found / processors()


def _of_one(work: Work, miner: Miner) -> float:
    many = len(work.fold)
    _timed(work, miner, FIRST)
    if many <= SAMPLES[1]:
        return FOLDS * _timed(work, miner, many)
    less, more = (max(_timed(work, miner, size), 1e-4) for size in SAMPLES)
    power = min(max(math.log(more / less) / math.log(SAMPLES[1] / SAMPLES[0]), 1.0), STEEPEST)
    return FOLDS * more * (many / SAMPLES[1]) ** power


def _timed(work: Work, miner: Miner, size: int) -> float:
    """One fold of so many records."""
    step()
    part = np.random.default_rng(0).permutation(len(work.fold))[:size]
    features = [one._replace(at=one.at[part]) for one in work.features]
    numbers = None if work.numbers is None else work.numbers[part]
    sample = Work(features, work.labels[part], numbers, (np.arange(len(part)) % FOLDS).astype(np.int16), work.seed)
    began = time.thread_time()
    predicted(sample, miner, 0)
    return time.thread_time() - began
