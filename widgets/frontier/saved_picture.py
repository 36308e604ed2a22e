"""The picture of a frontier in a saved notebook, which has no kernel: a static chart and a table of the points."""

from __future__ import annotations

import secrets
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import ipywidgets
from IPython.display import publish_display_data
from markupsafe import Markup

from widgets.base.host import under_voila
from widgets.base.kernel_thread import ScheduledCall
from widgets.base.worker import CallSoon, Worker
from widgets.frontier.picture import Picture, table
from workbench.base.figures import format_number
from workbench.base.templates import Templates
from workbench.charts.offline import fragment
from workbench.charts.scene import Scene
from workbench.frontier.frontier import Frontier

if TYPE_CHECKING:
    from widgets.frontier.frontier import FrontierChart

PAUSE = 0.5  # seconds without a change until the picture is drawn, after the live page
WIDTH, HEIGHT = 760, 440
VIEW = "application/vnd.jupyter.widget-view+json"
WITHOUT = "There were no points yet when this notebook was saved. Run the cell again."
TEMPLATES = Templates("widgets.frontier")
ABOUT = (
    "The state when this notebook was saved; run the cell to continue. These are exact figures of your data: "
    "clear this output before you share the notebook, or publish the study instead."
)


class SavedPicture:
    """A static picture below a widget, in an output of its own that the live view hides.

    `schedule()` redraws it when nothing has changed for a while. It contains figures of points, no other data.
    """

    def __init__(self, chart: FrontierChart, picture: Picture) -> None:
        self.name = f"wb-still-{secrets.token_hex(8)}"
        self._chart, self._picture, self._worker = chart, picture, Worker(self._failed)
        self._html = _empty(self.name)
        self._of: Frontier | None = None  # the frontier that is drawn
        self._shown = False
        self._timer: ScheduledCall | None = None

    @property
    def busy(self) -> bool:
        """Return whether a new picture is pending."""
        return self._timer is not None or self._worker.busy

    def display(self, widget: ipywidgets.DOMWidget) -> None:
        """Show the widget, and below it the picture; pages of Voila are not saved and have no picture."""
        view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
        text = f"<{type(widget).__name__}>"  # more would be out of date when the notebook is saved
        publish_display_data({"text/plain": text, VIEW: view})
        if not under_voila():
            self._shown = True
            self._publish(update=False)
            self.schedule()

    def schedule(self) -> None:
        """Draw the picture again after a pause; outdated points are removed at once."""
        chart = self._chart
        if not self._shown:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._worker.forget()
        if chart.stale or chart.frontier is not self._of:
            self._replace(None, _empty(self.name))
        if not (chart.stale or chart.growing) and chart.scene is not None:
            self._timer = chart.call_later(PAUSE, self._draw)

    def close(self) -> None:
        """Stop following the chart."""
        self._shown = False
        if self._timer is not None:
            self._timer.cancel()
        self._worker.forget()

    def _draw(self) -> None:
        self._timer = None
        frontier, scene = self._chart.frontier, self._chart.scene
        if scene is None:
            return
        plain = replace(scene, moving=None, nearly="")  # without the point of the sliders

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            chart = self._picture.altair("frontier", plain, WIDTH, HEIGHT)
            call_soon(self._replace, frontier, _drawn(self.name, plain, fragment(chart.to_dict(), live=False)))

        self._worker.start(job)

    def _failed(self, error: BaseException) -> None:
        self._chart.wrong("", error)

    def _replace(self, frontier: Frontier | None, page: str) -> None:
        self._of, before, self._html = frontier, self._html, page
        if self._html != before:
            self._publish(update=True)

    def _publish(self, update: bool) -> None:
        """Write the picture to the output, which the notebook saves."""
        data = {"text/html": self._html, "text/plain": "The frontier, as it was when this notebook was saved"}
        publish_display_data(data, transient={"display_id": self.name}, update=update)


def _empty(name: str) -> str:
    """Return the placeholder of an empty chart."""
    return str(TEMPLATES.render("saved_picture.html", name=name, about=WITHOUT, chart=None))


def _drawn(name: str, scene: Scene, chart: Markup) -> str:
    """Return the chart with a table of its points."""
    measures = scene.frontier.measures
    rows = [
        (
            row["recipe"],
            *(
                format_number(value) + interval
                for value, interval, one in zip(row["values"], row["intervals"], measures, strict=True)
            ),
            row["state"],
        )
        for row in table(scene)
    ]
    head = ("recipe", *(one.key for one in measures), "state")
    return str(TEMPLATES.render("saved_picture.html", name=name, about=ABOUT, chart=chart, head=head, rows=rows))
