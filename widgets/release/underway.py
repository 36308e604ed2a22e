"""The progress of a slow release, and a note after it was cancelled."""

from __future__ import annotations

import time

from workbench.base.progress import Report

SLOW = 1.0  # seconds after which the progress of a release is shown
SEND_SECONDS = 0.01  # seconds for the kernel to send a message
DISCARDED = "An unfinished release is discarded; measured points remain."


class Underway:
    """The progress of a release that is being made, as `text`, passed to `report`; empty for fast releases.

    `took` is the duration of the last release; `stopped` describes a cancelled one until the next begins.
    """

    def __init__(self, report: Report) -> None:
        self.text, self.stopped, self.took = "", "", 0.0
        self._report_progress, self._last_report, self._start = report, "", time.monotonic()

    def begin(self) -> None:
        """Start the progress of another release."""
        self.stopped, self._last_report, self._start = "", "", time.monotonic()
        self._show("")

    def show_progress(self, words: str) -> None:
        """Show what the work reports, once it has taken a while."""
        self._last_report = words
        if time.monotonic() - self._start >= SLOW:
            self._show(words)

    def end(self) -> None:
        """Clear the progress: the release is finished, or failed."""
        self.took = time.monotonic() - self._start
        self._show("")

    def stop(self) -> None:
        """Note where the release was cancelled."""
        at = f" at {self._last_report}" if self._last_report else ""
        self.stopped = f"Cancelled{at}. {DISCARDED}"

    def _show(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self._report_progress(text)
