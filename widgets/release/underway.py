"""How far a release is that takes long: said while it is made, and once it was stopped."""

from __future__ import annotations

import time

from workbench.base.durations import duration
from workbench.base.progress import Say

PATIENT = 1.0  # seconds after which it is said how far a release is; a shorter time is not estimated either
SENT = 0.01  # seconds in which a kernel sends a message, if nothing else wants to run in it
KEPT = "Its clusters are kept: the same release goes on from there."
NOT_KEPT = "A release is whole or it is none, so nothing of it is kept; points that were measured before stay."


class Underway:
    """`text` is what there is to say, and `tell` is called with it: nothing of a release that is there at once.

    `took` is what the last one took; `stopped` says how far one was that was cancelled, until another one is begun.
    """

    def __init__(self, tell: Say) -> None:
        self.text, self.stopped, self.took = "", "", 0.0
        self._tell, self._expected, self._words, self._begun = tell, 0.0, "", time.monotonic()

    def begin(self) -> None:
        """Another release is being made."""
        self.stopped, self._expected, self._words, self._begun = "", 0.0, "", time.monotonic()
        self._say("")

    def expects(self, seconds: float) -> None:
        """About how long it will take."""
        self._expected = seconds
        self._say_how_far()

    def hears(self, words: str) -> None:
        """What the work says of itself."""
        self._words = words
        self._say_how_far()

    def end(self) -> None:
        """It is there, or will never be."""
        self.took = time.monotonic() - self._begun
        self._say("")

    def stop(self, goes_on: bool) -> None:
        """It is not wanted any more; whether it goes on from there when it is asked for again."""
        at = f" at {self._words}" if self._words else ""
        self.stopped = f"Cancelled{at}. {KEPT if at and goes_on else NOT_KEPT}"

    def _say_how_far(self) -> None:
        if self._expected >= PATIENT or time.monotonic() - self._begun >= PATIENT:
            about = f"This release takes {duration(self._expected)}" if self._expected >= PATIENT else ""
            self._say("; ".join(filter(None, (about, self._words))))

    def _say(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self._tell(text)
