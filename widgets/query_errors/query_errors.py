"""Query errors: how many queries a release answers how wrongly, the worst of them, and another workload beside."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import traitlets

from widgets.base.kernel_thread import ScheduledCall
from widgets.base.part import read_integer, script, styles, with_controls
from widgets.base.vega import ChartPart, live
from widgets.base.worker import CallSoon, Worker
from widgets.query_errors.both import both, measure_of
from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.base.parameters import RANDOM
from workbench.frontier.frontier import Frontier
from workbench.measures import Measured, QueryError
from workbench.queries.partial_matches import PartialMatches, find_partial_matches
from workbench.queries.workload import Workload
from workbench.releases.base import Release

WORST = 20  # queries that are listed
NO_CLASSES = "It cuts no class, since the release has none."
SETTLED = 0.3  # seconds without another release: under a moving slider the chart comes first


class QueryErrors(ChartPart):
    """The errors of the queries of `workload`; its frontier is drawn next to that of the workload `beside`.

    Errors are computed in the background, only while the view is open. `cut` are the numbers of the classes that the
    selected query matches in part.
    """

    _esm = script("base/vega", "query_errors/query_errors")
    _css = styles("base/vega", "query_errors/query_errors")
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    pending = traitlets.Bool(False, help="the next release is being made: it is asked instead")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    selected = traitlets.Int(-1, help="the place of the release among the frontier's points")
    workload = traitlets.Unicode("", help="the name of the workload; empty stands for the first").tag(sync=True)
    beside = traitlets.Unicode("", help="the name of the workload that it is compared with").tag(sync=True)
    cut: traitlets.List = traitlets.List(traitlets.Int(), help="it changes whenever a query is chosen")

    def __init__(self, release: Release | None = None, **traits: Any) -> None:
        self._settling: ScheduledCall | None = None
        self._comparing: ScheduledCall | None = None
        self._asked: tuple[Any, ...] | None = None  # of which release and workload errors are on the page
        super().__init__(release=release, **traits)
        self._worker = Worker(self._failed)
        self.observe(lambda _: self._refresh(), ["release", "pending", "workload", "unfolded"])
        self.observe(lambda _: self._compare(), ["frontier", "selected", "workload", "beside", "unfolded", "pending"])

    def about(self) -> str:
        return f"workload {self._name}" if self.release is not None else "no release yet"

    @property
    def _names(self) -> list[str]:
        """The workloads of the table, and random queries."""
        return [*self.release.table.workloads, RANDOM] if self.release is not None else [RANDOM]

    @property
    def _name(self) -> str:
        return self.workload if self.workload in self._names else self._names[0]

    def show(self) -> None:
        self._asked = None
        if not self.unfolded:
            self.send_message("stale")  # a view that hears nothing says that nobody answers
        self._refresh()
        self._compare()

    def _send_choices(self) -> None:
        beside = self.beside if self.beside in self._names and self.beside != self._name else ""
        self.send_message("choices", names=self._names, workload=self._name, beside=beside)

    def receive_workload(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the workload, or the one to compare it with."""
        first, second = content.get("workload"), content.get("beside", "")
        for name in (first, second):
            if name not in self._names and not (name == "" and name is second):
                raise BadInput(f"there is no workload {safe_repr(name)}; choose one of those shown")
        with self.hold_trait_notifications():
            self.workload, self.beside = str(first), "" if second == first else str(second)

    def receive_query(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """One of the worst queries: the classes that it cuts."""
        release, name = self.release, self._name
        if release is None or self._asked is None or self._asked[0] is not release:
            raise BadInput("this query was asked of a release that is gone; choose one of those shown now")
        workload = Workload.named(release.table, name)
        q = read_integer(content, "query", -1, len(workload) - 1, "there is no such query; choose one of those shown")
        cut = _cut(release, workload, q) if q >= 0 else None
        chosen = cut.classes.tolist() if cut is not None else []
        with self.hold_trait_notifications():  # one change, also where the same are chosen again
            self.cut = [-1]
            self.cut = chosen
        text = "" if q < 0 else NO_CLASSES if cut is None else _chosen(len(chosen), len(release.classes))
        self.send_message("chosen", query=q, text=text)

    # --- asked when it is open, and the hand rests

    def _refresh(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._worker.forget()
        wanted = (self.release, self._name)
        if not self.unfolded or wanted == self._asked:
            return
        self._send_choices()
        self.send_message("stale")
        if self.release is None:
            self._asked = None
            self.send_message("nothing")
        elif not self.pending:
            self._settling = self.call_later(SETTLED if self._asked else 0, self._ask)

    def _ask(self) -> None:
        release, name = self.release, self._name
        if release is None or not self.unfolded or self.pending:
            return
        guard = getattr(measure_of(self.frontier, name), "guard", 1.0)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            measured = QueryError(name, guard=guard)(release)
            workload = Workload.named(release.table, name)
            spec = _drawn(measured.detail["error"])
            call_soon(self._show_errors, (release, name), measured.sentence, spec, worst(release, workload, measured))

        self._worker.start(job)

    def _show_errors(self, of: tuple[Any, ...], text: str, spec: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        if of != (self.release, self._name):
            return
        self._asked = of
        self.fine("workload")
        self.send_message("errors", spec=spec, text=text, rows=rows, count=len(rows))

    def _failed(self, error: BaseException) -> None:
        self._asked = None
        self.send_message("nothing")
        self.wrong("workload", error)

    # --- comparison with another workload

    def _compare(self) -> None:
        """Both frontiers on one scale, when the hand rests."""
        if self._comparing is not None:
            self._comparing.cancel()
        if self.unfolded and not self.pending:
            self._comparing = self.call_later(SETTLED, self._draw_both)

    def _draw_both(self) -> None:
        if not self.unfolded or self.pending:
            return
        self._send_choices()
        if not self.beside or self.beside == self._name or self.beside not in self._names:
            self.send_message("both", specs=[], text="")
            return
        if self.frontier is None or not self.frontier.complete:
            self.send_message("both", specs=[], text="The points are being measured.")
            return
        try:
            specs, text = both(self.frontier, self._name, self.beside, self.selected)
        except (BadInput, Undefined) as reason:
            specs, text = [], with_controls(reason)
        self.send_message("both", specs=specs, text=text)


def _drawn(errors: np.ndarray) -> dict[str, Any]:
    from workbench.charts.query_errors import errors_chart  # takes a moment to load

    return live(errors_chart(errors))


def worst(release: Release, workload: Workload, measured: Measured) -> list[dict[str, Any]]:
    """The queries that are answered most wrongly, in words, and what cuts classes."""
    error, told, truth = (measured.detail[name] for name in ("error", "told", "truth"))
    order = np.argsort(-np.nan_to_num(error, nan=-1.0), kind="stable")[:WORST]
    return [
        {
            "query": int(q),
            "text": workload.text(q),
            "truth": format_number(round(float(truth[q]), 4)),
            "told": "nobody" if np.isnan(told[q]) else format_number(float(told[q])),
            "error": f"{format_number(100 * float(error[q]))} %",
            **_said(_cut(release, workload, q)),
        }
        for q in order.tolist()
        if error[q] > 0
    ]


def _cut(release: Release, workload: Workload, q: int) -> PartialMatches | None:
    """The classes that a query cuts; None of a release that has none, such as one with noise."""
    try:
        return find_partial_matches(release, workload, q)
    except Undefined:
        return None


def _said(cut: PartialMatches | None) -> dict[str, Any]:
    return {"classes": 0, "by": ""} if cut is None else {"classes": len(cut.classes), "by": cut.main_column}


def _chosen(cut: int, among: int) -> str:
    if not cut:
        return (
            "It cuts no class: what is wrong comes from columns that are not published, or records that are left out."
        )
    many = "class" if cut == 1 else "classes"
    where = "selected in “Disclosure by class”: tick “only selected” there to see no others"
    return f"It cuts {cut:,} of {among:,} {many}, {where}."
