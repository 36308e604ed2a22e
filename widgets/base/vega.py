"""Live charts in a widget: Altair writes the spec once, then only rows are sent (see vega.js).

class Losses(ChartPart):
    _esm, _css = script("losses/losses"), styles("base/vega", "losses/losses")

    def show(self):
        self.send_message("losses", spec=live(chart), rows=rows)  # chart: alt.Chart(alt.NamedData("steps"))...
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from widgets.base.part import Part
from widgets.base.worker import Worker
from workbench.charts.offline import bundle


class ChartPart(Part):
    """A part with charts; it sends the charting library to a page that has not loaded it yet."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._fetch = Worker(self._without_library)

    def receive_library(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send the library once per page. Its first use on a machine builds it in the background, which takes
        seconds."""

        def job(cancel: threading.Event, call_soon: Callable[..., None]) -> None:
            call_soon(self.send_message, "library", [bundle().encode()])

        self._fetch.start(job)

    def _without_library(self, error: BaseException) -> None:
        self.wrong("", error)


def live(chart: Any) -> dict[str, Any]:
    """Return the spec of an Altair chart (one view or layers) that takes its width from the page."""
    return {**chart.to_dict(), "autosize": {"type": "fit-x", "contains": "padding"}}
