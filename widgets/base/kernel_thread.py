"""The kernel's thread, in which widgets handle and send all messages, one call after the other.

A cell that blocks stops the kernel's event loop. While it waits in `KernelThread.wait`, it runs the calls itself.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextvars import Context
from heapq import heappop, heappush
from itertools import count
from typing import Any

POLL = 0.1  # seconds between two checks of a waiting cell
CLOCK_SKEW = 0.02  # seconds by which a loop's clock may be ahead of ours


class ScheduledCall:
    """A call with a due time, which `cancel()` prevents."""

    def __init__(self, due: float, serial: int, call: Callable[[], object]) -> None:
        self._order = due, serial
        self.due, self.call = due, call

    def __lt__(self, other: ScheduledCall) -> bool:
        return self._order < other._order

    def cancel(self) -> None:
        """Prevent the call."""
        self.call = _do_nothing


class KernelThread:
    """Calls in the thread of an event loop, requested from any thread and run in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: list[ScheduledCall] = []
        self._condition, self._serial = threading.Condition(), count()

    @property
    def here(self) -> bool:
        """Return whether this is the thread of the loop."""
        return running_loop() is self._loop

    def call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call in the kernel's thread after all earlier calls."""
        self._put(0.0, lambda: call(*arguments))
        try:
            # in a new context: cancelling the caller's job must not stop its reports
            self._loop.call_soon_threadsafe(self._run_due_calls, context=Context())
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def call_later(self, seconds: float, call: Callable[[], object]) -> ScheduledCall:
        """Call after a delay; to be used in the loop's own thread."""
        scheduled = self._put(seconds, call)
        self._loop.call_later(seconds + CLOCK_SKEW, self._run_due_calls)
        return scheduled

    def wait(self, done: Callable[[], bool]) -> None:
        """Block until `done()`, and run all other calls in the meantime."""
        while not done():
            if not self.here:
                time.sleep(POLL)
            elif not self._run_due_calls():
                with self._condition:
                    ahead = self._calls[0].due - time.monotonic() if self._calls else POLL
                    if ahead > 0:
                        self._condition.wait(min(ahead, POLL))

    def _put(self, seconds: float, call: Callable[[], object]) -> ScheduledCall:
        with self._condition:
            scheduled = ScheduledCall(time.monotonic() + seconds, next(self._serial), call)
            heappush(self._calls, scheduled)
            self._condition.notify()
        return scheduled

    def _run_due_calls(self) -> bool:
        """Run all calls that are due, also after one fails; return whether there were any."""
        now, found = time.monotonic(), False
        while (scheduled := self._due(now)) is not None:
            found = True
            try:
                scheduled.call()
            except Exception as error:
                self._loop.call_exception_handler({"message": "a widget's scheduled call failed", "exception": error})
        return found

    def _due(self, now: float) -> ScheduledCall | None:
        with self._condition:
            return heappop(self._calls) if self._calls and self._calls[0].due <= now else None


_kernel_threads: dict[asyncio.AbstractEventLoop, KernelThread] = {}


def current_kernel_thread() -> KernelThread | None:
    """Return the kernel thread of the event loop in this thread; None in a script, which has no loop."""
    loop = running_loop()
    if loop is None:
        return None
    for closed in [one for one in _kernel_threads if one.is_closed()]:
        del _kernel_threads[closed]
    if loop not in _kernel_threads:
        _kernel_threads[loop] = KernelThread(loop)
    return _kernel_threads[loop]


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the running event loop; None in a script."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def wait_until(thread: KernelThread | None, done: Callable[[], bool], progress: Callable[[], str]) -> None:
    """Block until `done()`, and print the progress in one line; a script has nothing to wait for."""
    printed = ""

    def check() -> bool:
        nonlocal printed
        is_done, text = done(), progress()
        if text != printed and (printed or not is_done):
            print(f"\r{text:{len(printed)}}", end="", flush=True)
            printed = text
        if is_done and printed:
            print()
        return is_done

    if thread is not None:
        thread.wait(check)


def _do_nothing() -> None:
    pass
