"""The original compared with the release: the distribution of a column, or the cross table of two."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import traitlets

from widgets.base.kernel_thread import ScheduledCall
from widgets.base.part import script, styles
from widgets.base.vega import ChartPart, live
from widgets.base.worker import CallSoon, Worker
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number, format_percent
from workbench.releases.base import Release
from workbench.releases.before_after import BeforeAfter, Cross, before_and_after, cross

NEGLIGIBLE = 5e-4  # share of the records that counts as no difference
PAUSE = 0.3  # seconds without another release: the frontier chart is updated first


class OriginalComparison(ChartPart):
    """Original and release side by side: `first` is the column, `second` an optional one for a cross table.

    Counts are computed in the background, only while the view is open, and sent as messages.
    """

    _esm = script("original/original")
    _css = styles("base/vega", "original/original")
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    pending = traitlets.Bool(False, help="the next release is being computed and will be shown")
    first = traitlets.Unicode("", help="the column; empty: the first").tag(sync=True)
    second = traitlets.Unicode("", help="the other column of a cross table").tag(sync=True)

    def __init__(self, release: Release | None = None, **traits: Any) -> None:
        self._pending_call: ScheduledCall | None = None
        self._counted: tuple[Any, ...] | None = None  # release and columns that the view shows
        super().__init__(release=release, **traits)
        self._worker = Worker(self._failed)
        self.observe(lambda _: self._refresh(), ["release", "pending", "first", "second", "unfolded"])

    def about(self) -> str:
        return " and ".join(self._columns()) if self.release is not None else "no release yet"

    def _columns(self) -> tuple[str, ...]:
        """Return the chosen columns that the table has."""
        if self.release is None:
            return ()
        names = self._names()
        first = self.first if self.first in names else names[0]
        return (first, self.second) if self.second in names and self.second != first else (first,)

    def _names(self) -> list[str]:
        """Return the columns, with quasi-identifiers and sensitive ones first."""
        table = self.release.table  # type: ignore[union-attr]
        return [*table.quasi, *table.sensitive, *table.neutral]

    def show(self) -> None:
        self._counted = None
        self._send_choices()
        self._refresh()

    def _send_choices(self) -> None:
        table = self.release.table if self.release is not None else None
        columns = [{"name": name, "role": table.roles[name]} for name in self._names()] if table else []
        first, second = (*self._columns(), "", "")[:2]
        self.send_message("choices", columns=columns, first=first, second=second)

    def receive_columns(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose one column, or two."""
        names = self._names() if self.release is not None else []
        first, second = content.get("first"), content.get("second", "")
        for name in (first, second):
            if name not in names and not (name == "" and name is second):
                raise BadInput(f"there is no column {safe_repr(name)}; choose one of those shown")
        if first == second:
            raise BadInput("choose two different columns, or only the first")
        with self.hold_trait_notifications():
            self.first, self.second = str(first), str(second)

    # --- counts, computed while the view is open and the sliders rest

    def _refresh(self) -> None:
        if self._pending_call is not None:
            self._pending_call.cancel()
        self._worker.forget()
        wanted = (self.release, *self._columns())
        if not self.unfolded or wanted == self._counted:
            return
        self.send_message("stale", stale=self._counted is not None or self.release is not None)
        if self.release is None:
            self._counted = None
            self._send_choices()
            self.send_message("nothing")
        elif not self.pending:
            self._pending_call = self.call_later(PAUSE if self._counted else 0, self._count)

    def _count(self) -> None:
        release, columns = self.release, self._columns()
        if release is None or not self.unfolded or self.pending:
            return
        self._send_choices()

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            found = cross(release, *columns) if len(columns) == 2 else before_and_after(release, columns[0])
            call_soon(self._show_counts, (release, *columns), found, _drawn(found))

        self._worker.start(job)

    def _show_counts(self, of: tuple[Any, ...], found: BeforeAfter | Cross, spec: dict[str, Any]) -> None:
        if of != (self.release, *self._columns()):
            return
        self._counted = of
        self.fine("columns")
        self.send_message("picture", spec=spec, text=describe_changes(found), head=_head(found), rows=_rows(found))

    def _failed(self, error: BaseException) -> None:
        self._counted = None
        self.send_message("nothing")
        self.wrong("columns", error)


def _drawn(found: BeforeAfter | Cross) -> dict[str, Any]:
    from workbench.charts.release import bars_chart, cross_chart  # slow to import

    return live(cross_chart(found) if isinstance(found, Cross) else bars_chart(found))


def describe_changes(found: BeforeAfter | Cross) -> str:
    """Describe the differences in a sentence or two."""
    many = "record is" if found.suppressed == 1 else "records are"
    hidden = f" {found.suppressed:,} {many} suppressed." if found.suppressed else ""
    if found.moved is None:
        return f"The column is not published.{hidden}"
    what = "cell" if isinstance(found, Cross) else "value or group"
    if found.moved < NEGLIGIBLE:
        return f"From the release, a researcher would infer the original distribution.{hidden}"
    moved = format_percent(found.moved, "higher")
    return f"A researcher with the release expects at least {moved} of the records at a wrong {what}.{hidden}"


def _head(found: BeforeAfter | Cross) -> list[str]:
    names = found.columns if isinstance(found, Cross) else (found.column,)
    return [*names, "before", "after"]


def _rows(found: BeforeAfter | Cross) -> list[list[str]]:
    """Return the chart as a table, for screen readers."""
    if isinstance(found, Cross):
        return [
            [row, column, format_number(found.before[i, j]), format_number(round(float(found.after[i, j]), 1))]
            for i, row in enumerate(found.labels[0])
            for j, column in enumerate(found.labels[1])
        ]
    after = (
        ["not published"] * len(found.labels)
        if found.after is None
        else [format_number(round(float(n), 1)) for n in found.after]
    )
    return [[label, format_number(n), then] for label, n, then in zip(found.labels, found.before, after, strict=True)]
