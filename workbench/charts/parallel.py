"""Parallel coordinates (Inselberg 1985): one axis per measure, up is better; one strand per point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from workbench.base.figures import format_number
from workbench.charts.axis import Axis
from workbench.charts.frontier import headline
from workbench.charts.look import (
    INK,
    PINNED,
    SILENT,
    Chart,
    draw_rows,
    finish_chart,
    line_channels,
    line_dashes,
    line_numbers,
    measure_labels,
)
from workbench.charts.scene import Rows, Scene, efficient, line_name, recipe_text

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point
    from workbench.measures import Measure

BEYOND = 0.09  # distance of infinity from the end of its axis
DOMAIN = [-0.17, 1.12]
GAPS = "break-paths-show-domains"  # an undefined value leaves a gap in its strand


def parallel_chart(
    frontier: Frontier, width: int = 760, height: int = 360, *, moving: Point | None = None, selected: int = -1
) -> alt.LayerChart:
    """Draw every measure of every point except the baselines; efficient points are strong, dominated ones faint.

    A line has its hue and shape, and lines of one hue differ in their dashes.

    Parameters
    ----------
    frontier
        The points.
    width, height
        Size in pixels.
    moving
        A point under a slider.
    selected
        Index of the selected point in `frontier.measured`.
    """
    scene = Scene(frontier, None, moving, {}, selected, (width, height))
    axes = [scene.own_axis(measure.key) for measure in frontier.measures]
    return draw_parallel(scene, axes, line_numbers(scene.lines))


def draw_parallel(scene: Scene, axes: Sequence[Axis], lines: Mapping[str, int]) -> alt.LayerChart:
    """Draw a scene on these axes with these line numbers, as a page shows it."""
    frontier, (width, height) = scene.frontier, scene.size
    drawn = parallel_layers(frontier.measures, {name: n for name, n in lines.items() if not name.startswith(PINNED)})
    title = alt.Title(
        headline(frontier, "strong", "faint"), subtitle="up is better on every axis; the baselines are not drawn"
    )
    return finish_chart(drawn, width, height, title, describe_parallel(scene), parallel_rows(scene, axes))


def parallel_layers(measures: Sequence[Measure], lines: Mapping[str, int], legend: bool = True) -> Any:
    """Return the layers without data; the rows are added by name."""
    keys = [measure.key for measure in measures]
    sides = {measure.key: measure.side for measure in measures}
    label, _ = measure_labels(keys, sides)
    axis = alt.Axis(labelAngle=0, domain=False, ticks=False, labelExpr=label, labelPadding=8, labelLineHeight=14)
    x = alt.X("measure:N", sort=None, scale=alt.Scale(type="point", domain=keys, padding=0.4), title=None, axis=axis)
    y = alt.Y("good:Q", scale=alt.Scale(domain=DOMAIN, nice=False), axis=None)
    color, shape = line_channels(lines, legend)
    dash = line_dashes(lines)
    tooltip = [alt.Tooltip("recipe:N"), alt.Tooltip("value:N"), alt.Tooltip("measure:N")]
    strands = draw_rows("strands", x, y, alt.Detail("i:N"))
    beaten = strands.transform_filter("!datum.efficient").encode(color, dash)
    standing = strands.transform_filter("datum.efficient").encode(color)
    thread: dict[str, Any] = {**SILENT, "invalid": GAPS, "strokeJoin": "round"}
    return alt.layer(
        *_ends(x, y),
        beaten.mark_line(**thread, strokeWidth=1, opacity=0.3),
        standing.mark_line(**thread, strokeWidth=2.2, opacity=0.9).encode(dash),
        strands.mark_line(**thread, strokeWidth=10, opacity=0, color=INK).encode(tooltip=tooltip),  # wide target
        standing.mark_point(filled=True, size=55, opacity=1).encode(shape, alt.Description("said:N"), tooltip=tooltip),
        draw_rows("moving", x, y).mark_line(**thread, color=INK, strokeDash=[6, 3], strokeWidth=2),
        draw_rows("moving", x, y).mark_point(**SILENT, shape="diamond", filled=True, color=INK, size=90, opacity=1),
        draw_rows("chosen", x, y).mark_line(**thread, color=INK, strokeWidth=3),
        draw_rows("chosen", x, y).mark_point(**SILENT, color=INK, size=110, strokeWidth=3, opacity=1),
    )  # fmt: skip


def _ends(x: Any, y: Any) -> list[Chart]:
    """Draw each measure's axis with its best and its worst value."""
    rows = draw_rows("ends")
    look: dict[str, Any] = {**SILENT, "color": INK, "fontSize": 11, "opacity": 0.85}
    return [
        rows.mark_rule(**SILENT, color=INK, opacity=0.35).encode(x, alt.Y("bottom:Q", axis=None), alt.Y2("top:Q")),
        rows.mark_text(**look, baseline="bottom", dy=-5).encode(x, alt.Y("top:Q", axis=None), text="best:N"),
        rows.mark_text(**look, baseline="top", dy=5).encode(x, alt.Y("bottom:Q", axis=None), text="worst:N"),
    ]


