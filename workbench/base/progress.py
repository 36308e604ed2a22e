"""Long work says how far it is, and stops when it is asked to, whatever is between it and who waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Say = Callable[[str], object]
TICK = 0.05  # seconds between two looks at who waits, or is busy


class Cancelled(Exception):
    """Who waits for this work has asked it to stop."""


class Patient(threading.Event):
    """Work that listens to this goes on only while nobody is busy, until it is cancelled."""

    def __init__(self, cancel: threading.Event, busy: Callable[[], bool]) -> None:
        super().__init__()
        self.cancel, self._busy = cancel, busy

    def is_set(self) -> bool:
        while self._busy() and not self.cancel.wait(TICK):
            pass
        return self.cancel.is_set()


_heard: ContextVar[tuple[threading.Event | None, Say | None]] = ContextVar("underway", default=(None, None))


@contextmanager
def listening(cancel: threading.Event | None = None, say: Say | None = None) -> Iterator[None]:
    """Work in here, in this thread, stops once `cancel` is set, and says to `say` how far it is."""
    before = _heard.set((cancel, say))
    try:
        yield
    finally:
        _heard.reset(before)


def step(words: str = "") -> None:
    """To be called every tenth of a second: raises Cancelled if it is time to stop."""
    cancel, say = _heard.get()
    if cancel is not None and cancel.is_set():
        raise Cancelled
    if words and say is not None:
        say(words)


@contextmanager
def holding(lock: threading.Lock, look: Callable[[], object] = step) -> Iterator[None]:
    """One thread at a time works in here; who waits looks up. Work that others may wait for is not patient with them:
    they would wait for each other."""
    while not lock.acquire(timeout=TICK):
        look()
    cancel, say = _heard.get()
    try:
        with listening(cancel.cancel if isinstance(cancel, Patient) else cancel, say):
            yield
    finally:
        lock.release()


def stoppable(work: Callable[[], T], interrupt: Callable[[], object], look: Callable[[], object] = step) -> T:
    """What `work`, which never looks up, comes to; what `look` raises meanwhile, and Ctrl-C, ends it by `interrupt`."""
    look()
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(work)
        try:
            while not wait([coming], TICK).done:
                look()
        except BaseException:
            while not coming.done():  # again and again: an interrupt that comes before the work has begun is lost
                interrupt()
                wait([coming], TICK)
            raise
        return coming.result()
