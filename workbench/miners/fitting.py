"""One fold: a miner learns from the records of the others, and predicts those that it has not seen."""

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

CHUNK = 4096  # records that are predicted at once
TAUGHT = 1_000_000  # records that a miner learns from at most: of more a random sample, which sentences say


class Work(NamedTuple):
    """What is learnt from, and what is learnt: labels, or numbers (nan is missing); and the fold of each record."""

    features: Sequence[Feature]
    labels: np.ndarray
    numbers: np.ndarray | None
    fold: np.ndarray
    seed: int

    @property
    def content(self) -> bytes:
        """A digest of all of it, by which results are found again; it stays in the process, or is keyed."""
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
        """Bytes of all of it, or so."""
        arrays = [array for one in self.features for array in (one.at, one.low, one.high, one.held, one.places)]
        return sum(array.nbytes for array in (*arrays, self.labels, self.numbers, self.fold) if array is not None)

    def sides(self, fold: int) -> tuple[np.ndarray, np.ndarray]:
        """The records to learn from, and those to predict."""
        inside = self.fold == fold
        return np.flatnonzero(~inside), np.flatnonzero(inside)


def predicted(work: Work, miner: Miner, fold: int) -> np.ndarray:
    """What the miner predicts of the records of a fold, having learnt from the others."""
    return next(answers(work, miner, fold, [()]))


def shuffled(work: Work, miner: Miner, fold: int) -> np.ndarray:
    """The same, and in a further row for each column with what these records show of it exchanged among them."""
    columns = range(len(work.features))
    return np.stack([*answers(work, miner, fold, [(), *((column,) for column in columns)])])


def answers(work: Work, miner: Miner, fold: int, exchanged: Sequence[Sequence[int]]) -> Iterator[np.ndarray]:
    """What the miner predicts of a fold, as it is and with some columns exchanged: it learns once."""
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
    encoded = Encoded.of(work.features, miner.form, train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a miner that has not converged is a worse miner, and measured as it is
        learner = miner.learner(encoded.nominal, work.seed).fit(encoded.rows(train), learnt)
        for columns in exchanged:
            seen = encoded.exchanged(columns, test, work.seed)
            parts = [learner.predict(seen.rows(part)) for part in np.array_split(test, len(test) // CHUNK + 1)]
            yield np.concatenate(parts).astype(target.dtype)


def sample(train: np.ndarray, seed: int) -> np.ndarray:
    """The records that a miner learns from: all, or so many at random."""
    if len(train) <= TAUGHT:
        return train
    return np.sort(np.random.default_rng([seed, len(train)]).choice(train, TAUGHT, replace=False))


def taught(records: int, folds: int = 10) -> str:
    """Where miners learn from a sample of the records, a sentence that says so, to stand behind another."""
    many = records - records // folds > TAUGHT
    return f" Each miner has learnt from {TAUGHT:,} other records at random." if many else ""


def _usual(learnt: np.ndarray, miner: Miner) -> float:
    """What is predicted by who knows nothing of a record."""
    if miner.predicts == "numbers":
        return float(learnt.mean())
    values, counts = np.unique(learnt, return_counts=True)
    return values[counts.argmax()]
