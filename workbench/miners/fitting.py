"""Training of a miner on the other folds and prediction of this one, here or in worker processes."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.base.progress import TICK
from workbench.miners.features import Encoded, Feature

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
    """Return the records to train on: all, or a random sample of `MAX_TRAINING`."""
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


# Worker processes that train miners: without the engine, with one thread each, and ended at once on request.

Job = tuple["Miner", int]  # a miner and a fold
Task = Callable[[TrainingData, "Miner", int], np.ndarray]
IDLE = 60.0  # seconds until an idle process ends
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
START = (  # Ctrl+C reaches all processes of a terminal or kernel; the process that started this one ends it
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from workbench.miners.fitting import serve; serve()"
)
_idle = list[subprocess.Popen]()


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    work: TrainingData,
    jobs: Sequence[Job],
    done: Callable[[Job, np.ndarray], object],
    look: Callable[[], object],
    task: Task = predict_fold,
) -> None:
    """Run each job in a process; `done` is called in this thread, and an exception of `look` ends all processes."""
    processes, left = [_process() for _ in range(min(processors(), len(jobs)))], deque(jobs)
    found: deque[tuple[Job, Any]] = deque()
    threads = [threading.Thread(target=_drive, args=(one, task, work, left, found), daemon=True) for one in processes]
    try:
        for thread in threads:
            thread.start()
        while found or any(thread.is_alive() for thread in threads):
            threads[0].join(TICK)
            threads.append(threads.pop(0))
            look()
            while found:
                job, answer = found.popleft()
                if isinstance(answer, BaseException):
                    raise answer
                done(job, answer)
    except BaseException:
        left.clear()
        for one in processes:
            one.kill()
            one.wait()
        raise
    _idle.extend(processes)


def _process() -> subprocess.Popen:
    """Return an idle process, or a new one."""
    while _idle:
        waiting = _idle.pop()
        if _answers(waiting):
            return waiting
    env = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)


def _answers(process: subprocess.Popen) -> bool:
    try:
        _send(process.stdin, None)
        return pickle.load(process.stdout) is None  # type: ignore[arg-type]
    except (OSError, EOFError):
        process.wait()
        return False


def _drive(
    process: subprocess.Popen, task: Task, work: TrainingData, jobs: deque[Job], found: deque[tuple[Job, Any]]
) -> None:
    """Send jobs to a process, one after the other."""
    job = jobs[0] if jobs else None
    try:
        _send(process.stdin, work)
        while jobs:
            job = jobs.popleft()
            _send(process.stdin, (task, *job))
            found.append((job, pickle.load(process.stdout)))  # type: ignore[arg-type]
    except IndexError:  # another thread took the last job
        return
    except (OSError, EOFError):
        trained = job[0] if job else ""
        found.append((job, RuntimeError(f"a process that trains {trained} ended; is there enough memory?")))  # type: ignore[arg-type]


def _send(pipe: IO[bytes] | None, what: Any) -> None:
    assert pipe is not None
    pickle.dump(what, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def serve() -> None:
    """Receive work and jobs, and send a result for each."""
    answers, requests = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)  # output of a learner must not mix with results
    work: TrainingData | None = None
    while True:
        ending = threading.Timer(IDLE, os._exit, (0,))
        ending.daemon = True
        ending.start()
        try:
            given = pickle.load(requests)
        except EOFError:
            return
        finally:
            ending.cancel()
        if isinstance(given, TrainingData):
            work = given
            continue
        answer: Any = None
        if given is not None and work is not None:
            try:
                task, *job = given
                answer = task(work, *job)
            except Exception as error:
                answer = error
        _send(answers, answer)