def parallel_rows(scene: Scene, axes: Sequence[Axis]) -> dict[str, Rows]:
    """Return the rows of each point and measure."""
    frontier, rows = scene.frontier, []
    stands = efficient(frontier)
    for i, point in enumerate(frontier.measured):
        if point.recipe.baseline:
            continue
        flags = {"efficient": bool(stands[i]), "line": line_name(point.recipe)}
        rows += [{**row, **flags, "i": i} for row in _strand(point, axes)]
    return {"ends": [_end(axis) for axis in axes], "strands": rows, **parallel_marks(scene, axes)}


def parallel_marks(scene: Scene, axes: Sequence[Axis]) -> dict[str, Rows]:
    """Return the selected point, and the one under the slider."""
    chosen = scene.chosen
    return {
        "chosen": [] if chosen is None or chosen.recipe.baseline else _strand(chosen, axes),
        "moving": [] if scene.moving is None else _strand(scene.moving, axes),
    }


def _strand(point: Point, axes: Sequence[Axis]) -> Rows:
    values = [(axis, point.values.get(axis.measure.key, math.nan)) for axis in axes]
    recipe = recipe_text(point.recipe)
    return [
        {"measure": axis.measure.key, "good": value_height(axis, value), "value": shown, "recipe": recipe,
         "said": f"{recipe}: {axis.measure.key} {shown}"}
        for axis, value in values
        for shown in [format_number(value)]
    ]  # fmt: skip


def value_height(axis: Axis, value: float) -> float | None:
    """Return the height of a value; infinity is slightly past the end."""
    if math.isinf(value):
        return 1 + BEYOND if (value > 0) == (axis.measure.better == "higher") else -BEYOND
    return axis.goodness(value)


def _end(axis: Axis) -> dict[str, Any]:
    """Return the two ends of an axis, extended if a value is infinite."""
    low, high = (format_number(end) for end in (axis.low, axis.high))
    up = axis.measure.better == "higher"
    best, worst = (high, low) if up else (low, high)
    top, bottom = 1.0, 0.0
    if axis.infinite:
        top, bottom = (1 + BEYOND, 0.0) if up else (1.0, -BEYOND)
        best, worst = (f"infinite, {best}", worst) if up else (best, f"{worst}, infinite")
    return {"measure": axis.measure.key, "top": top, "bottom": bottom, "best": best, "worst": worst}


def describe_parallel(scene: Scene) -> str:
    """Describe the chart for screen readers."""
    keys = ", ".join(measure.key for measure in scene.frontier.measures)
    return f"Parallel coordinates of {len(scene.frontier.measured)} points on {keys}; up is better on every axis."
