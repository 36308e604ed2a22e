"""Worker processes that train miners: without the engine, with one thread each, and ended at once on request."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from workbench.base.progress import TICK
from workbench.miners.fitting import TrainingData, predict_fold

if TYPE_CHECKING:
    from workbench.miners import Miner

Job = tuple["Miner", int]  # a miner and a fold
Task = Callable[[TrainingData, "Miner", int], np.ndarray]
IDLE = 60.0  # seconds until an idle process ends
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
START = (  # Ctrl+C reaches all processes of a terminal or kernel; the process that started this one ends it
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from workbench.miners.workers import serve; serve()"
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
    answers, asked = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)  # output of a learner must not mix with results
    work: TrainingData | None = None
    while True:
        ending = threading.Timer(IDLE, os._exit, (0,))
        ending.daemon = True
        ending.start()
        try:
            given = pickle.load(asked)
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
