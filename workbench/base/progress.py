"""Progress, cancellation and remaining time of long work, through any number of calls in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Report = Callable[[str], object]
TICK = 0.05  # seconds between two checks


class Cancelled(Exception):
    """The caller has cancelled the work."""


class PatientCancel(threading.Event):
    """A cancellation event that also pauses the work while something more urgent is busy."""

    def __init__(self, cancel: threading.Event, busy: Callable[[], bool]) -> None:
        super().__init__()
        self.cancel, self._busy = cancel, busy

    def is_set(self) -> bool:
        while self._busy() and not self.cancel.wait(TICK):
            pass
        return self.cancel.is_set()


_context: ContextVar[tuple[threading.Event | None, Report | None]] = ContextVar("underway", default=(None, None))


@contextmanager
def cancellable(cancel: threading.Event | None = None, report: Report | None = None) -> Iterator[None]:
    """Let `cancel` stop the work inside, in this thread, and send its progress to `report`."""
    before = _context.set((cancel, report))
    try:
        yield
    finally:
        _context.reset(before)


def checkpoint(words: str = "") -> None:
    """Raise Cancelled if the work is cancelled, and report progress; long work calls it every tenth of a second."""
    cancel, report = _context.get()
    if cancel is not None and cancel.is_set():
        raise Cancelled
    if words and report is not None:
        report(words)


@contextmanager
def cancellable_lock(lock: threading.Lock, look: Callable[[], object] = checkpoint) -> Iterator[None]:
    """Hold a lock, with a cancellable wait. Inside, work does not pause for others: they might wait for the lock."""
    while not lock.acquire(timeout=TICK):
        look()
    cancel, report = _context.get()
    try:
        with cancellable(cancel.cancel if isinstance(cancel, PatientCancel) else cancel, report):
            yield
    finally:
        lock.release()


def run_interruptible(
    work: Callable[[], T], interrupt: Callable[[], object], look: Callable[[], object] = checkpoint
) -> T:
    """Return the result of work without checkpoints; `interrupt` ends it if `look` raises or on Ctrl-C."""
    look()
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work)
        try:
            while not wait([result], TICK).done:
                look()
        except BaseException:
            while not result.done():  # repeated, since an interrupt before the work begins is lost
                interrupt()
                wait([result], TICK)
            raise
        return result.result()


EARLIEST = 2.0  # seconds of work before an estimate of the remaining time is worth showing


def describe_duration(seconds: float) -> str:
    """Return a rounded duration such as `about 5 min`."""
    if seconds < 10:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 60:
        return f"about {5 * round(seconds / 5)} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {minutes / 60:.1f} hours"


class Remaining:
    """Estimates the remaining time of work that started when this object was created."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def text(self, done: float, total: float) -> str:
        """Return for example `about 40 s left`; empty at the beginning, and when all is done."""
        passed = time.monotonic() - self._started
        if passed < EARLIEST or not 0 < done < total:
            return ""
        return f"{describe_duration(passed * (total - done) / done)} left"
