"""One fold: train a miner on the other folds and predict this one."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.miners.encoding import Encoded
from workbench.miners.features import Feature

if TYPE_CHECKING:
    from workbench.miners import Miner

CHUNK = 4096  # records predicted at once
MAX_TRAINING = 1_000_000  # records to train a miner on; above, a random sample, which sentences report


class TrainingData(NamedTuple):
    """Training data: features, labels or numbers to predict (nan if missing), and the fold of each record."""

    features: Sequence[Feature]
    labels: np.ndarray
    numbers: np.ndarray | None
    fold: np.ndarray
    seed: int

    @property
    def content(self) -> bytes:
        """A digest of the training data, used as a cache key; it stays in the process, or is hashed with a secret."""
        found = hashlib.blake2b(f"{self.seed} {len(self.features)}".encode(), digest_size=32)
        for one in self.features:
            for array in (one.at, one.low, one.high, one.held, one.places, *one.levels):
                found.update(b"-" if array is None else f"{array.shape}{array.dtype}".encode() + array.tobytes())
            found.update(f"{one.size}".encode())
        for array in (self.labels, self.numbers, self.fold):
            found.update(b"-" if array is None else f"{array.shape}{array.dtype}".encode() + array.tobytes())
        return found.digest()

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        arrays = [array for one in self.features for array in (one.at, one.low, one.high, one.held, one.places)]
        return sum(array.nbytes for array in (*arrays, self.labels, self.numbers, self.fold) if array is not None)

    def sides(self, fold: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the records to learn from and the records to predict."""
        inside = self.fold == fold
        return np.flatnonzero(~inside), np.flatnonzero(inside)


def predict_fold(work: TrainingData, miner: Miner, fold: int) -> np.ndarray:
    """Return the predictions for a fold by the miner trained on the others."""
    return next(predict_variants(work, miner, fold, [()]))


def predict_shuffled(work: TrainingData, miner: Miner, fold: int) -> np.ndarray:
    """Return the predictions for a fold, and in one further row per column those with that column shuffled."""
    columns = range(len(work.features))
    return np.stack([*predict_variants(work, miner, fold, [(), *((column,) for column in columns)])])


def predict_variants(
    work: TrainingData, miner: Miner, fold: int, exchanged: Sequence[Sequence[int]]
) -> Iterator[np.ndarray]:
    """Yield the predictions for a fold with each of the given sets of columns shuffled, from one training."""
    train, test = work.sides(fold)
    target = work.labels if miner.predicts == "values" else work.numbers
    assert target is not None
    if miner.predicts == "numbers":
        train = train[~np.isnan(target[train])]
    train = sample(train, work.seed)
    learnt = target[train]
    if not len(train) or not work.features or (learnt == learnt[0]).all():
        usual = _usual(learnt, miner) if len(train) else np.nan
        yield from (np.full(len(test), usual).astype(target.dtype) for _ in exchanged)
        return
    encoded = Encoded.from_features(work.features, miner.form, train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a miner that has not converged is measured as it is
        learner = miner.learner(encoded.nominal, work.seed).fit(encoded.rows(train), learnt)
        for columns in exchanged:
            seen = encoded.exchanged(columns, test, work.seed)
            parts = [learner.predict(seen.rows(part)) for part in np.array_split(test, len(test) // CHUNK + 1)]
            yield np.concatenate(parts).astype(target.dtype)


def sample(train: np.ndarray, seed: int) -> np.ndarray:
    """Return the records to train on: all, or a random sample of `TAUGHT`."""
    if len(train) <= MAX_TRAINING:
        return train
    return np.sort(np.random.default_rng([seed, len(train)]).choice(train, MAX_TRAINING, replace=False))


def sample_note(records: int, folds: int = 10) -> str:
    """Return a sentence to append if miners are trained on a sample of the records, otherwise nothing."""
    many = records - records // folds > MAX_TRAINING
    return f" Each miner was trained on {MAX_TRAINING:,} other records, drawn at random." if many else ""


def _usual(learnt: np.ndarray, miner: Miner) -> float:
    """Return the prediction without any knowledge of a record."""
    if miner.predicts == "numbers":
        return float(learnt.mean())
    values, counts = np.unique(learnt, return_counts=True)
    return values[counts.argmax()]
