"""What is possible, found beside the kernel when all points are there: the chart has it, and the table remembers it."""

from __future__ import annotations

import threading

from widgets.base.turns import turns_here
from widgets.base.worker import Tell, Worker
from widgets.frontier.frontier import FrontierChart
from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.least import Least, binding, least


class Possible:
    """`find` looks for the least losses on the axes of a frontier, first of any release, then of exact ones."""

    def __init__(self, chart: FrontierChart) -> None:
        self._chart = chart
        self._worker = Worker(lambda error: chart.wrong("", error))

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
                for exact in (False, True):
                    found = (*found, least(table, exact=exact, min_support=support))
                    tell(self._show, found)
            except Undefined:  # no bound is known: there is no region
                return

        self._worker.start(job)

    def _show(self, found: tuple[Least, ...]) -> None:
        self._chart.possible = found

    def forget(self) -> None:
        """It is about what is gone."""
        self._worker.forget()
        self._chart.possible = ()
