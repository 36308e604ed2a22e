"""A heat map of points and measures: each measure ranked by itself, lighter is better."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.charts.look import INK, finished
from workbench.charts.scene import Rows, Scene, efficient, said, words

if TYPE_CHECKING:
    from workbench.frontier import Frontier
    from workbench.measures import Measure
    from workbench.recipe import Point

MOST = 80  # rows that a person still reads
ROW = 20
UNDER_SLIDER = "under the slider ◆"  # one name for all recipes: the other rows stay where they are


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
    return alt.layer(
        *_cells("moving", x, y),
        *_cells("cells", x, y),
        alt.Chart(alt.NamedData("chosen")).encode(y).mark_rect(filled=False, stroke=INK, strokeWidth=2.5, opacity=1),
    )


def _cells(name: str, x: Any, y: Any) -> list[alt.Chart]:
    """Rank as colour, value as text."""
    cells = alt.Chart(alt.NamedData(name)).encode(x, y)
    color = alt.Color("good:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), legend=None)
    light, dark = alt.value("#111"), alt.value("#fff")
    ink = alt.when("datum.good === null").then(alt.value(INK)).when("datum.good > 0.45").then(light).otherwise(dark)
    tooltip = [alt.Tooltip("recipe:N"), alt.Tooltip("measure:N"), alt.Tooltip("text:N", title="value")]
    return [
        cells.transform_filter("datum.good !== null").mark_rect().encode(color, tooltip=tooltip),
        cells.mark_text(fontSize=11, baseline="middle").encode(alt.Text("text:N"), color=ink, tooltip=tooltip),
    ]


def heat_rows(scene: Scene, most: int = MOST) -> dict[str, Rows]:
    """A cell a point and measure."""
    frontier, ranks = scene.frontier, _Ranks(scene.frontier)
    cells = [cell for i, row in _named(scene, most) for cell in ranks.cells(frontier.measured[i], i, row)]
    return {"cells": cells, **heat_marks(scene, most)}


def heat_marks(scene: Scene, most: int = MOST) -> dict[str, Rows]:
    """The selected row, and the one of the point under the slider: above the others."""
    moving = [] if scene.moving is None else _Ranks(scene.frontier).cells(scene.moving, -1, UNDER_SLIDER)
    return {"chosen": [{"row": row} for i, row in _named(scene, most) if i == scene.selected], "moving": moving}


def _named(scene: Scene, most: int) -> list[tuple[int, str]]:
    """The points that are drawn and what their rows are called; the selected one is always among them."""
    frontier, stands = scene.frontier, efficient(scene.frontier)
    labels, order = _labels(frontier.measured), [int(i) for i in _order(frontier, stands)]
    drawn = order[:most] + [i for i in order[most:] if i == scene.selected]
    return [(i, f"{labels[i]} {_sign(frontier, i, stands)}") for i in drawn]


class _Ranks:
    """Each measure's values in order, to rank any point among them."""

    def __init__(self, frontier: Frontier) -> None:
        self.measures, self.sign = frontier.measures, frontier.sign
        keys = [measure.key for measure in self.measures]
        self.losses = [np.sort(column[~np.isnan(column)]) for column in frontier.losses(keys).T]

    def cells(self, point: Point, i: int, row: str) -> Rows:
        """One row of the heat map."""
        found = []
        for measure, losses in zip(self.measures, self.losses, strict=True):
            value = point.values.get(measure.key, math.nan)
            found.append({
                "i": i, "row": row, "measure": measure.key, "recipe": words(point.recipe),
                "text": "–" if math.isnan(value) else said(value),
                "good": None if math.isnan(value) else _share_beaten(losses, self.sign(measure.key) * value),
            })  # fmt: skip
        return found


def _share_beaten(losses: np.ndarray, own: float) -> float:
    """The share of the others that lose more; those that lose the same count half."""
    left, right = int(np.searchsorted(losses, own)), int(np.searchsorted(losses, own, side="right"))
    beaten = len(losses) - right + max(right - left - 1, 0) / 2
    return min(beaten / max(len(losses) - 1, 1), 1.0)


def _order(frontier: Frontier, stands: np.ndarray) -> np.ndarray:
    """Efficient points first, baselines last, the most private first; the undefined ones after the others."""
    losses = np.nan_to_num(frontier.losses(), nan=math.inf)
    return np.lexsort((losses[:, 1], losses[:, 0], ~stands, ~frontier.recommendable))


def _labels(points: Sequence[Point]) -> list[str]:
    """The recipes; the seed is said where it tells two of them apart."""
    seen = Counter(words(point.recipe) for point in points)
    names = [
        f"{words(p.recipe)}, seed {p.recipe.seed}" if seen[words(p.recipe)] > 1 else words(p.recipe) for p in points
    ]
    again = Counter(names)
    return [f"{name} [{i}]" if again[name] > 1 else name for i, name in enumerate(names)]


def _sign(frontier: Frontier, i: int, stands: np.ndarray) -> str:
    return "×" if frontier.measured[i].recipe.baseline else "●" if stands[i] else "○"


def heat_spoken(scene: Scene) -> str:
    """The chart in words."""
    keys = ", ".join(measure.key for measure in scene.frontier.measures)
    return (
        f"Heat map of {len(scene.frontier.measured)} points on {keys}, ranked within each measure; lighter is better."
    )
