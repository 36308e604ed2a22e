"""Processes that learn: they start without the engine, have one thread each, and are ended at once when asked to."""

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
from workbench.miners.fitting import Work, predicted

if TYPE_CHECKING:
    from workbench.miners import Miner

Job = tuple["Miner", int]  # and the fold
Task = Callable[[Work, "Miner", int], np.ndarray]
IDLE = 60.0  # seconds until a process that is asked for nothing ends by itself
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
START = (  # Ctrl+C reaches all processes of a terminal or kernel; whoever has started this one ends it
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from workbench.miners.workers import serve; serve()"
)
_idle = list[subprocess.Popen]()


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    work: Work,
    jobs: Sequence[Job],
    done: Callable[[Job, np.ndarray], object],
    look: Callable[[], object],
    task: Task = predicted,
) -> None:
    """Each job in some process; `done` is called in this thread, and what `look` raises ends all of them."""
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
    """One that waits for work, or a new one."""
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


def _drive(process: subprocess.Popen, task: Task, work: Work, jobs: deque[Job], found: deque[tuple[Job, Any]]) -> None:
    """Give a process one job after the other."""
    job = jobs[0] if jobs else None
    try:
        _send(process.stdin, work)
        while jobs:
            job = jobs.popleft()
            _send(process.stdin, (task, *job))
            found.append((job, pickle.load(process.stdout)))  # type: ignore[arg-type]
    except IndexError:  # another has taken the last one
        return
    except (OSError, EOFError):
        found.append((job, RuntimeError(f"a process that learns {job[0] if job else ''} ended; is there memory left?")))  # type: ignore[arg-type]


def _send(pipe: IO[bytes] | None, what: Any) -> None:
    assert pipe is not None
    pickle.dump(what, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def serve() -> None:
    """What such a process does: it takes work, then jobs, and answers each."""
    answers, asked = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)  # what a learner prints is no answer
    work: Work | None = None
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
        if isinstance(given, Work):
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
