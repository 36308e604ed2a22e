"""The expected duration of cross-fitting, extrapolated from the processor time of samples."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from workbench.base.progress import checkpoint
from workbench.miners import Miner
from workbench.miners.cross_fitting import FEW, feature_columns, require_able, training_data
from workbench.miners.fitting import TrainingData, predict_fold
from workbench.miners.workers import processors
from workbench.releases.base import Release

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
    """Return the seconds of one fold of a sample."""
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
