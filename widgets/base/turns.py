"""The kernel's thread, in which widgets hear and say everything, one turn after the other; also while a cell waits.

A cell that blocks keeps the kernel's loop from running. While it waits here, it takes the turns itself.
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

NEXT = 0.1  # seconds after which a cell that waits looks again
EARLY = 0.02  # seconds by which a loop's clock may be ahead of ours


class Turn:
    """A call that is due at some time; `cancel()` keeps it from being made."""

    def __init__(self, due: float, serial: int, call: Callable[[], object]) -> None:
        self._order = due, serial
        self.due, self.call = due, call

    def __lt__(self, other: Turn) -> bool:
        return self._order < other._order

    def cancel(self) -> None:
        """Whoever asked for it does not want it any more."""
        self.call = _nothing


class Turns:
    """Calls in the thread of an event loop, requested from any thread and run in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._turns: list[Turn] = []
        self._more, self._serial = threading.Condition(), count()

    @property
    def here(self) -> bool:
        """Return whether this is the thread of the loop."""
        return running_loop() is self._loop

    def soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call as soon as it is its turn."""
        self._put(0.0, lambda: call(*arguments))
        try:
            # not in the context of the caller: the cancellation of a job would also stop its reports
            self._loop.call_soon_threadsafe(self._take, context=Context())
        except RuntimeError:
            if not self._loop.is_closed():  # else nobody is there any more
                raise

    def later(self, seconds: float, call: Callable[[], object]) -> Turn:
        """Call after a while; from the loop's own thread."""
        turn = self._put(seconds, call)
        self._loop.call_later(seconds + EARLY, self._take)
        return turn

    def wait(self, over: Callable[[], bool]) -> None:
        """Block until it is over, and let everything else go on meanwhile."""
        while not over():
            if not self.here:
                time.sleep(NEXT)
            elif not self._take():
                with self._more:
                    ahead = self._turns[0].due - time.monotonic() if self._turns else NEXT
                    if ahead > 0:
                        self._more.wait(min(ahead, NEXT))

    def _put(self, seconds: float, call: Callable[[], object]) -> Turn:
        with self._more:
            turn = Turn(time.monotonic() + seconds, next(self._serial), call)
            heappush(self._turns, turn)
            self._more.notify()
        return turn

    def _take(self) -> bool:
        """All turns that are due by now; what goes wrong in one ends no other. Whether there was one."""
        now, found = time.monotonic(), False
        while (turn := self._due(now)) is not None:
            found = True
            try:
                turn.call()
            except Exception as error:
                self._loop.call_exception_handler({"message": "a widget's turn failed", "exception": error})
        return found

    def _due(self, now: float) -> Turn | None:
        with self._more:
            return heappop(self._turns) if self._turns and self._turns[0].due <= now else None


_known: dict[asyncio.AbstractEventLoop, Turns] = {}


def turns_here() -> Turns | None:
    """The turns of the loop that runs in this thread; None in a script, which has no loop."""
    loop = running_loop()
    if loop is None:
        return None
    for one in [one for one in _known if one.is_closed()]:
        del _known[one]
    if loop not in _known:
        _known[loop] = Turns(loop)
    return _known[loop]


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The kernel's loop; a script has none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def waited(turns: Turns | None, over: Callable[[], bool], progress: Callable[[], str]) -> None:
    """Block until it is over, and print in one line how far it is; in a script everything has happened already."""
    told = ""

    def looked() -> bool:
        nonlocal told
        done, now = over(), progress()
        if now != told and (told or not done):
            print(f"\r{now:{len(told)}}", end="", flush=True)
            told = now
        if done and told:
            print()
        return done

    if turns is not None:
        turns.wait(looked)


def _nothing() -> None:
    pass
