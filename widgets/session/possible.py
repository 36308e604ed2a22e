"""What is possible, found beside the kernel when all points are there: the chart has it, and the table remembers it."""

from __future__ import annotations

import threading
import time

from widgets.base.turns import turns_here
from widgets.base.worker import Tell, Worker
from widgets.frontier.frontier import FrontierChart
from widgets.release.release import ReleaseCard
from workbench.base.errors import Undefined
from workbench.base.progress import Patient, listening
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.least import Least, binding, least

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
        """What work listens to that waits while releases are made."""
        return Patient(cancel, self._busy)

    def find(self, table: Table | None, frontier: Frontier) -> None:
        """A newer search makes this one stale; in a script nobody looks at the chart."""
        if table is None or turns_here() is None or not (frontier.privacy and frontier.utility):
            return
        support = binding(*(frontier.measure(key) for key in frontier.axes))
        if support is None:
            return

        def job(cancel: threading.Event, tell: Tell) -> None:
            found: tuple[Least, ...] = ()
            try:
                with listening(self.patient(cancel)):
                    for exact in (False, True):
                        found = (*found, least(table, exact=exact, min_support=support))
                        tell(self._show, found)
            except Undefined:  # no bound is known: there is no region
                return

        self._worker.start(job)

    def _show(self, found: tuple[Least, ...]) -> None:
        self._chart.possible = found
        if not self._card.making:
            self._card.show()  # it says how far the release is from this

    def forget(self) -> None:
        """It is about what is gone."""
        self._worker.forget()
        self._chart.possible = ()
