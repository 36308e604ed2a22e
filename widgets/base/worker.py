"""Long work outside the kernel's thread: one job at a time; a newer job replaces an older one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from widgets.base.kernel_thread import current_kernel_thread
from workbench.base.progress import Cancelled, Report, cancellable

CallSoon = Callable[..., None]
Job = Callable[[threading.Event, CallSoon], None]
REPORT_INTERVAL = 0.15  # seconds between two progress reports


class Worker:
    """A thread for one job at a time; `start(job)` cancels the current job and then begins the new one.

    A job receives an event that is set when it is cancelled, and `call_soon(call, *arguments)`, which calls in the
    kernel's thread unless a newer job has started. Exceptions of both are passed to `failed`, also in the kernel's
    thread. Without an event loop, as in a script, a job runs immediately.
    """

    def __init__(self, failed: Callable[[BaseException], object]) -> None:
        self._failed = failed
        self._kernel_thread = current_kernel_thread()
        self._lock = threading.Lock()
        self._waiting: tuple[Job, threading.Event] | None = None
        self._current = threading.Event()
        self._thread: threading.Thread | None = None
        self.busy = False  # a job is running, or its calls are still pending

    def start(self, job: Job) -> None:
        """Run this job next; a job that is still waiting is discarded."""
        self._current.set()
        self._current, self.busy = threading.Event(), True
        cancel = self._current
        if self._kernel_thread is None:
            self._run(job, cancel)
            return
        with self._lock:
            self._waiting = (job, cancel)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="workbench", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Cancel the current job; it still delivers its results so far."""
        self._current.set()

    def forget(self) -> None:
        """Cancel the current job, ignore its further calls, and discard a waiting job."""
        self._current.set()
        self._current, self.busy = threading.Event(), False
        with self._lock:
            self._waiting = None

    def _work(self) -> None:
        """Run waiting jobs; the thread ends when there is none, so that idle widgets use no thread."""
        while True:
            with self._lock:
                if self._waiting is None:
                    self._thread = None
                    return
                (job, cancel), self._waiting = self._waiting, None
            self._run(job, cancel)

    def _run(self, job: Job, cancel: threading.Event) -> None:
        def call_soon(call: Callable[..., object], *arguments: Any) -> None:
            def now() -> None:
                if self._current is not cancel:
                    return
                try:
                    with suppress(Cancelled):
                        call(*arguments)
                except Exception as error:
                    self._failed(error)

            if self._kernel_thread is None:
                now()
            else:
                self._kernel_thread.call_soon(now)

        try:
            with suppress(Cancelled), cancellable(cancel):
                job(cancel, call_soon)
        except Exception as error:  # reported in the kernel's thread
            call_soon(self._failed, error)
        call_soon(self._done)

    def _done(self) -> None:
        self.busy = False


class Throttle:
    """Throttles progress reports; it runs in the worker thread."""

    def __init__(self, say: Report) -> None:
        self._say, self._last = say, 0.0

    def __call__(self, words: str) -> None:
        if time.monotonic() - self._last >= REPORT_INTERVAL:
            self._last = time.monotonic()
            self._say(words)
