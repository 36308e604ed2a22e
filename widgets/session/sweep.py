"""A background sweep: points appear in the chart when they are measured, and it can be cancelled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence

from widgets.base.worker import CallSoon, Worker
from workbench.base.progress import Report
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import numbered_recipes, sweep
from workbench.measures import Measure
from workbench.redaction.controlled_rounding import SMALLEST

REPORT_INTERVAL = 0.15  # seconds between two updates of an unfinished frontier
OnProgress = Callable[[Frontier, int, int, bool], object]  # the frontier so far, points done, total, unfinished?


class BackgroundSweep:
    """`start` measures recipes; `on_progress` is called in the kernel's thread at intervals and at the end.

    `on_slow_point` is called with the progress of a point that takes long. A recipe that does not fit the table becomes
    a point with a reason, and does not stop the others.
    """

    def __init__(
        self,
        on_progress: OnProgress,
        on_error: Callable[[BaseException], object],
        on_slow_point: Report,
    ) -> None:
        self._on_progress, self._on_slow_point = on_progress, on_slow_point
        self._worker = Worker(on_error)

    def start(
        self,
        table: Table,
        recipes: Sequence[Recipe],
        measures: Sequence[Measure],
        store: Store | None,
        smallest: int = SMALLEST,
    ) -> None:
        """Measure recipes; an older sweep is cancelled."""

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            place = {recipe.identity: i for i, recipe in enumerate(numbered_recipes(recipes))}
            done: dict[int, Point] = {}
            last = 0.0

            def frontier_so_far() -> Frontier:
                order, complete = sorted(done), len(done) == len(place)
                return Frontier([done[i] for i in order], measures, complete, numbers=[i + 1 for i in order])

            def progress(count: int, total: int, point: Point) -> None:
                nonlocal last
                done[place[point.recipe.identity]] = point
                if not cancel.is_set() and time.monotonic() - last >= REPORT_INTERVAL:
                    last = time.monotonic()
                    call_soon(self._on_progress, frontier_so_far(), len(done), len(place), True)

            def report(text: str) -> None:
                call_soon(self._on_slow_point, text)

            def measure(some: Sequence[Recipe], processors: int) -> None:
                sweep(table, some, measures, store, threads=processors, progress=progress, cancel=cancel, say=report,
                      partly=True, smallest=smallest)  # fmt: skip

            try:
                measure([], 1)  # the baselines first: they span the axes, so these do not change later
                if recipes and not cancel.is_set():
                    measure(recipes, threads())
            finally:  # the points so far are shown also after an error
                call_soon(self._on_progress, frontier_so_far(), len(done), len(place), False)

        self._worker.start(job)

    @property
    def busy(self) -> bool:
        """Return whether points are being measured."""
        return self._worker.busy

    def forget(self) -> None:
        """Stop, and report nothing more."""
        self._worker.forget()

    def cancel(self) -> None:
        """Stop before the next point; measured points remain."""
        self._worker.cancel()


def threads() -> int:
    """Return the number of threads to use: all processors but one, so that the machine stays responsive."""
    return max(1, (os.cpu_count() or 1) - 1)
