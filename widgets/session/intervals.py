"""Intervals in the background: every release of the frontier is made again on other samples, with other seeds, or for a
learning attacker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from widgets.base.worker import CallSoon, Worker
from widgets.session.sweep import threads
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import LEARNING, TIMES, with_intervals
from workbench.frontier.store import Store


class BackgroundIntervals:
    """`start` computes intervals; `on_progress` and, at the end, `on_result` are called in the kernel's thread.

    `pausable` returns a cancellation event that also pauses the work.
    """

    def __init__(
        self,
        on_progress: Callable[[str], object],
        on_result: Callable[[Frontier], object],
        on_error: Callable[[BaseException], object],
        pausable: Callable[[threading.Event], threading.Event],
    ) -> None:
        self._on_progress, self._on_result, self._worker, self._pausable = (
            on_progress,
            on_result,
            Worker(on_error),
            pausable,
        )

    @property
    def busy(self) -> bool:
        """Return whether intervals are being computed."""
        return self._worker.busy

    def start(self, table: Table, frontier: Frontier, settings: Mapping[str, Any], store: Store | None = None) -> None:
        """Compute the intervals that a study requests."""
        unit = "learning attackers" if settings["over"] == LEARNING else "runs"

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            def progress(done: int, total: int) -> None:
                call_soon(self._on_progress, f"{done} of {total} {unit}")

            releases = sum(not point.recipe.baseline for point in frontier.measured)
            progress(0, releases if settings["over"] == LEARNING else settings.get("times", TIMES))
            found = with_intervals(
                table, frontier, **settings, store=store, threads=threads(), progress=progress,
                cancel=self._pausable(cancel),
            )  # fmt: skip
            if found is not frontier:
                call_soon(self._on_result, found)

        self._worker.start(job)

    def forget(self) -> None:
        """Stop, and report nothing more."""
        self._worker.forget()
