"""The certified bound, computed in the background when all points are measured, and cached with the table."""

from __future__ import annotations

import threading
import time

from widgets.base.turns import turns_here
from widgets.base.worker import Tell, Worker
from widgets.frontier.frontier import FrontierChart
from widgets.release.release import ReleaseCard
from workbench.base.errors import Undefined
from workbench.base.progress import PatientCancel, cancellable
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.lower_bounds import LowerBounds, bounded_support, compute_lower_bounds

REST = 0.5  # seconds after a release until it goes on


class Possible:
    """`find` looks for the least losses on the axes of a frontier, first of any release, then of exact ones.

    It waits while releases are made: whoever moves a slider needs the processor.
    """

    def __init__(self, chart: FrontierChart, card: ReleaseCard) -> None:
        self._chart, self._card, self._moved = chart, card, -REST
        self._worker = Worker(lambda error: chart.wrong("", error))
        card.observe(lambda _: setattr(self, "_moved", time.monotonic()), "making")

    def _busy(self) -> bool:
        return self._card.making or time.monotonic() - self._moved < REST

    def patient(self, cancel: threading.Event) -> threading.Event:
        """Return a cancellation event that pauses the work while releases are made."""
        return PatientCancel(cancel, self._busy)

    def find(self, table: Table | None, frontier: Frontier) -> None:
        """A newer search makes this one stale; in a script nobody looks at the chart."""
        if table is None or turns_here() is None or not (frontier.privacy and frontier.utility):
            return
        support = bounded_support(*(frontier.measure(key) for key in frontier.axes))
        if support is None:
            return

        def job(cancel: threading.Event, tell: Tell) -> None:
            found: tuple[LowerBounds, ...] = ()
            try:
                with cancellable(self.patient(cancel)):
                    for exact in (False, True):
                        found = (*found, compute_lower_bounds(table, exact=exact, min_support=support))
                        tell(self._show, found)
            except Undefined:  # no bound is known: there is no region
                return

        self._worker.start(job)

    def _show(self, found: tuple[LowerBounds, ...]) -> None:
        self._chart.possible = found
        if not self._card.making:
            self._card.show()  # which shows the distance from the bound

    def forget(self) -> None:
        """Remove the bound, which is out of date."""
        self._worker.forget()
        self._chart.possible = ()
