"""Query errors: a histogram, the worst queries, and a comparison with another workload."""

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
from workbench.queries.bounds import PartialMatches, find_partial_matches
from workbench.queries.workload import Workload
from workbench.releases.base import Release

WORST = 20  # number of listed queries
NO_CLASSES = "The release has no classes, so a query cannot match one in part."
PAUSE = 0.3  # seconds without another release: the frontier chart is updated first


class QueryErrors(ChartPart):
    """The errors of the queries of `workload`, whose frontier can be compared with that of another workload.

    Errors are computed in the background, only while the view is open. `cut` has the indices of the classes that the
    selected query matches in part.
    """

    _esm = script("query_errors/query_errors")
    _css = styles("base/vega", "query_errors/query_errors")
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    pending = traitlets.Bool(False, help="the next release is being computed and will be shown")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    selected = traitlets.Int(-1, help="the position of the release among the frontier's points")
    workload = traitlets.Unicode("", help="the name of the workload; empty: the first").tag(sync=True)
    other = traitlets.Unicode("", help="the name of the workload to compare with").tag(sync=True)
    cut: traitlets.List = traitlets.List(traitlets.Int(), help="set again whenever a query is chosen")

    def __init__(self, release: Release | None = None, **traits: Any) -> None:
        self._pending_call: ScheduledCall | None = None
        self._pending_comparison: ScheduledCall | None = None
        self._shown: tuple[Any, ...] | None = None  # release and workload that the view shows
        super().__init__(release=release, **traits)
        self._worker = Worker(self._failed)
        self.observe(lambda _: self._refresh(), ["release", "pending", "workload", "unfolded"])
        self.observe(lambda _: self._compare(), ["frontier", "selected", "workload", "other", "unfolded", "pending"])

    def about(self) -> str:
        return f"workload {self._name}" if self.release is not None else "no release yet"

    @property
    def _names(self) -> list[str]:
        """The names of the table's workloads, and of random queries."""
        return [*self.release.table.settings.workloads, RANDOM] if self.release is not None else [RANDOM]

    @property
    def _name(self) -> str:
        return self.workload if self.workload in self._names else self._names[0]

    def show(self) -> None:
        self._shown = None
        if not self.unfolded:
            self.send_message("stale")  # a view without any message reports that the kernel does not respond
        self._refresh()
        self._compare()

    def _send_choices(self) -> None:
        other = self.other if self.other in self._names and self.other != self._name else ""
        self.send_message("choices", names=self._names, workload=self._name, other=other)

    def receive_workload(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the workload, or the one to compare it with."""
        first, second = content.get("workload"), content.get("other", "")
        for name in (first, second):
            if name not in self._names and not (name == "" and name is second):
                raise BadInput(f"there is no workload {safe_repr(name)}; choose one of those shown")
        with self.hold_trait_notifications():
            self.workload, self.other = str(first), "" if second == first else str(second)

    def receive_query(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Select the classes that one of the worst queries matches in part."""
        release, name = self.release, self._name
        if release is None or self._shown is None or self._shown[0] is not release:
            raise BadInput("this query belongs to an earlier release; choose one of those shown now")
        workload = Workload.named(release.table, name)
        q = read_integer(content, "query", -1, len(workload) - 1, "there is no such query; choose one of those shown")
        cut = _cut(release, workload, q) if q >= 0 else None
        chosen = cut.classes.tolist() if cut is not None else []
        with self.hold_trait_notifications():  # one notification, also for the same classes
            self.cut = [-1]
            self.cut = chosen
        text = "" if q < 0 else NO_CLASSES if cut is None else _chosen(len(chosen), len(release.classes))
        self.send_message("chosen", query=q, text=text)

    # --- errors, computed while the view is open and the sliders rest

    def _refresh(self) -> None:
        if self._pending_call is not None:
            self._pending_call.cancel()
        self._worker.forget()
        wanted = (self.release, self._name)
        if not self.unfolded or wanted == self._shown:
            return
        self._send_choices()
        self.send_message("stale")
        if self.release is None:
            self._shown = None
            self.send_message("nothing")
        elif not self.pending:
            self._pending_call = self.call_later(PAUSE if self._shown else 0, self._compute)

    def _compute(self) -> None:
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
        self._shown = of
        self.fine("workload")
        self.send_message("errors", spec=spec, text=text, rows=rows, count=len(rows))

    def _failed(self, error: BaseException) -> None:
        self._shown = None
        self.send_message("nothing")
        self.wrong("workload", error)

    # --- comparison with another workload

    def _compare(self) -> None:
        """Draw both frontiers on one scale after a pause."""
        if self._pending_comparison is not None:
            self._pending_comparison.cancel()
        if self.unfolded and not self.pending:
            self._pending_comparison = self.call_later(PAUSE, self._draw_both)

    def _draw_both(self) -> None:
        if not self.unfolded or self.pending:
            return
        self._send_choices()
        if not self.other or self.other == self._name or self.other not in self._names:
            self.send_message("both", specs=[], text="")
            return
        if self.frontier is None or not self.frontier.complete:
            self.send_message("both", specs=[], text="The points are being measured.")
            return
        try:
            specs, text = both(self.frontier, self._name, self.other, self.selected)
        except (BadInput, Undefined) as reason:
            specs, text = [], with_controls(reason)
        self.send_message("both", specs=specs, text=text)


def _drawn(errors: np.ndarray) -> dict[str, Any]:
    from workbench.charts.release import errors_chart  # slow to import

    return live(errors_chart(errors))


def worst(release: Release, workload: Workload, measured: Measured) -> list[dict[str, Any]]:
    """Return the queries with the largest errors, and the classes that they match in part."""
    error, answer, truth = (measured.detail[name] for name in ("error", "told", "truth"))
    order = np.argsort(-np.nan_to_num(error, nan=-1.0), kind="stable")[:WORST]
    return [
        {
            "query": int(q),
            "text": workload.text(q),
            "truth": format_number(round(float(truth[q]), 4)),
            "answer": "no records" if np.isnan(answer[q]) else format_number(float(answer[q])),
            "error": f"{format_number(100 * float(error[q]))} %",
            **_partial_matches(_cut(release, workload, q)),
        }
        for q in order.tolist()
        if error[q] > 0
    ]


def _cut(release: Release, workload: Workload, q: int) -> PartialMatches | None:
    """Return the classes that a query matches in part; None for a release without classes."""
    try:
        return find_partial_matches(release, workload, q)
    except Undefined:
        return None


def _partial_matches(cut: PartialMatches | None) -> dict[str, Any]:
    return {"classes": 0, "by": ""} if cut is None else {"classes": len(cut.classes), "by": cut.main_column}


def _chosen(cut: int, among: int) -> str:
    if not cut:
        return "It matches no class in part: the error comes from unpublished columns or suppressed records."
    many = "class" if cut == 1 else "classes"
    where = "selected in “Disclosure by class”; tick “only selected” there to hide the others"
    return f"It matches {cut:,} of {among:,} {many} in part, {where}."
