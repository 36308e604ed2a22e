"""Scenario (Sramka et al. 2010): users and attackers of the data, as axes and caps of a study."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.kernel_thread import ScheduledCall
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Worker
from widgets.scenario import cost_cells, miner_rows, weight_lines
from widgets.scenario.estimate import describe_estimate, estimate_scenario
from widgets.scenario.uses import Scenario, percent, proposed, scenario_from_study
from workbench.base.errors import BadInput, safe_repr
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.measures.predictions import NUMBER_ERRORS
from workbench.measures.utility.good_utility import GoodUtility
from workbench.miners.cross_fitting import labels_of

SIDES = ("good", "bad")
WORTH = {
    "accuracy": "1 if it is correct",
    "false positives": "1 if it is at or above the true value",
    "tolerance": "1 if it is within the tolerance",
    "absolute": "1 minus the error, as a share of the range",
    "costs": "1 minus its cost",
}
PAUSE = 0.6  # seconds without a change until the time is estimated


class ScenarioPicker(Part):
    """`ScenarioPicker(table)`: `used` are the measures, axes and caps for a study, set when the user applies them.

    Conditions on weights quote values, so no part of a scenario is in a synced trait.
    """

    _esm = script("scenario/scenario")
    _css = styles("base/query_editor", "scenario/scenario")
    table = traitlets.Instance(Table, allow_none=True)
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    used = traitlets.Dict(help="the applied measures, axes and caps; set again on every request")

    def __init__(self, table: Any = None, **traits: Any) -> None:
        self._study: tuple[Sequence[Any], Sequence[str], Mapping[str, float]] = ((), (), {})
        self._points = 0
        self._draft: Scenario | None = None
        self._kept: Scenario | None = None  # the one on the study's axes
        self._pending_call: ScheduledCall | None = None
        super().__init__(table=table_from_input(table), **traits)
        self._worker = Worker(lambda error: self.wrong("use", error))
        self.observe(lambda _: self._begin(), "table")
        self.observe(lambda _: self._estimate(), "unfolded")
        self._begin()

    def about(self) -> str:
        return "on the axes" if self._kept is not None else "not on the axes"

    @property
    def scenario(self) -> Scenario | None:
        """The chosen scenario, on the axes or not."""
        return self._draft

    def follow(self, measures: Sequence[Any], axes: Sequence[str], caps: Mapping[str, float], points: int) -> None:
        """Follow the measures, axes and caps of the study, and its number of releases."""
        before, self._study, self._points = self._kept, (measures, axes, caps), points
        self._kept = scenario_from_study(measures, axes, caps)
        if self._kept is not None and self._kept != before:
            self._draft = self._kept
        self.show()
        self._estimate()

    def _begin(self) -> None:
        """Follow another table, and keep the scenario if its columns exist."""
        table, draft = self.table, self._draft
        if table is None:
            self._draft = self._kept
        elif self._kept is None and (draft is None or not _fits(draft, table)):
            self._draft = proposed(table)
        self.show()
        self._estimate()

    # --- requests of the view

    def receive_target(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the predicted column of the good use, with a valid utility function and miners."""
        draft, name = self._require_draft(), content.get("name")
        if not isinstance(name, str) or name not in released_columns(self._table()):
            raise BadInput(f"{safe_repr(name)} is not a column of the release; choose one of those shown")
        error = draft.good.error if draft.good.error in self._worths(name) else "accuracy"
        self._take(good={"target": name, "error": error, "costs": None})

    def receive_worth(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the value of a prediction."""
        error = content.get("name")
        if error not in self._worths(str(self._require_draft().good.target)):
            raise BadInput(f"{safe_repr(error)} is not an option for this column; choose one of those shown")
        self._take(good={"error": error, "costs": None})

    def receive_cost(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the cost of a wrong prediction."""
        good, where = self._require_draft().good, (content.get("true"), content.get("predicted"))
        labels = labels_of(self._table(), str(good.target))
        self._take(good={"costs": cost_cells.typed(good.costs, labels, *where, content.get("text"))})

    def receive_tolerance(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the tolerance of numeric predictions."""
        self._take(good={"tolerance": _number(content.get("text"), "tolerance")})

    def receive_quasi(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the quasi-identifiers that an attacker predicts."""
        names = content.get("names")
        targets = [name for name in self._table().quasi if name in (names if isinstance(names, list) else [])]
        if not targets:
            raise BadInput("tick at least one quasi-identifier")
        self._take(bad={"target": tuple(targets)})

    def receive_improvement(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the required improvement of a prediction."""
        self._take(bad={"c": _number(content.get("text"), "improvement")})

    def receive_counted(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose the best miner, or the mean of all."""
        self._take(bad={"of": content.get("name")})

    def receive_miners(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the ticked miners, or a set of miners."""
        side = _side(content)
        now = getattr(self._require_draft(), side).miners
        wanted = content.get("set")
        if wanted is None:
            self._take(**{side: {"miners": miner_rows.ticked(now, content.get("names"))}})
        elif wanted in [one["name"] for one in miner_rows.offers(self._numbers(side))]:
            self._take(**{side: {"miners": wanted}})
        else:
            raise BadInput(f"{safe_repr(wanted)} is not a set of miners; choose one of those shown")

    def receive_limit(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the largest acceptable decline, or the largest acceptable share of people."""
        draft, text = self._require_draft(), content.get("text")
        if _side(content) == "good":
            self._draft = replace(draft, decline=percent(text, "largest decline"))
        else:
            self._draft = replace(draft, share=percent(text, "largest share"))
        self.show()

    def receive_weigh(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the weights of people, if all lines are valid."""
        side, table = _side(content), self._table()
        self._take(**{side: {"weights": weight_lines.read(str(content.get("text", "")), table)}})

    def receive_try(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Check typed weights: send errors, and the number of records of each condition."""
        side, ask = _side(content), content.get("ask")
        lines = weight_lines.tried(str(content.get("text", "")), self._table())
        self.send_message(f"{side}.tried", ask=ask, lines=lines)
        self.send_message(
            f"{side}.answers", ask=ask, rows=[[one["row"], one["answer"]] for one in lines if not one["wrong"]]
        )

    def receive_complete(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Complete the text at the cursor."""
        side, line = _side(content), str(content.get("text", ""))[: weight_lines.LONGEST]
        options, start = weight_lines.offered(line, read_integer(content, "position", 0), self._table())
        self.send_message(f"{side}.completions", ask=content.get("ask"), options=options, start=start)

    def receive_use(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Apply both measures as axes, with their caps."""
        draft, table = self._require_draft(), self._table()
        for one in (draft.good, draft.bad):
            one.check(table)
        with self.hold_trait_notifications():  # one notification, also for the same value
            self.used = {}
            self.used = draft.apply_to(*self._study)

    # --- the next scenario

    def _take(self, good: Mapping[str, Any] | None = None, bad: Mapping[str, Any] | None = None) -> None:
        """Set the next scenario if it is valid."""
        draft, table = self._require_draft(), self._table()
        better = replace(draft.good, **(good or {}))
        if better.error not in NUMBER_ERRORS:
            better = replace(better, miners=miner_rows.of_values(better.miners))
        after = replace(draft, good=better, bad=replace(draft.bad, **(bad or {})))
        for one in (after.good, after.bad):
            one.check(table)
        self._draft = after
        self.show()
        self._estimate()

    def _worths(self, target: str) -> list[str]:
        """Return the utility functions for a column."""
        table = self._table()
        text = target in table.names and table.columns[target].kind == "text"
        several = target in table.names and len(labels_of(table, target)) > 1
        return [one for one in WORTH if not (text and one in NUMBER_ERRORS) and (one != "costs" or several)]

    def _numbers(self, side: str) -> bool:
        """Return whether miners that predict numbers are available."""
        return side == "bad" or self._require_draft().good.error in NUMBER_ERRORS

    def _require_draft(self) -> Scenario:
        if self._draft is None:
            raise BadInput("there is no table yet; choose data and quasi-identifiers first")
        return self._draft

    def _table(self) -> Table:
        if self.table is None:
            raise BadInput("there is no table yet; choose data and quasi-identifiers first")
        return self.table

    # --- content of the view

    def show(self) -> None:
        draft, table = self._draft, self.table
        if draft is None or table is None:
            self.send_message("scenario", ready=False)
            return
        good, bad = draft.good, draft.bad
        self.send_message(
            "scenario",
            ready=True,
            used=draft == self._kept,
            chosen=f"{good.key} and {bad.key}" if self._kept == draft else "",
            columns=list(released_columns(table)),
            target=good.target,
            worths=[{"name": name, "label": WORTH[name]} for name in self._worths(str(good.target))],
            worth=str(good.error),
            tolerance=good.tolerance,
            costs=self._costs_view(good),
            quasi=[{"name": name, "on": name in (bad.target or table.quasi[:1])} for name in table.quasi],
            improvement=bad.c,
            counted=bad.of,
            good=self._side_view("good", good, draft.decline),
            bad=self._side_view("bad", bad, draft.share),
        )

    def _costs_view(self, good: GoodUtility) -> dict[str, Any] | None:
        """Return the table of costs, or an explanation for many values; None if predictions have no costs."""
        if good.error != "costs":
            return None
        labels = labels_of(self._table(), str(good.target))
        if len(labels) > cost_cells.MOST:
            return {"note": cost_cells.explain_file_format(str(good.target), labels)}
        return {"values": list(labels), "cells": cost_cells.cells(good.costs, labels)}

    def _side_view(self, side: str, measure: Any, limit: float | None) -> dict[str, Any]:
        numbers = self._numbers(side)
        return {
            "miners": miner_rows.rows(measure.miners, numbers),
            "sets": miner_rows.offers(numbers),
            "weights": weight_lines.written(measure.weights),
            "limit": "" if limit is None else f"{100 * limit:.6g}",
        }

    # --- estimated time

    def _estimate(self) -> None:
        """Estimate the duration in the background when changes pause and the step is open."""
        if self._pending_call is not None:
            self._pending_call.cancel()
        self._worker.forget()
        if self.unfolded and self._draft is not None and self.table is not None and self._points:
            self.send_message("time", text="The time is being estimated from a sample.")
            self._pending_call = self.call_later(PAUSE, self._time)

    def _time(self) -> None:
        draft, table, release, points = self._draft, self.table, self.release, self._points
        if draft is None or table is None or not self.unfolded:
            return
        if release is not None and release.table is not table:
            release = None

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            seconds = estimate_scenario(draft, table, release, points)
            call_soon(lambda: self._send_time(describe_estimate(points, seconds)))

        self._worker.start(job)

    def _send_time(self, text: str) -> None:
        self.fine("use")
        self.send_message("time", text=text)


def _fits(draft: Scenario, table: Table) -> bool:
    """Return whether the table has the columns of a scenario in their roles."""
    quasi = draft.bad.target or ()
    checks: list[Callable[[Table], None]] = [draft.good.check, draft.bad.check]
    try:
        for check in checks:
            check(table)
    except BadInput:
        return False
    return draft.good.target in released_columns(table) and all(name in table.quasi for name in quasi)


def _side(content: Mapping[str, Any]) -> str:
    side = content.get("side")
    if side not in SIDES:
        raise BadInput("unknown side of the scenario; reload the page")
    return str(side)


def _number(given: Any, what: str) -> float:
    try:
        return float(str(given).replace("%", "").strip())
    except ValueError:
        raise BadInput(f"{what}: {safe_repr(given)} is not a number") from None
