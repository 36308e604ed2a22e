"""A heat map of points and measures: each measure ranked by itself, lighter is better."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.base.figures import rounded
from workbench.charts.look import INK, SILENT, Chart, finished, heads
from workbench.charts.scene import Rows, Scene, efficient, in_short, said, words

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point, Recipe
    from workbench.measures import Measure

MOST = 80  # rows that a person still reads
ROW = 20
NAME = 340  # pixels of a row's name, at most
LETTERS, TAIL = 54, 12  # of a row's name, and of what tells it from others at least
SHORT = 6  # letters in a narrow cell
ROOMY = 56  # pixels of a cell in which any value has room
UNDER_SLIDER = "under the slider ◆"  # one name for all recipes: the other rows stay where they are


def heat_chart(
    frontier: Frontier, width: int = 760, *, moving: Point | None = None, selected: int = -1, most: int = MOST
) -> alt.LayerChart:
    """Efficient points first, each kind by privacy; the colour is the rank within the measure, the text the value."""
    return heat_drawn(Scene(frontier, None, moving, {}, selected, (width, 0)), most)


def heat_drawn(scene: Scene, most: int = MOST) -> alt.LayerChart:
    """A scene as wide as it says, and as high as it has rows."""
    from workbench.charts.frontier import with_rows

    frontier, width = scene.frontier, scene.size[0]
    drawn = with_rows(heat_layers(frontier.measures), heat_rows(scene, most))
    own = len(frontier.measured)
    title = alt.Title(
        f"{min(own, most)} of {own} points, ranked within each measure: lighter is better",
        subtitle=f"● efficient on {' and '.join(frontier.axes)}   ○ dominated   × baseline   "
        "↓ lower, ↑ higher is better",
    )
    return finished(drawn, width, alt.Step(ROW), title, heat_spoken(scene))


def heat_layers(measures: Sequence[Measure]) -> Any:
    """The layers without rows."""
    keys = [measure.key for measure in measures]
    arrows = {measure.key: "↓" if measure.better == "lower" else "↑" for measure in measures}
    label, high = heads(keys, arrows, down=True)
    top = alt.Axis(
        orient="top", labelAngle=0, domain=False, ticks=False, labelExpr=label,
        labelFontSize=11, labelLineHeight=13, labelPadding=4 + 13 * (high - 1), labelOverlap=False,
        labelBaseline="bottom",
    )  # fmt: skip
    x = alt.X("measure:N", sort=None, scale=alt.Scale(domain=keys, padding=0.02), title=None, axis=top)
    left = alt.Axis(domain=False, ticks=False, labelLimit=NAME, labelFontSize=11, labelPadding=4, grid=False)
    y = alt.Y("row:N", sort=None, title=None, axis=left, scale=alt.Scale(padding=0.04))
    return alt.layer(
        *_cells("moving", x, y, len(keys)),
        *_cells("cells", x, y, len(keys)),
        Chart(alt.NamedData("chosen"))
        .encode(y)
        .mark_rect(**SILENT, filled=False, stroke=INK, strokeWidth=2.5, opacity=1),
    )


def _cells(name: str, x: Any, y: Any, columns: int) -> list[Chart]:
    """Rank as colour, value as text: with three figures where there is room."""
    cells = Chart(alt.NamedData(name)).encode(x, y)
    color = alt.Color("good:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), legend=None)
    light, dark = alt.value("#111"), alt.value("#fff")
    ink = alt.when("datum.good === null").then(alt.value(INK)).when("datum.good > 0.45").then(light).otherwise(dark)
    short, said = alt.expr(f"width / {columns} < {ROOMY} ? datum.brief : datum.text"), alt.Description("said:N")
    tooltip = [alt.Tooltip("recipe:N"), alt.Tooltip("measure:N"), alt.Tooltip("text:N", title="value")]
    return [
        cells.transform_filter("datum.good !== null").mark_rect().encode(color, said, tooltip=tooltip),
        cells.mark_text(**SILENT, fontSize=11, baseline="middle", text=short).encode(color=ink, tooltip=tooltip),
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
            value, recipe = point.values.get(measure.key, math.nan), words(point.recipe)
            found.append({
                "i": i, "row": row, "measure": measure.key, "recipe": recipe,
                "text": "–" if math.isnan(value) else said(value, measure.better),
                "brief": _brief(value, measure.better),
                "said": f"{recipe}: {measure.key} {said(value, measure.better)}",
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
    """The recipes in as few words as tell them apart: with what differs, then the seed, where they need it."""
    short = [in_short(point.recipe) for point in points]
    alike: dict[str, list[Recipe]] = {}
    for name, point in zip(short, points, strict=True):
        alike.setdefault(name, []).append(point.recipe)
    longer = [_apart(name, p.recipe, alike[name]) for name, p in zip(short, points, strict=True)]
    seen = Counter(longer)
    names = [
        f"{name}, seed {p.recipe.seed}" if seen[name] > 1 else name for p, name in zip(points, longer, strict=True)
    ]
    again = Counter(names)
    return [f"{name} [{i}]" if again[name] > 1 else name for i, name in enumerate(names)]


def _apart(short: str, recipe: Recipe, alike: Sequence[Recipe]) -> str:
    """A recipe with what tells it from those of the same name; where that is long, with the end of it."""
    every = [_pieces(one) for one in alike]
    own = [piece for j, piece in enumerate(_pieces(recipe)) if any(piece != other[j] for other in every)]
    told = ", ".join(filter(None, own))
    room = max(LETTERS - len(short) - 3, TAIL)
    if len(told) > room:
        told = "…" + told[-room:].partition(" ")[2]  # from where a word begins
    return f"{short} ({told})" if told else short


def _pieces(recipe: Recipe) -> list[str]:
    """The settings in words of each model, the method, and its settings."""
    one, parts = recipe.method, recipe.model.parts if recipe.model else ()
    return [*(part.line.removeprefix(part.name).lstrip(", ") for part in parts),
            one.name, str(one).removeprefix(one.name).lstrip(", ")]  # fmt: skip


def _brief(value: float, better: str = "") -> str:
    """A value in six letters or fewer, for a narrow cell.

    >>> [_brief(value) for value in (0.00528, 0.000157, 45222.0, 1234567.0, 0.384, -0.00528)]
    ['0.0053', '1.6e-4', '45,222', '1.2M', '0.384', '-5e-3']
    """
    text = (
        "–" if math.isnan(value) else "∞" if value == math.inf else "-∞" if value == -math.inf else said(value, better)
    )
    if len(text) <= SHORT:
        return text
    for scale, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= scale:
            digits = 2 if abs(value) < 9.95 * scale else 3
            return f"{rounded(value / scale, better, digits):.{int(digits == 2)}f}{letter}"
    two, one = (rounded(value, better, digits) for digits in (2, 1))
    texts = (f"{two:.2g}", *(re.sub(r"e-0*", "e-", f"{shown:.{n}e}") for shown, n in ((two, 1), (one, 0))))
    return next((text for text in texts if len(text) <= SHORT and "e-0" not in text), texts[-1])


def _sign(frontier: Frontier, i: int, stands: np.ndarray) -> str:
    return "×" if frontier.measured[i].recipe.baseline else "●" if stands[i] else "○"


def heat_spoken(scene: Scene) -> str:
    """The chart in words."""
    keys = ", ".join(measure.key for measure in scene.frontier.measures)
    return (
        f"Heat map of {len(scene.frontier.measured)} points on {keys}, ranked within each measure; lighter is better."
    )
