"""The frontier chart: a measure of privacy to the right, one of utility upwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.base.figures import format_number
from workbench.charts.axis import Axis
from workbench.charts.look import INK, PINNED, SILENT, Chart, draw_rows, finish_chart, line_channels, line_numbers
from workbench.charts.scene import Scene, baseline_label, describe_frontier, efficient, recipe_text

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.lower_bounds import LowerBounds
    from workbench.frontier.recipe import Point
    from workbench.measures import Measure

SAME = 1e-9  # relative tolerance for rounding errors
CROSS = "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7"
GRIP = "M-0.6,-0.8L0.6,-0.8L0.6,0.2L0,0.9L-0.6,0.2Z"  # a handle that points down
BESIDE: dict[str, Any] = {name: alt.expr(f"datum.{name}") for name in ("align", "dx", "dy")} | {"lineBreak": "\n"}
SAID = alt.Description("said:N")  # otherwise a screen reader would read every field of the tooltip


def frontier_chart(
    frontier: Frontier,
    width: int = 640,
    height: int = 400,
    *,
    pinned: Frontier | None = None,
    moving: Point | None = None,
    caps: Mapping[str, float] | None = None,
    selected: int = -1,
    log: Iterable[str] = (),
    possible: Sequence[LowerBounds] = (),
) -> alt.LayerChart:
    """Draw a frontier, with one hue and shape per line; efficient points are filled, dominated ones hollow.

    Parameters
    ----------
    frontier
        The points.
    width, height
        Size of the plot in pixels.
    pinned
        A second frontier to compare with.
    moving
        A point under a slider.
    caps
        Limits to draw, by measure key.
    selected
        Index of the selected point in `frontier.measured`.
    log
        Keys of the measures whose axes are logarithmic.
    possible
        Lower bounds of the utility loss; the region below is shaded.

    Notes
    -----
    Drag to move, Shift and the wheel to zoom, double click to reset.
    """
    other = None if pinned is None else pinned.on(*frontier.axes)
    scene = Scene(
        frontier, other, moving, caps or {}, selected, (width, height), frozenset(log), possible=tuple(possible)
    )
    return draw_frontier(scene, [scene.axis(key) for key in frontier.axes], line_numbers(scene.lines))


def draw_two_frontiers(
    frontier: Frontier, keys: tuple[str, str], titles: tuple[str, str], selected: int = -1,
    width: int = 360, height: int = 300,
) -> list[alt.LayerChart]:  # fmt: skip
    """Draw the same points against two measures of utility (by key) on one scale."""
    scenes = [Scene(frontier.on(utility=key), selected=selected, size=(width, height)) for key in keys]
    own, aside = ([value for key in keys for value in _values(frontier, key, baseline)] for baseline in (False, True))
    measure = frontier.measure(keys[0])
    y = Axis.from_values(measure, own, aside=[*aside, measure.best])
    x, lines = scenes[0].axis(scenes[0].frontier.axes[0]), line_numbers(scenes[0].lines)
    found = []
    for scene, key, title in zip(scenes, keys, titles, strict=True):
        drawn = draw_frontier(scene, [x, replace(y, measure=frontier.measure(key))], lines)
        drawn.title = alt.Title(title)
        found.append(drawn)
    return found


def _values(frontier: Frontier, key: str, baseline: bool) -> list[float]:
    return [point.values.get(key, math.nan) for point in frontier.measured if point.recipe.baseline == baseline]


def draw_frontier(scene: Scene, axes: Sequence[Axis], lines: Mapping[str, int]) -> alt.LayerChart:
    """Draw a scene on these axes with these line numbers, as a page shows it."""
    (x, y), (width, height), frontier = axes, scene.size, scene.frontier
    drawn = frontier_layers(x, y, lines, frontier.measures, width, height)
    return finish_chart(drawn, width, height, _title(scene), describe_frontier(scene), scene.rows(x, y))


def frontier_layers(
    x_axis: Axis, y_axis: Axis, lines: Mapping[str, int], measures: Sequence[Measure], width: int, height: int,
    live: bool = False,
) -> Any:  # fmt: skip
    """Return the layers without data: everything that changes with the points is in `Scene.rows`."""
    x, y = x_axis.encoded(alt.X, "x", width), y_axis.encoded(alt.Y, "y", height)
    zoom = alt.selection_interval(name="zoom", bind="scales", zoom="wheel![event.shiftKey || event.ctrlKey]")
    layers = [
        _stairs("stairs", x, y).add_params(zoom),  # the first layer has both axes
        *_impossible(x, y),
        *_caps(x_axis, y_axis),
        *_edges(x_axis, y_axis, x, y),
        *_pinned(x, y, lines, not live),
        draw_rows("intervals", x, y)
        .mark_rule(**SILENT, color=INK, opacity=0.5, strokeWidth=2, clip=True)
        .encode(alt.X2("x2:Q"), alt.Y2("y2:Q")),
        *_own(x, y, lines, measures, not live),
        *_marks(x, y, measures),
        *([_cursor(x, y)] if live else []),
    ]
    return alt.layer(*layers)


def _hover(measures: Sequence[Measure]) -> list[alt.Tooltip]:
    figures = [alt.Tooltip(f"m{i}:N", title=measure.key) for i, measure in enumerate(measures)]
    return [alt.Tooltip("number:Q"), alt.Tooltip("recipe:N"), *figures, alt.Tooltip("why:N")]


def _caps(x_axis: Axis, y_axis: Axis) -> list[Chart]:
    """Draw each cap as a line with a handle at its end, and shade the region beyond it."""
    layers: list[Chart] = []
    toward = "datum.flip" if x_axis.worst > x_axis.low else "!datum.flip"
    x_words: dict[str, Any] = {
        "align": alt.expr(f"{toward} ? 'right' : 'left'"),
        "dx": alt.expr(f"{toward} ? -9 : 9"),
        "dy": 10,
    }
    above = "!datum.flip" if y_axis.worst > y_axis.low else "datum.flip"
    along = "(isValid(datum.along) ? datum.along : 1)"  # the label of a dragged cap is at the right end
    y_words: dict[str, Any] = {
        "align": alt.expr(f"{along} == 1 ? 'right' : {along} == 0 ? 'left' : 'center'"),
        "dx": alt.expr(f"6 - 12 * {along}"),
        "dy": alt.expr(f"{above} ? -9 : 10"),
    }
    right = alt.X(value=alt.expr(f"width * {along}"))
    for name, channel, end, edge, far, angle, words in (
        ("x", alt.X, alt.X2, alt.Y(value=0), alt.Y(value=0), 0, x_words),
        ("y", alt.Y, alt.Y2, alt.X(value=0), right, 270, y_words),
    ):
        rows = draw_rows(f"cap_{name}", channel(f"{name}:Q"))
        size = "width" if name == "x" else "height"  # on a zoomed chart, a cap may be outside
        seen = alt.expr(f"inrange(scale('{name}', datum.{name}), [-1, {size} + 1]) ? 0.8 : 0")
        layers += [
            rows.mark_rect(**SILENT, color=INK, opacity=0.07, clip=True).encode(end(f"{name}2:Q")),
            rows.mark_rule(**SILENT, color=INK, strokeWidth=1.5, opacity=0.8, clip=True),
            rows.mark_point(
                **SILENT, shape=GRIP, filled=True, color=INK, size=170, opacity=seen, angle=angle, clip=False
            ).encode(edge),
            rows.mark_text(**SILENT, color=INK, opacity=seen, fontSize=11, baseline="middle", **words).encode(
                far, alt.Text("label:N")
            ),
        ]
    return layers


def _edges(x_axis: Axis, y_axis: Axis, x: Any, y: Any) -> list[Chart]:
    """Draw a labeled dotted line for infinite values, and for zero on a logarithmic axis."""
    layers = []
    note: dict[str, Any] = {**SILENT, "color": INK, "fontSize": 11, "opacity": 0.8}
    rule: dict[str, Any] = {**SILENT, "color": INK, "strokeDash": [2, 3], "opacity": 0.5}
    for axis, word, value in _lines(x_axis):
        at = Chart(alt.Data(values=[{"x": value, "y": y_axis.domain[1]}])).encode(x)
        layers.append(at.mark_rule(**rule, clip=True))
        side: dict[str, Any] = {"align": "right", "dx": -4} if value == axis.edge else {"align": "left", "dx": 4}
        layers.append(at.mark_text(text=word, baseline="top", dy=4, clip=True, **side, **note).encode(y))
    for axis, word, value in _lines(y_axis):
        at = Chart(alt.Data(values=[{"x": x_axis.domain[0], "y": value}])).encode(y)
        layers.append(at.mark_rule(**rule, clip=True))
        side = {"baseline": "top", "dy": 4} if value == axis.edge else {"baseline": "bottom", "dy": -4}
        layers.append(at.mark_text(text=word, align="left", dx=4, clip=True, **side, **note).encode(x))
    return layers


def _lines(axis: Axis) -> list[tuple[Axis, str, float]]:
    """Return the labeled edges: infinity, and zero on a logarithmic axis."""
    found = [(axis, "infinite", axis.edge)] if axis.infinite else []
    return [*found, (axis, "0", axis.place(0.0))] if axis.log and axis.below else found


def _impossible(x: Any, y: Any) -> list[Chart]:
    """Shade the region that no release can reach, with a label."""
    area: dict[str, Any] = {**SILENT, "color": INK, "opacity": 0.14, "clip": True}
    word: dict[str, Any] = {**SILENT, "color": INK, "opacity": 0.8, "fontSize": 11, "align": "left", "clip": True,
                            "lineBreak": "\n", "dy": -6}  # fmt: skip
    return [
        draw_rows("impossible", x, y).mark_area(**area).encode(alt.Y2("y2:Q"), alt.Detail("region:N")),
        draw_rows("impossible_word", x, y).mark_text(**word, baseline="middle").encode(alt.Text("word:N")),
    ]


def _stairs(name: str, x: Any, y: Any, **look: Any) -> Chart:
    """Draw the staircase of efficient points."""
    drawn = {**SILENT, "opacity": 0.35, "strokeWidth": 1, "strokeDash": [5, 3], **look}
    return draw_rows(name, x, y).mark_line(color=INK, clip=True, **drawn).encode(alt.Order("order:Q"))


def _pinned(x: Any, y: Any, lines: Mapping[str, int], legend: bool) -> list[Chart]:
    """Draw the second frontier in lighter strokes behind."""
    if not any(line.startswith(PINNED) for line in lines):
        return []
    color, shape = line_channels(lines, legend)
    rows = draw_rows("pinned", x, y).encode(SAID)
    own, hover = "!datum.baseline", [alt.Tooltip("line:N"), alt.Tooltip("recipe:N")]
    return [
        _stairs("pinned_stairs", x, y, opacity=0.2, strokeDash=[1, 3]),
        draw_rows("pinned", x, y)
        .transform_filter(f"{own} && datum.finite")
        .mark_line(**SILENT, strokeWidth=1, strokeDash=[4, 2], clip=True)
        .encode(color, alt.Detail("strand:N")),
        rows.transform_filter(f"{own} && !datum.efficient")
        .mark_point(filled=False, size=35, strokeWidth=1, opacity=1, clip=True)
        .encode(color, shape, tooltip=hover),
        rows.transform_filter(f"{own} && datum.efficient")
        .mark_point(filled=True, size=55, opacity=1, clip=True)
        .encode(color, shape, tooltip=hover),
        rows.transform_filter("datum.baseline")
        .mark_point(shape=CROSS, size=200, color=INK, strokeWidth=1, opacity=0.5)
        .encode(tooltip=hover),
    ]


def _own(x: Any, y: Any, lines: Mapping[str, int], measures: Sequence[Measure], legend: bool) -> list[Chart]:
    """Draw one curve per line with its points, efficient ones filled, and the baselines."""
    color, shape = line_channels(lines, legend)
    placed, own = draw_rows("points", x, y), "!datum.baseline && "
    shown = placed.encode(SAID, tooltip=_hover(measures))
    return [
        shown.transform_filter("datum.baseline").mark_point(shape=CROSS, size=420, color=INK, strokeWidth=2),
        placed.transform_filter(own + "datum.finite")
        .mark_line(**SILENT, strokeWidth=1.5, opacity=0.6, clip=True)
        .encode(color, alt.Detail("strand:N")),
        shown.transform_filter(own + "!datum.efficient")
        .mark_point(filled=False, size=55, strokeWidth=1.5, opacity=0.75, clip=True)
        .encode(color, shape),
        shown.transform_filter(own + "datum.efficient")
        .mark_point(filled=True, size=90, opacity=1, clip=True)
        .encode(color, shape),
        placed.transform_filter("datum.knee").mark_point(
            **SILENT, shape="circle", size=300, color=INK, strokeWidth=1.5, clip=True
        ),
    ]


def _marks(x: Any, y: Any, measures: Sequence[Measure]) -> list[Chart]:
    """Draw the names of the baselines and the knee, the best point under the caps, the moving and the selected
    point.
    """
    words: dict[str, Any] = {**SILENT, **BESIDE, "color": INK, "fontSize": 12, "baseline": "middle", "clip": True}
    ring: dict[str, Any] = {**SILENT, "color": INK, "opacity": 1, "clip": True}
    best, moving = draw_rows("best", x, y), draw_rows("moving", x, y)
    guide: dict[str, Any] = {**SILENT, "color": INK, "strokeDash": [1, 3], "opacity": 0.6, "clip": True}
    return [
        draw_rows("names", x, y).mark_text(**words).encode(alt.Text("name:N")),
        best.mark_point(**ring, shape="square", size=420, strokeWidth=1.5),
        best.mark_text(**words).encode(alt.Text("name:N")),
        moving.mark_rule(**guide).encode(y2=alt.Y2Value(alt.expr("height"))),
        moving.mark_rule(**guide).encode(x2=alt.X2Value(0)),
        moving.transform_filter("!datum.nearly")
        .mark_point(shape="diamond", filled=True, size=230, color=INK, opacity=1, clip=True)
        .encode(SAID, tooltip=_hover(measures)),
        moving.transform_filter("datum.nearly")
        .mark_point(shape="diamond", filled=False, size=230, color=INK, strokeWidth=1.5, opacity=0.7, clip=True)
        .encode(SAID),
        moving.mark_text(**words, fontWeight="bold").encode(alt.Text("name:N")),
        draw_rows("chosen", x, y).mark_point(**ring, shape="circle", size=230, strokeWidth=3),
    ]  # fmt: skip


def _cursor(x: Any, y: Any) -> Chart:
    """Draw the position of the keyboard cursor of a live chart."""
    ring: dict[str, Any] = {"shape": "circle", "size": 380, "color": INK, "strokeWidth": 2, "strokeDash": [3, 2]}
    return draw_rows("cursor", x, y).mark_point(**SILENT, **ring, opacity=1, clip=True)


def _title(scene: Scene) -> alt.Title:
    """Return the title: the number of efficient points, and notes on missing points and comparability."""
    frontier, notes = scene.frontier, []
    if scene.pinned is not None and (why := describe_difference(frontier, scene.pinned)):
        notes += [
            "the pinned points are from other data, roles or hierarchies: their losses are not comparable",
            f"({why})",
        ]
    if missing := describe_missing(frontier):
        notes.append(f"{missing}: undefined on one of the axes")
    if not frontier.complete:
        notes.append("the sweep was cancelled: points are missing")
    return alt.Title(headline(frontier), subtitle=notes or alt.Undefined)


def headline(frontier: Frontier, efficient_are: str = "filled", dominated_are: str = "hollow") -> str:
    """Describe how many points are efficient and dominated."""
    lost = np.isnan(frontier.losses()).any(axis=1)
    standing, placed = int(efficient(frontier).sum()), int((frontier.recommendable & ~lost).sum())
    many = int(frontier.recommendable.sum())
    return f"{many} points: {standing} efficient ({efficient_are}), {placed - standing} dominated ({dominated_are})"


def describe_missing(frontier: Frontier) -> str:
    """Describe how many points have no value on an axis; baselines are counted separately."""
    lost = np.isnan(frontier.losses()).any(axis=1)
    own, ends = int((frontier.recommendable & lost).sum()), int((~frontier.recommendable & lost).sum())
    baselines = f"{ends} baseline{'s' if ends > 1 else ''}"
    if not own:
        return f"{baselines} left out" if ends else ""
    return f"{own} left out, and {baselines}" if ends else f"{own} left out"


def describe_difference(own: Frontier, other: Frontier) -> str:
    """Describe the first baseline with different values in the two frontiers; empty if all agree.

    The losses of the recipes that keep everything or remove all quasi-identifiers differ only if data, roles or
    hierarchies differ. The losses then refer to different attackers and populations.
    """
    theirs = {recipe_text(point.recipe): point for point in _baselines(other)}
    shared = [m.key for m in own.measures if any(m == measure for measure in other.measures)]
    for point in _baselines(own):
        twin = theirs.get(recipe_text(point.recipe))
        for key in shared if twin else ():
            own_value, pinned_value = (one.values.get(key, math.nan) for one in (point, twin) if one)
            known = not (math.isnan(own_value) or math.isnan(pinned_value))
            if known and not math.isclose(own_value, pinned_value, rel_tol=SAME, abs_tol=SAME):
                ours, pinned = (format_number(value) for value in (own_value, pinned_value))
                return f"{baseline_label(recipe_text(point.recipe))}: {key} {ours}, pinned {pinned}"
    return ""


def _baselines(frontier: Frontier) -> list[Point]:
    return [point for point in frontier.measured if point.recipe.baseline]
