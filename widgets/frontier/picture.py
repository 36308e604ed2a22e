"""The picture a frontier chart shows: a spec that is built only when axes or lines change, and its rows."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from workbench.base.figures import format_interval
from workbench.charts.axis import Axis
from workbench.charts.frontier import frontier_drawn, frontier_layers, line_numbers, with_rows
from workbench.charts.heat import MOST, ROW, describe_heat, heat_drawn, heat_layers, heat_marks, heat_rows
from workbench.charts.look import PINNED, dash, finish_chart, hue, shape
from workbench.charts.parallel import describe_parallel, parallel_drawn, parallel_layers, parallel_marks, parallel_rows
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

WIDTH, HEIGHT = 480, PLOT[1]  # the page has its own width; titles are wrapped for this one
SHADED = "Shaded: out of reach for releases in classes, without noise (for a reader who uses each class by itself)"
POSSIBLE = (
    "",
    f"{SHADED}.",
    f"{SHADED}; in the lighter part, none with exact quasi-identifiers.",
)
PADDING = {"left": 2, "top": 10, "right": 6, "bottom": 2}  # room for the grips of the caps


class Picture:
    """Remembers axes and the numbers of lines, so that nothing jumps and no line changes its hue."""

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
        """The spec, None where the page has it already and `whole` does not ask for it, and the rows."""
        axes, measures = self._settled(view, scene), tuple(scene.frontier.measures)
        key = (view, measures, tuple(self._lines.items()), tuple(axes) if view == "frontier" else ())
        known = key == self._key
        if not known:
            with debug_mode(
                False
            ):  # Altair checks every part against its schema: the still charts are checked, this is fast
                self._key, self._spec = key, self._built(scene, axes)
        return (None if known and not whole else self._spec), self._rows(scene, axes)

    def _settled(self, view: str, scene: Scene) -> list[Axis]:
        """The lines have their numbers, and the view its axes: as they were where that fits."""
        self.view = view
        known = [] if scene.frontier.complete else list(self._lines)  # while points stream in lines may come back
        plain = {name.removeprefix(PINNED): number for name, number in self._lines.items()}
        self._lines = line_numbers(list(dict.fromkeys([*known, *scene.lines])), plain)
        return self._around(scene)

    def altair(self, view: str, scene: Scene, width: int, height: int) -> alt.LayerChart:
        """Return the view as a chart of its own, with the same axes and colors."""
        own = copy(self)  # a picture that was taken changes none that is shown
        axes, scene = own._settled(view, scene), replace(scene, size=(width, height))
        if view == "heat":
            return heat_drawn(scene)
        drawn = frontier_drawn if view == "frontier" else parallel_drawn
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
        empty = with_rows(layers, {name: [] for name in self._rows(scene, axes)})
        spec: dict[str, Any] = finish_chart(empty, WIDTH, size, None, "").to_dict(validate=False)
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
        return drawn if len(drawn) == len(keys) else []  # of other measures there is no picture yet

    def moved(self, scene: Scene) -> dict[str, Rows]:
        """The rows that the point under the slider changes."""
        axes = self._shown(scene)
        if self.view == "frontier":
            return {"moving": scene.under_slider(axes[0], axes[1])}
        return {"moving": self._marks(scene, axes)["moving"]}

    def marked(self, scene: Scene) -> dict[str, Rows]:
        """The rows that selecting and capping change."""
        axes = self._shown(scene)
        if not self._key or not axes:  # no view has asked for a picture yet, or for one on these axes
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
        """Every line with its hue and shape."""
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
        """The chart in words."""
        return {"frontier": describe_frontier, "parallel": describe_parallel, "heat": describe_heat}[self.view](scene)


def table(scene: Scene) -> list[dict[str, Any]]:
    """The points for those who read them."""
    frontier, stands = scene.frontier, efficient(scene.frontier)
    missing = frontier.losses()
    rows = []
    for i, point in enumerate(frontier.measured):
        out = bool((missing[i] != missing[i]).any())
        state = (
            "baseline" if point.recipe.baseline else "left out" if out else "efficient" if stands[i] else "dominated"
        )
        recipe = recipe_text(point.recipe)
        rows.append({
            "recipe": baseline_label(recipe), "line": line_name(point.recipe),
            "state": "knee, efficient" if point is scene.knee else state,
            "values": [point.values.get(measure.key, math.nan) for measure in frontier.measures],
            "intervals": [format_interval(point.intervals.get(measure.key)) for measure in frontier.measures],
        })  # fmt: skip
    return rows
