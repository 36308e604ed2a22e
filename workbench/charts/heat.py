"""A heat map of points and measures: each measure ranked by itself, lighter is better."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.charts.look import INK, finished
from workbench.charts.scene import Rows, Scene, said

if TYPE_CHECKING:
    from workbench.frontier import Frontier
    from workbench.measures import Measure
    from workbench.recipe import Point

MOST = 80  # rows that a person still reads
ROW = 20


def heat_chart(
    frontier: Frontier, width: int = 760, *, moving: Point | None = None, selected: int = -1, most: int = MOST
) -> alt.LayerChart:
    """Efficient points first, each kind by privacy; the colour is the rank within the measure, the text the value."""
    from workbench.charts.frontier import with_rows

    scene = Scene(frontier, None, moving, {}, selected)
    drawn = with_rows(heat_layers(frontier.measures), heat_rows(scene, most))
    own = len(frontier.measured)
    title = alt.Title(
        f"{min(own, most)} of {own} points, ranked within each measure: lighter is better",
        subtitle=f"● efficient on {' and '.join(frontier.axes)}   ○ beaten   × baseline   ↓ lower, ↑ higher is better",
    )
    return finished(drawn, width, alt.Step(ROW), title, heat_spoken(scene))


def heat_layers(measures: Sequence[Measure]) -> Any:
    """The layers without rows."""
    arrows = {measure.key: "↓" if measure.better == "lower" else "↑" for measure in measures}
    top = alt.Axis(
        orient="top", labelAngle=0, domain=False, ticks=False, labelExpr=f"datum.label + ' ' + {arrows}[datum.label]"
    )
    keys = [measure.key for measure in measures]
    x = alt.X("measure:N", sort=None, scale=alt.Scale(domain=keys, padding=0.02), title=None, axis=top)
    left = alt.Axis(domain=False, ticks=False, labelLimit=alt.expr("max(120, min(360, width * 0.5))"), grid=False)
    y = alt.Y("row:N", sort=None, title=None, axis=left, scale=alt.Scale(padding=0.04))
    scale = alt.Scale(scheme="cividis", domain=[0, 1])
    cells = alt.Chart(alt.NamedData("cells")).encode(x, y)
    light, dark = alt.value("#111"), alt.value("#fff")
    ink = alt.when("datum.good === null").then(alt.value(INK)).when("datum.good > 0.45").then(light).otherwise(dark)
    tooltip = [alt.Tooltip("recipe:N"), alt.Tooltip("measure:N"), alt.Tooltip("text:N", title="value")]
    return alt.layer(
        cells.transform_filter("datum.good !== null").mark_rect()
        .encode(alt.Color("good:Q", scale=scale, legend=None), tooltip=tooltip),
        cells.mark_text(fontSize=11, baseline="middle").encode(alt.Text("text:N"), color=ink, tooltip=tooltip),
        alt.Chart(alt.NamedData("chosen")).encode(y)
        .mark_rect(filled=False, stroke=INK, strokeWidth=2.5, opacity=1),
    )  # fmt: skip


def heat_rows(scene: Scene, most: int = MOST) -> dict[str, Rows]:
    """A cell a point and measure; the point under the slider comes first."""
    frontier = scene.frontier
    points: list[Point] = list(frontier.measured) + ([scene.moving] if scene.moving else [])
    ranks = _goodness(frontier, points)
    efficient, labels = frontier.is_efficient(), _labels(frontier.measured)
    order = _order(frontier, efficient)[:most]
    named = [(int(i), f"{labels[int(i)]} {_sign(frontier, int(i), efficient)}") for i in order]
    if scene.moving:
        named.insert(0, (len(points) - 1, f"{scene.moving.recipe} ◆"))
    cells = []
    for i, row in named:
        for j, measure in enumerate(frontier.measures):
            value = points[i].values.get(measure.key, math.nan)
            cells.append({
                "i": i if i < len(frontier.measured) else -1, "row": row, "measure": measure.key,
                "recipe": str(points[i].recipe), "text": "–" if math.isnan(value) else said(value),
                "good": None if math.isnan(ranks[i, j]) else float(ranks[i, j]),
            })  # fmt: skip
    chosen = [{"row": row} for i, row in named if i == scene.selected]
    return {"cells": cells, "chosen": chosen}


def _goodness(frontier: Frontier, points: Sequence[Point]) -> np.ndarray:
    """Points x measures: the share of the other points that one is at least as good as; NaN where undefined."""
    signs = np.array([frontier.sign(measure.key) for measure in frontier.measures])
    values = np.array([[point.values.get(m.key, math.nan) for m in frontier.measures] for point in points])
    losses = signs * values.reshape(len(points), len(signs))
    ranks = np.full(losses.shape, math.nan)
    for j, column in enumerate(losses.T):
        known = np.flatnonzero(~np.isnan(column))
        ascending = np.sort(column[known])
        worse = len(known) - np.searchsorted(ascending, column[known], side="right")
        equal = np.searchsorted(ascending, column[known], side="right") - np.searchsorted(ascending, column[known])
        ranks[known, j] = (worse + (equal - 1) / 2) / max(len(known) - 1, 1)
    return ranks


def _order(frontier: Frontier, efficient: np.ndarray) -> np.ndarray:
    """Efficient points first, baselines last, the most private first; the undefined ones after the others."""
    losses = np.nan_to_num(frontier.losses(), nan=math.inf)
    return np.lexsort((losses[:, 1], losses[:, 0], ~efficient, ~frontier.recommendable))


def _labels(points: Sequence[Point]) -> list[str]:
    """The recipes; the seed is said where it tells two of them apart."""
    seen = Counter(str(point.recipe) for point in points)
    names = [f"{p.recipe}, seed {p.recipe.seed}" if seen[str(p.recipe)] > 1 else str(p.recipe) for p in points]
    again = Counter(names)
    return [f"{name} [{i}]" if again[name] > 1 else name for i, name in enumerate(names)]


def _sign(frontier: Frontier, i: int, efficient: Any) -> str:
    return "×" if frontier.measured[i].recipe.baseline else "●" if efficient[i] else "○"


def heat_spoken(scene: Scene) -> str:
    """The chart in words."""
    keys = ", ".join(measure.key for measure in scene.frontier.measures)
    return (
        f"Heat map of {len(scene.frontier.measured)} points on {keys}, ranked within each measure; lighter is better."
    )
