"""Intervals in the background: every release of the frontier is made again on other samples, with other seeds, or for a
learning attacker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from widgets.base.worker import Tell, Worker
from widgets.session.sweeping import threads
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import LEARNING, TIMES, with_intervals
from workbench.frontier.store import Store


class Tries:
    """`start` asks for intervals; `said` is called in the kernel's thread with how far they are, `found` at the end."""

    def __init__(
        self,
        said: Callable[[str], object],
        found: Callable[[Frontier], object],
        failed: Callable[[BaseException], object],
        patient: Callable[[threading.Event], threading.Event],
    ) -> None:
        self._said, self._found, self._worker, self._patient = said, found, Worker(failed), patient

    @property
    def busy(self) -> bool:
        """Return whether intervals are being computed."""
        return self._worker.busy

    def start(self, table: Table, frontier: Frontier, asked: Mapping[str, Any], store: Store | None = None) -> None:
        """Compute the intervals that a study requests."""
        what = "releases learnt from" if asked["over"] == LEARNING else "tries"

        def job(cancel: threading.Event, tell: Tell) -> None:
            def progress(done: int, of: int) -> None:
                tell(self._said, f"{done} of {of} {what}")

            many = sum(not point.recipe.baseline for point in frontier.measured)
            progress(0, many if asked["over"] == LEARNING else asked.get("times", TIMES))
            found = with_intervals(
                table, frontier, **asked, store=store, threads=threads(), progress=progress,
                cancel=self._patient(cancel),
            )  # fmt: skip
            if found is not frontier:
                tell(self._found, found)

        self._worker.start(job)

    def forget(self) -> None:
        """Stop, and say nothing more."""
        self._worker.forget()
