"""Live charts in a widget: Altair writes the spec once, the page replaces the rows (see vega.js).

class Losses(ChartPart):
    _esm, _css = script("base/vega", "losses/losses"), styles("base/vega", "losses/losses")

    def show(self):
        self.tell("losses", spec=live(chart), rows=rows)  # chart: alt.Chart(alt.NamedData("steps"))...
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from widgets.base.part import Part
from widgets.base.worker import Worker
from workbench.charts.offline import bundle


class ChartPart(Part):
    """A part with charts: it sends the library that draws them to a page that has none."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._fetch = Worker(self._without_library)

    def hear_library(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Once a page; built the first time on a machine, which takes seconds: the kernel goes on meanwhile."""

        def job(cancel: threading.Event, tell: Callable[..., None]) -> None:
            tell(self.tell, "library", [bundle().encode()])

        self._fetch.start(job)

    def _without_library(self, error: BaseException) -> None:
        self.wrong("", error)


def live(chart: Any) -> dict[str, Any]:
    """The spec of an Altair chart (one view or layers) that takes its width from the page."""
    return {**chart.to_dict(), "autosize": {"type": "fit-x", "contains": "padding"}}
