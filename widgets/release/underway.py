"""How far a release is that takes long: said while it is made, and once it was stopped."""

from __future__ import annotations

import time

from workbench.base.progress import Report

PATIENT = 1.0  # seconds after which the progress of a release is shown
SENT = 0.01  # seconds in which a kernel sends a message, if nothing else wants to run in it
DISCARDED = "An unfinished release is discarded; points that were measured before stay."


class Underway:
    """The progress of a release that is being made, as `text`, passed to `tell`; empty for fast releases.

    `took` is the duration of the last release; `stopped` describes a cancelled one until the next begins.
    """

    def __init__(self, tell: Report) -> None:
        self.text, self.stopped, self.took = "", "", 0.0
        self._tell, self._words, self._begun = tell, "", time.monotonic()

    def begin(self) -> None:
        """Another release is being made."""
        self.stopped, self._words, self._begun = "", "", time.monotonic()
        self._say("")

    def hears(self, words: str) -> None:
        """Show what the work reports, once it has taken a while."""
        self._words = words
        if time.monotonic() - self._begun >= PATIENT:
            self._say(words)

    def end(self) -> None:
        """Clear the progress: the release is finished, or failed."""
        self.took = time.monotonic() - self._begun
        self._say("")

    def stop(self) -> None:
        """Note where the release was canceled."""
        at = f" at {self._words}" if self._words else ""
        self.stopped = f"Cancelled{at}. {DISCARDED}"

    def _say(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self._tell(text)
