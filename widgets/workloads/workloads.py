"""The workloads of a study by name: queries that are written, drawn at random or read from a log."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict
from itertools import count
from typing import Any

import numpy as np
import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.text_places import place, units
from widgets.base.worker import CallSoon, Worker
from widgets.workloads.lines import MOST, Line, Lines, format_answers, true_answers
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number, format_percent
from workbench.data.settings import check_workloads
from workbench.data.table import Table
from workbench.queries.completion import completions
from workbench.queries.log import read_log
from workbench.queries.query import text_of
from workbench.queries.random_queries import OF_TYPE, Settings
from workbench.queries.workload import Workload

LONGEST_NAME = 40
LOG_BYTES = 2_000_000
SHOWN = 50  # number of shown queries of a file, and of shown unusable lines of a log
EXAMPLES = 5  # of random queries
MOST_RANDOM = 10_000
STOPS = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1)  # of selectivity


class WorkloadPicker(Part):
    """`WorkloadPicker(table)`: `workloads` by name, as in a study; `chosen` is the name of the one that is shown.

    Queries quote values of the data, so they are sent as messages, never in a synced trait. Typed queries are checked
    at once, and saved when all lines are valid.
    """

    _esm = script("workloads/workloads")
    _css = styles("base/query_editor", "workloads/workloads")
    table = traitlets.Instance(Table, allow_none=True)
    workloads = traitlets.Dict(help="name -> a list of queries, {'random': ...} or {'file': ...}: no sync")
    chosen = traitlets.Unicode("", help="the name of the shown workload").tag(sync=True)

    def __init__(self, table: Any = None, workloads: Mapping[str, Any] | None = None, **traits: Any) -> None:
        table = table_from_input(table)
        self._lines: Lines | None = None
        self._unusable: list[str] = []  # lines of the log that was loaded last
        given = dict(table.settings.workloads) if workloads is None and table is not None else dict(workloads or {})
        super().__init__(table=table, workloads=given, **traits)
        self._worker = Worker(self._failed)
        self.observe(self._changed, ["table", "workloads", "chosen"])

    @traitlets.validate("workloads")
    def _plain(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        return check_workloads(proposal["value"])

    def about(self) -> str:
        return _counted(len(self.workloads), "workload")

    def _changed(self, event: Mapping[str, Any]) -> None:
        if event["name"] == "table":
            self._lines = None
        self._worker.forget()
        self.show()

    @property
    def _name(self) -> str:
        """The name of the shown workload, by default the first."""
        return self.chosen if self.chosen in self.workloads else next(iter(self.workloads), "")

    def show(self) -> None:
        name, table = self._name, self.table
        spec = self.workloads.get(name)
        self.send_message(
            "workloads",
            ready=table is not None and bool(table.quasi),
            rows=[{"name": one, "about": _about(self.workloads[one])} for one in self.workloads],
            chosen=name,
            unusable=self._unusable,
            **_detail(spec, table),
        )
        if table is not None and isinstance(spec, dict):
            self._try(spec)

    # --- typed queries

    def receive_try(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Check typed queries: send errors and true answers, without saving."""
        table, ask = self._require_table(), content.get("ask")
        lines = self._read(content)
        self.send_message("tried", ask=ask, lines=[line.view() for line in lines])
        good = [line for line in lines if line.query is not None]

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            answers = true_answers(table, [line.query for line in good if line.query is not None])
            rows = [[line.row, answer] for line, answer in zip(good, answers, strict=True)]
            call_soon(lambda: self.send_message("answers", ask=ask, rows=rows))

        self._worker.start(job)

    def receive_complete(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Complete the text at the cursor."""
        line = str(content.get("text", ""))
        at = place(line, read_integer(content, "position", 0))
        found = completions(line, at, self._require_table())
        self.send_message(
            "completions",
            ask=content.get("ask"),
            options=[{"text": one.text, "kind": one.kind} for one in found],
            start=units(line, found[0].start if found else at),
        )

    def receive_keep(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Save the queries of the shown workload, if all lines are valid."""
        name, lines = self._named(content), self._read(content)
        wrong = [line for line in lines if line.query is None]
        if wrong:
            lines_are = "line is not a query" if len(wrong) == 1 else "lines are not queries"
            raise BadInput(f"{len(wrong):,} {lines_are}; the last valid queries remain")
        if not lines:
            raise BadInput("a workload needs at least one query; delete the workload to remove it")
        self._take({**self.workloads, name: [line.query.text for line in lines if line.query]})

    def _read(self, content: Mapping[str, Any]) -> list[Line]:
        if self._lines is None:
            self._lines = Lines(self._require_table())
        return self._lines.read(str(content.get("text", "")))

    # --- random queries, and queries from a log

    def receive_draw(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Change the settings of random queries: previewed during a drag, saved at its end."""
        name, table = self._named(content), self._require_table()
        before = self.workloads[name]
        if not isinstance(before, dict) or "random" not in before:
            raise BadInput(f"{safe_repr(name)} is not drawn at random; choose one that is")
        unused = {"dimension", "selectivity"}.difference(Settings.from_spec(before["random"]).slides)
        changes = {name: value for name, value in _settings(content).items() if name not in unused}
        settings = {**before["random"], **changes}
        spec = {"random": Settings.from_spec(settings).checked(table).spec()}
        if content.get("keep"):
            self._take({**self.workloads, name: spec})
        else:
            self._try(spec, content.get("ask"))

    def _try(self, spec: Any, ask: Any = None) -> None:
        """Send examples of a random workload or one from a file, with a summary of all answers."""
        table, name = self._require_table(), self._name

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            if "random" in spec:
                found = Workload.random(table, **asdict(Settings.from_spec(spec["random"])))
            else:
                found = (
                    Workload.named(table, name) if name in table.settings.workloads else Workload.from_spec(table, spec)
                )
            shown = range(min(len(found), EXAMPLES if "random" in spec else SHOWN))
            rows = [
                [found.text(q), answer]
                for q, answer in zip(shown, format_answers(found.truth[: len(shown)]), strict=True)
            ]
            notes = [*found.notes[:SHOWN], *_more(len(found.notes))]
            words = _in_words(found.truth)
            call_soon(lambda: self.send_message("examples", ask=ask, rows=rows, text=words, notes=notes))

        self._worker.start(job)

    def receive_load(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Load a log: usable queries become a workload, and the others are listed."""
        table, name = self._require_table(), self._fresh(_plain_name(content.get("name")))
        if not buffers or len(buffers[0]) > LOG_BYTES:
            raise BadInput(f"a log loaded here may have up to {LOG_BYTES // 10**6} MB; split it")
        try:
            text = bytes(buffers[0]).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(f"the log is not UTF-8 text (byte {error.start}); save it as UTF-8") from None

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            queries, unusable = read_log(text, table)
            call_soon(self._loaded, table, name, [query.text for query in queries], [*map(str, unusable)])

        self._worker.start(job)

    def _loaded(self, table: Table, name: str, texts: list[str], unusable: list[str]) -> None:
        if table is not self.table:
            return
        self._unusable = [*unusable[:SHOWN], *_more(len(unusable))]
        if not texts or len(texts) > MOST:
            self.show()
            why = f"up to {MOST:,} of them are edited here" if texts else "none of them can be used"
            self.problem("load", f"the log has {len(texts):,} queries: {why}")
            return
        self.fine("load")
        self._take({**self.workloads, name: texts}, name)

    # --- the list of workloads

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Show another workload."""
        self._unusable = []
        self.chosen = self._named(content)

    def receive_add(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Add a workload with an example."""
        table = self._require_table()
        if not table.quasi:
            raise BadInput("there are no quasi-identifiers yet; choose some in Roles")
        if content.get("what") == "random":
            settings = {"dimension": min(4, len(table.quasi)), "sensitive": bool(table.sensitive)}
            name, spec = self._fresh("random queries"), {"random": Settings.from_spec(settings).checked(table).spec()}
        else:
            name, spec = self._fresh("queries"), [_example(table)]  # type: ignore[assignment]
        self._unusable = []
        self._take({**self.workloads, name: spec}, name)

    def receive_rename(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Rename a workload, at the same position."""
        name, to = self._named(content), " ".join(str(content.get("to", "")).split())
        if to == name:
            return
        if to in self.workloads:
            raise BadInput(f"there is a workload {safe_repr(to)} already; choose another name")
        if len(to) > LONGEST_NAME or any(sign in to for sign in "(),;="):
            raise BadInput(f"a name has up to {LONGEST_NAME} characters, without brackets, commas, semicolons or =")
        self._take({to if one == name else one: spec for one, spec in self.workloads.items()}, to)

    def receive_remove(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Remove a workload; undo restores it."""
        name = self._named(content)
        self._unusable = []
        self._take({one: spec for one, spec in self.workloads.items() if one != name})

    def _take(self, workloads: dict[str, Any], chosen: str = "") -> None:
        """Set the traits together; observers may reset them."""
        workloads = check_workloads(workloads)
        with self.hold_trait_notifications():
            self.workloads = workloads
            self.chosen = chosen or self._name

    def _named(self, content: Mapping[str, Any]) -> str:
        name = content.get("name")
        if not isinstance(name, str) or name not in self.workloads:
            raise BadInput(f"there is no workload {safe_repr(name)}; choose one of those shown")
        return name

    def _fresh(self, name: str) -> str:
        """Return an unused name, with a number if necessary."""
        names = (name if number == 1 else f"{name} {number}" for number in count(1))
        return next(one for one in names if one not in self.workloads and one != "random")

    def _require_table(self) -> Table:
        if self.table is None:
            raise BadInput("there is no table yet; choose data and quasi-identifiers first")
        return self.table

    def _failed(self, error: BaseException) -> None:
        self.wrong("workload", error)


def _detail(spec: Any, table: Table | None) -> dict[str, Any]:
    """Return the content of a workload for the view."""
    if spec is None:
        return {"of": ""}
    if isinstance(spec, list):
        return {"of": "written", "text": "\n".join(spec)}
    if "file" in spec:
        return {"of": "file", "file": spec["file"]}
    settings = Settings.from_spec(spec["random"])
    quasi = len(settings.columns or (table.quasi if table else ()))
    return {
        "of": "random", "settings": asdict(settings), "slides": settings.slides, "most": quasi, "stops": STOPS
    }  # fmt: skip


def _about(spec: Any) -> str:
    """Describe a workload in a few words, without values."""
    if isinstance(spec, list):
        return _counted(len(spec), "query", "queries")
    if "file" in spec:
        return f"from {spec['file']}"
    settings = Settings.from_spec(spec["random"])
    many, on = f"{settings.count:,}", f" of {', '.join(settings.columns)}" if settings.columns else ""
    if settings.rule == "equality":
        return f"{many} single values{on}"
    selective = f"sel {format_number(settings.selectivity)}"
    if settings.rule in OF_TYPE:
        return f"{many} ranges{on}, {selective}"
    return f"{many} at random, qd {settings.dimension}, {selective}"


def _settings(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of sliders and fields; BadInput for invalid numbers."""
    dimension, selectivity = read_integer(content, "dimension", 0), content.get("selectivity")
    if isinstance(selectivity, bool) or not isinstance(selectivity, int | float) or not 0 < selectivity <= 1:
        raise BadInput("selectivity: enter a share of the records above 0 and up to 1")
    return {
        "dimension": dimension,
        "selectivity": float(selectivity),
        "count": read_integer(content, "count", 1, MOST_RANDOM),
        "seed": read_integer(content, "seed", 0, 2**32 - 1),
    }


def _in_words(truth: np.ndarray) -> str:
    """Summarize the answers to many queries."""
    known = truth[~np.isnan(truth)]
    if not len(known):
        return "Every query is an average over no records."
    low, middle, high = (format_number(round(float(one), 4)) for one in np.quantile(known, [0.1, 0.5, 0.9]))
    empty = format_percent(float((known == 0).mean())) if (known == 0).any() else "none"
    many = _counted(len(truth), "query", "queries")
    return f"{many}: the median answer is {middle}, 80 % are from {low} to {high}; {empty} of them are 0."


def _example(table: Table) -> str:
    """Return an example query: half of the first quasi-identifier, or its most frequent value."""
    column = table.columns[table.quasi[0]]
    known = np.arange(column.size) < len(column.values)
    half = np.cumsum(column.counts[: len(column.values)]) * 2 >= column.counts[: len(column.values)].sum()
    middle = int(np.argmax(half)) if column.kind != "text" else int(np.argmax(column.counts[: len(column.values)]))
    codes = np.arange(column.size)
    return text_of(table, {column.name: known & (codes >= middle if column.kind != "text" else codes == middle)})


def _counted(many: int, one: str, more: str = "") -> str:
    return f"{many:,} {one if many == 1 else more or one + 's'}"


def _plain_name(given: object) -> str:
    """Derive the name of a workload from that of a file."""
    words = "".join(sign if sign.isalnum() or sign in "-_" else " " for sign in str(given or "").rsplit(".", 1)[0])
    return " ".join(words.split())[: LONGEST_NAME - 5] or "log"


def _more(found: int) -> list[str]:
    return [f"and {found - SHOWN:,} more"] if found > SHOWN else []
