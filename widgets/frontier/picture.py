"""The drawing of a frontier chart: a spec that is built only when axes or lines change, and its rows."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from workbench.base.figures import format_interval
from workbench.charts.axis import Axis
from workbench.charts.frontier import draw_frontier, frontier_layers
from workbench.charts.heat import MOST, ROW, describe_heat, draw_heat, heat_layers, heat_marks, heat_rows
from workbench.charts.look import PINNED, dash, finish_chart, hue, line_numbers, shape
from workbench.charts.parallel import describe_parallel, draw_parallel, parallel_layers, parallel_marks, parallel_rows
from workbench.charts.scene import (
    PLOT,
    Rows,
    Scene,
    baseline_label,
    describe_frontier,
    efficient,
    line_name,
    recipe_text,
)

WIDTH, HEIGHT = 480, PLOT[1]  # titles are wrapped for this width; the page has its own
SHADED = "Shaded: out of reach for releases in classes, without noise (for a reader who uses each class by itself)"
POSSIBLE = (
    "",
    f"{SHADED}.",
    f"{SHADED}; in the lighter part, none with exact quasi-identifiers.",
)
PADDING = {"left": 2, "top": 10, "right": 6, "bottom": 2}  # room for the grips of the caps


class Picture:
    """The state of a drawing: axes and line numbers are kept, so that axes do not jump and lines keep their colors."""

    def __init__(self) -> None:
        self.view = "frontier"
        self._axes: dict[tuple[str, str], Axis] = {}
        self._lines: dict[str, int] = {}
        self._key: Any = None
        self._spec: dict[str, Any] = {}

    @property
    def words(self) -> tuple[str, str]:
        """Describe the marks of efficient and of dominated points."""
        return {"frontier": ("filled", "hollow"), "parallel": ("strong", "faint"), "heat": ("●", "○")}[self.view]

    def drawn(self, view: str, scene: Scene, whole: bool) -> tuple[dict[str, Any] | None, dict[str, Rows]]:
        """Return the spec and the rows; the spec is None if the page has it and `whole` does not request it."""
        axes, measures = self._settled(view, scene), tuple(scene.frontier.measures)
        key = (view, measures, tuple(self._lines.items()), tuple(axes) if view == "frontier" else ())
        known = key == self._key
        if not known:
            with debug_mode(False):  # skip Altair's slow schema validation; the static charts are validated
                self._key, self._spec = key, self._built(scene, axes)
        return (None if known and not whole else self._spec), self._rows(scene, axes)

    def _settled(self, view: str, scene: Scene) -> list[Axis]:
        """Assign line numbers and axes, keeping those of the previous drawing where they fit."""
        self.view = view
        known = [] if scene.frontier.complete else list(self._lines)  # while points arrive, lines may come back
        plain = {name.removeprefix(PINNED): number for name, number in self._lines.items()}
        self._lines = line_numbers(list(dict.fromkeys([*known, *scene.lines])), plain)
        return self._around(scene)

    def altair(self, view: str, scene: Scene, width: int, height: int) -> alt.LayerChart:
        """Return the view as a chart of its own, with the same axes and colors."""
        own = copy(self)  # the exported chart does not change the live one
        axes, scene = own._settled(view, scene), replace(scene, size=(width, height))
        if view == "heat":
            return draw_heat(scene)
        drawn = draw_frontier if view == "frontier" else draw_parallel
        return drawn(scene, axes, {name: own._lines[name] for name in scene.lines})

    def _around(self, scene: Scene) -> list[Axis]:
        own = self.view == "parallel"
        keys = [measure.key for measure in scene.frontier.measures] if own else list(scene.frontier.axes)
        of = scene.own_axis if own else scene.axis
        found = {(self.view, key): of(key, self._axes.get((self.view, key))) for key in keys}
        self._axes = {**self._axes, **found}
        return list(found.values())

    def _built(self, scene: Scene, axes: list[Axis]) -> dict[str, Any]:
        measures, height = scene.frontier.measures, HEIGHT
        size: Any = height
        if self.view == "frontier":
            layers = frontier_layers(axes[0], axes[1], self._lines, measures, WIDTH, height, live=True)
        elif self.view == "parallel":
            layers = parallel_layers(measures, self._lines, legend=False)
        else:
            layers, size = heat_layers(measures), alt.Step(ROW)
        empty: dict[str, Rows] = {name: [] for name in self._rows(scene, axes)}
        spec: dict[str, Any] = finish_chart(layers, WIDTH, size, None, "", empty).to_dict(validate=False)
        return {**spec, "autosize": {"type": "fit-x", "contains": "padding"}, "padding": PADDING}

    def _rows(self, scene: Scene, axes: list[Axis]) -> dict[str, Rows]:
        if self.view == "frontier":
            return scene.rows(axes[0], axes[1], live=True)
        return parallel_rows(scene, axes) if self.view == "parallel" else heat_rows(scene)

    def fits(self, scene: Scene) -> bool:
        """Return whether the selected point lies within the axes."""
        axes = self._shown(scene)
        values = scene.moving.values if scene.moving else {}
        return bool(axes) and all(axis.holds(values.get(axis.measure.key, math.nan)) for axis in axes)

    def _shown(self, scene: Scene) -> list[Axis]:
        keys = [m.key for m in scene.frontier.measures] if self.view == "parallel" else scene.frontier.axes
        drawn = [self._axes[self.view, key] for key in keys if (self.view, key) in self._axes]
        return drawn if len(drawn) == len(keys) else []  # these measures have not been drawn yet

    def moved(self, scene: Scene) -> dict[str, Rows]:
        """Return the rows that the point of the sliders changes."""
        axes = self._shown(scene)
        if self.view == "frontier":
            return {"moving": scene.under_slider(axes[0], axes[1])}
        return {"moving": self._marks(scene, axes)["moving"]}

    def marked(self, scene: Scene) -> dict[str, Rows]:
        """Return the rows that a selection or a cap changes."""
        axes = self._shown(scene)
        if not self._key or not axes:  # not drawn yet, or not on these axes
            return {}
        if self.view == "frontier":
            return {**scene.marked(axes[0], axes[1]), **scene.capped(axes[0], axes[1], grips=True)}
        return {"chosen": self._marks(scene, axes)["chosen"]}

    def _marks(self, scene: Scene, axes: list[Axis]) -> dict[str, Rows]:
        return parallel_marks(scene, axes) if self.view == "parallel" else heat_marks(scene)

    def caps(self, scene: Scene) -> list[dict[str, Any]]:
        """Return the key, the bound and the worse end of each axis, to draw a cap while it is dragged."""
        found = []
        for key in scene.frontier.axes:
            axis = self._axes.get(("frontier", key)) or scene.axis(key)
            found.append({"key": key, "bound": axis.bound, "worst": axis.worst, "domain": axis.domain,
                          "value": scene.caps.get(key), "log": axis.log})  # fmt: skip
        return found

    def legend(self) -> list[dict[str, Any]]:
        """Return every line with its color and shape."""
        if self.view == "heat":
            return []
        return [
            {
                "line": line,
                "hue": hue(line),
                "shape": shape(line, n),
                "dash": dash(n) if self.view == "parallel" else None,
            }
            for line, n in self._lines.items()
            if self.view == "frontier" or not line.startswith(PINNED)
        ]

    def note(self, scene: Scene) -> str:
        """Explain how to read the view."""
        if self.view == "parallel":
            return "Up is better on every axis. The baselines are not drawn."
        if self.view == "frontier":
            return POSSIBLE[len(scene.possible)]
        points = len(scene.frontier.measured)
        drawn = f" The first {MOST} of {points} points." if points > MOST else ""
        return f"Ranked within each measure: lighter is better. ↓ lower, ↑ higher values are better.{drawn}"

    def spoken(self, scene: Scene) -> str:
        """Describe the chart for screen readers."""
        return {"frontier": describe_frontier, "parallel": describe_parallel, "heat": describe_heat}[self.view](scene)


def table(scene: Scene) -> list[dict[str, Any]]:
    """Return the points as a table."""
    frontier, is_efficient = scene.frontier, efficient(scene.frontier)
    missing = frontier.losses()
    rows = []
    for i, point in enumerate(frontier.measured):
        out = bool((missing[i] != missing[i]).any())
        state = (
            "baseline"
            if point.recipe.baseline
            else "left out"
            if out
            else "efficient"
            if is_efficient[i]
            else "dominated"
        )
        recipe = recipe_text(point.recipe)
        rows.append({
            "recipe": baseline_label(recipe), "line": line_name(point.recipe),
            "state": "knee, efficient" if point is scene.knee else state,
            "values": [point.values.get(measure.key, math.nan) for measure in frontier.measures],
            "intervals": [format_interval(point.intervals.get(measure.key)) for measure in frontier.measures],
        })  # fmt: skip
    return rows
