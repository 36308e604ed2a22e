"""The lattice: all combinations of levels, with their losses and whether they satisfy the model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.kernel_thread import ScheduledCall
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Worker
from widgets.lattice.heat import Heat, heat_of
from workbench.base.errors import BadInput, safe_repr
from workbench.data.table import Table
from workbench.frontier.lattice import lattice
from workbench.frontier.recipe import Recipe
from workbench.measures import GeometricLoss, Measure, PrivacyLoss
from workbench.methods.full_domain.full_domain import FullDomain
from workbench.models import Model

DRAWN = 5000  # nodes that are drawn one by one; more become a heat map
PAUSE = 0.3  # seconds without another model: the chart is updated first


class LatticeView(Part):
    """The lattice of a table: every node is checked by the recipe's model; `chosen` is the recipe of a node.

    Nodes are scored in the background, only while the view is open; scores are sent as messages.
    """

    _esm = script("lattice/lattice")
    _css = styles("lattice/lattice")
    table = traitlets.Instance(Table, allow_none=True)
    recipe = traitlets.Instance(Recipe, allow_none=True, help="the recipe with the model and the seed of all nodes")
    pending = traitlets.Bool(False, help="the next release is being computed; its model will be used")
    suppress = traitlets.Float(0.05, help="the share of records that may be suppressed").tag(sync=True)
    shade = traitlets.Unicode("", help="the key of the measure of the colors; empty: the first").tag(sync=True)
    chosen = traitlets.Instance(Recipe, allow_none=True, help="the recipe of the last chosen node")

    def __init__(self, table: Any = None, recipe: Recipe | None = None, **traits: Any) -> None:
        self._pending_call: ScheduledCall | None = None
        self._scored: tuple[Any, ...] | None = None  # table, model and share that the view shows
        self._frame: pd.DataFrame | None = None
        self._heat: Heat | None = None
        super().__init__(table=table_from_input(table), recipe=recipe, **traits)
        self._worker = Worker(self._failed)
        self.observe(lambda _: self._refresh(), ["table", "recipe", "pending", "suppress", "unfolded"])
        self.observe(lambda _: self._send_nodes(), "shade")

    def about(self) -> str:
        if self._frame is None:
            return "not scored yet"
        return f"{len(self._frame):,} combinations of levels, {int(self._frame['keeps'].sum()):,} satisfy the model"

    @property
    def _model(self) -> Model | None:
        return self.recipe.model if self.recipe is not None else None

    def _measures(self) -> list[Measure]:
        """Return the measures that depend only on classes, by which all nodes are scored at once."""
        return [GeometricLoss(), *([PrivacyLoss()] if self.table is not None and self.table.sensitive else [])]

    def show(self) -> None:
        self._scored = None
        if not self.unfolded:
            self.send_message("stale")  # a view without any message reports that the kernel does not respond
        self._refresh()

    # --- requests of the view

    def receive_suppress(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the percentage of records that may be suppressed."""
        value = content.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            raise BadInput("enter a share from 0 to 100 %")
        self.suppress = float(value) / 100

    def receive_shade(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the measure of the colors."""
        key = content.get("key")
        if key not in [measure.key for measure in self._measures()]:
            raise BadInput(f"unknown measure {safe_repr(key)}; choose one of those shown")
        self.shade = str(key)

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose a node, or the best node of a field of the heat map."""
        if self._frame is None:
            raise BadInput("the lattice is being scored; wait a moment")
        if self._heat is not None:
            place = self._heat.best[read_integer(content, "node", 0, len(self._heat.best) - 1)]
        else:
            place = read_integer(content, "node", 0, len(self._frame) - 1)
        node = self._frame.iloc[place]
        if not node["keeps"]:
            raise BadInput(
                f"at these levels {int(node['breaking']):,} records are in classes that violate {self._model}; "
                "allow more suppressed records, or choose a filled combination"
            )
        seed = self.recipe.seed if self.recipe is not None else 0
        self.chosen = Recipe(
            FullDomain(suppress=self.suppress, levels=str(self._frame.index[place])), self._model, seed
        )

    # --- scores, computed while the view is open and the sliders rest

    def _refresh(self) -> None:
        if self._pending_call is not None:
            self._pending_call.cancel()
        self._worker.forget()
        wanted = (self.table, self._model, self.suppress)
        if not self.unfolded or wanted == self._scored:
            return
        self.send_message("stale")
        if self.table is None or not self.table.quasi:
            self._frame = self._scored = None
            self.send_message("nothing")
        elif not self.pending:
            known = self._scored is None or self._scored[:2] == wanted[:2]  # another model needs new scores
            self._pending_call = self.call_later(0 if known else PAUSE, self._score)

    def _score(self) -> None:
        table, model, suppress, measures = self.table, self._model, self.suppress, self._measures()
        if table is None or not self.unfolded or self.pending:
            return

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            call_soon(self._show_scores, (table, model, suppress), lattice(table, model, measures, suppress=suppress))

        self._worker.start(job)

    def _show_scores(self, of: tuple[Any, ...], frame: pd.DataFrame) -> None:
        if of != (self.table, self._model, self.suppress):
            return
        self._scored, self._frame = of, frame
        self.fine("nodes")
        self._send_nodes()

    def _send_nodes(self) -> None:
        """Send the scores as buffers of numbers."""
        frame, table = self._frame, self.table
        if frame is None or table is None:
            return
        measures = {measure.key: measure for measure in self._measures()}
        shade = measures.get(self.shade, next(iter(measures.values())))
        about: dict[str, Any] = {
            "columns": [
                {"name": name, "levels": int(frame[name].max()) + 1, "top": len(table.columns[name].released_at) - 1}
                for name in table.quasi
            ],
            "measures": [{"key": key, "name": one.name, "better": one.better} for key, one in measures.items()],
            "shade": shade.key,
            "model": str(self._model) if self._model else "",
            "suppress": self.suppress,
            "records": table.records,
            "keeping": int(frame["keeps"].sum()),
            "count": len(frame),
        }
        if len(frame) > DRAWN:
            self._heat = heat_of(frame, list(table.quasi), shade)
            self.send_message("heat", **about, **self._heat.shown())
            return
        self._heat = None
        flags = frame["keeps"].to_numpy().astype(np.uint8) + 2 * frame["efficient"].to_numpy().astype(np.uint8)
        counts = [frame[name].to_numpy().astype(np.int32) for name in ("left out", "breaking", "classes")]
        values = [frame[key].to_numpy().astype(np.float32) for key in measures]
        levels = frame[list(table.quasi)].to_numpy().astype(np.uint8)
        self.send_message(
            "nodes", [np.ascontiguousarray(one).data for one in (levels, flags, *counts, *values)], **about
        )

    def _failed(self, error: BaseException) -> None:
        self._scored = self._frame = None
        self.send_message("nothing")
        self.wrong("nodes", error)
