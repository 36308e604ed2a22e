"""Certified lower bounds, computed in the background when all points are measured, and cached with the table."""

from __future__ import annotations

import threading
import time

from widgets.base.kernel_thread import current_kernel_thread
from widgets.base.worker import CallSoon, Worker
from widgets.frontier.frontier import FrontierChart
from widgets.release.release import ReleaseCard
from workbench.base.errors import Undefined
from workbench.base.progress import PatientCancel, cancellable
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.lower_bounds import LowerBounds, bounded_support, compute_lower_bounds

PAUSE = 0.5  # seconds without a new release until the computation continues


class BackgroundBounds:
    """`compute` bounds the losses on a frontier's axes from below: first for any release, then for exact ones.

    It pauses while releases are made, to leave the processor to the person who moves a slider.
    """

    def __init__(self, chart: FrontierChart, card: ReleaseCard) -> None:
        self._chart, self._card, self._moved = chart, card, -PAUSE
        self._worker = Worker(lambda error: chart.wrong("", error))
        card.observe(lambda _: setattr(self, "_moved", time.monotonic()), "making")

    def _busy(self) -> bool:
        return self._card.making or time.monotonic() - self._moved < PAUSE

    def pausable(self, cancel: threading.Event) -> threading.Event:
        """Return a cancellation event that pauses the work while releases are made."""
        return PatientCancel(cancel, self._busy)

    def compute(self, table: Table | None, frontier: Frontier) -> None:
        """Compute the bounds of a frontier, and cancel an older computation; do nothing in a script."""
        if table is None or current_kernel_thread() is None or not (frontier.privacy and frontier.utility):
            return
        support = bounded_support(*(frontier.measure(key) for key in frontier.axes))
        if support is None:
            return

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            bounds: tuple[LowerBounds, ...] = ()
            try:
                with cancellable(self.pausable(cancel)):
                    for exact in (False, True):
                        bounds = (*bounds, compute_lower_bounds(table, exact=exact, min_support=support))
                        call_soon(self._show, bounds)
            except Undefined:  # no bound is known
                return

        self._worker.start(job)

    def _show(self, bounds: tuple[LowerBounds, ...]) -> None:
        self._chart.possible = bounds
        if not self._card.making:
            self._card.show()  # the card shows the distance from the bound

    def forget(self) -> None:
        """Remove bounds that are out of date."""
        self._worker.forget()
        self._chart.possible = ()
