"""Heat map of points and measures: each measure is ranked separately, lighter is better."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.base.figures import format_number
from workbench.charts.look import INK, SILENT, Chart, draw_rows, finish_chart, measure_labels
from workbench.charts.scene import Rows, Scene, efficient, recipe_text, short_recipe_text

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.recipe import Point, Recipe
    from workbench.measures import Measure

MOST = 80  # maximum number of readable rows
ROW = 20
NAME = 340  # maximum width of a row's name in pixels
LETTERS, TAIL = 54, 12  # maximum length of a row's name, minimum length of its distinguishing end
SHORT = 7  # characters in a narrow cell
ROOMY = 56  # minimum width in pixels of a cell that fits any value
UNDER_SLIDER = "under the slider ◆"  # one name for all recipes, so that the other rows do not move


def heat_chart(
    frontier: Frontier, width: int = 760, *, moving: Point | None = None, selected: int = -1, most: int = MOST
) -> alt.LayerChart:
    """Draw a heat map, efficient points first, sorted by privacy; color is the rank within the measure, text the value.

    Parameters
    ----------
    frontier
        The points.
    width
        Width in pixels.
    moving
        A point under a slider, as a row above the others.
    selected
        Index of the selected point in `frontier.measured`.
    most
        Maximum number of rows.
    """
    return draw_heat(Scene(frontier, None, moving, {}, selected, (width, 0)), most)


def draw_heat(scene: Scene, most: int = MOST) -> alt.LayerChart:
    """Draw a scene with its width and one row per point."""
    frontier, width = scene.frontier, scene.size[0]
    own = len(frontier.measured)
    title = alt.Title(
        f"{min(own, most)} of {own} points, ranked within each measure: lighter is better",
        subtitle=f"● efficient on {' and '.join(frontier.axes)}   ○ dominated   × baseline   "
        "↓ lower, ↑ higher is better",
    )
    return finish_chart(
        heat_layers(frontier.measures), width, alt.Step(ROW), title, describe_heat(scene), heat_rows(scene, most)
    )


def heat_layers(measures: Sequence[Measure]) -> Any:
    """Return the layers without data; the rows are added by name."""
    keys = [measure.key for measure in measures]
    arrows = {measure.key: "↓" if measure.better == "lower" else "↑" for measure in measures}
    label, high = measure_labels(keys, arrows, down=True)
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
        draw_rows("chosen", y).mark_rect(**SILENT, filled=False, stroke=INK, strokeWidth=2.5, opacity=1),
    )


def _cells(name: str, x: Any, y: Any, columns: int) -> list[Chart]:
    """Draw ranks as color and values as text, with three digits if there is space."""
    cells = draw_rows(name, x, y)
    color = alt.Color("good:Q", scale=alt.Scale(scheme="cividis", domain=[0, 1]), legend=None)
    light, dark = alt.value("#111"), alt.value("#fff")
    ink = alt.when("datum.good === null").then(alt.value(INK)).when("datum.good > 0.45").then(light).otherwise(dark)
    short, description = alt.expr(f"width / {columns} < {ROOMY} ? datum.brief : datum.text"), alt.Description("said:N")
    tooltip = [alt.Tooltip("recipe:N"), alt.Tooltip("measure:N"), alt.Tooltip("text:N", title="value")]
    return [
        cells.transform_filter("datum.good !== null").mark_rect().encode(color, description, tooltip=tooltip),
        cells.mark_text(**SILENT, fontSize=11, baseline="middle", text=short).encode(color=ink, tooltip=tooltip),
    ]


def heat_rows(scene: Scene, most: int = MOST) -> dict[str, Rows]:
    """Return a cell per point and measure."""
    frontier, ranks = scene.frontier, _Ranks(scene.frontier)
    cells = [cell for i, row in _named(scene, most) for cell in ranks.cells(frontier.measured[i], i, row)]
    return {"cells": cells, **heat_marks(scene, most)}


def heat_marks(scene: Scene, most: int = MOST) -> dict[str, Rows]:
    """Return the selected row, and that of the point under the slider, which is above the others."""
    moving = [] if scene.moving is None else _Ranks(scene.frontier).cells(scene.moving, -1, UNDER_SLIDER)
    return {"chosen": [{"row": row} for i, row in _named(scene, most) if i == scene.selected], "moving": moving}


def _named(scene: Scene, most: int) -> list[tuple[int, str]]:
    """Return the drawn points with the names of their rows; the selected one is always included."""
    frontier, stands = scene.frontier, efficient(scene.frontier)
    labels, order = _labels(frontier.measured), [int(i) for i in _order(frontier, stands)]
    drawn = order[:most] + [i for i in order[most:] if i == scene.selected]
    return [(i, f"{labels[i]} {_sign(frontier, i, stands)}") for i in drawn]


class _Ranks:
    """Sorted values of each measure, to rank any point among them."""

    def __init__(self, frontier: Frontier) -> None:
        self.measures, self.sign = frontier.measures, frontier.sign
        keys = [measure.key for measure in self.measures]
        self.losses = [np.sort(column[~np.isnan(column)]) for column in frontier.losses(keys).T]

    def cells(self, point: Point, i: int, row: str) -> Rows:
        """Return one row of the heat map."""
        found = []
        for measure, losses in zip(self.measures, self.losses, strict=True):
            value, recipe = point.values.get(measure.key, math.nan), recipe_text(point.recipe)
            found.append({
                "i": i, "row": row, "measure": measure.key, "recipe": recipe,
                "text": "–" if math.isnan(value) else format_number(value),
                "brief": _brief(value),
                "said": f"{recipe}: {measure.key} {format_number(value)}",
                "good": None if math.isnan(value) else _share_beaten(losses, self.sign(measure.key) * value),
            })  # fmt: skip
        return found


def _share_beaten(losses: np.ndarray, own: float) -> float:
    """Return the share of the others that lose more; ties count half."""
    left, right = int(np.searchsorted(losses, own)), int(np.searchsorted(losses, own, side="right"))
    beaten = len(losses) - right + max(right - left - 1, 0) / 2
    return min(beaten / max(len(losses) - 1, 1), 1.0)


def _order(frontier: Frontier, stands: np.ndarray) -> np.ndarray:
    """Return the order: efficient points, dominated ones, baselines, each by privacy; undefined ones last."""
    losses = np.nan_to_num(frontier.losses(), nan=math.inf)
    return np.lexsort((losses[:, 1], losses[:, 0], ~stands, ~frontier.recommendable))


def _labels(points: Sequence[Point]) -> list[str]:
    """Return short distinct labels of recipes: with differing settings and seeds only if needed."""
    short = [short_recipe_text(point.recipe) for point in points]
    alike: dict[str, list[Recipe]] = {}
    for name, point in zip(short, points, strict=True):
        alike.setdefault(name, []).append(point.recipe)
    longer = [_distinguish(name, p.recipe, alike[name]) for name, p in zip(short, points, strict=True)]
    seen = Counter(longer)
    names = [
        f"{name}, seed {p.recipe.seed}" if seen[name] > 1 else name for p, name in zip(points, longer, strict=True)
    ]
    again = Counter(names)
    return [f"{name} [{i}]" if again[name] > 1 else name for i, name in enumerate(names)]


def _distinguish(short: str, recipe: Recipe, alike: Sequence[Recipe]) -> str:
    """Return a recipe's label with the settings that distinguish it from others of this name, shortened at the
    start.
    """
    every = [_pieces(one) for one in alike]
    own = [piece for j, piece in enumerate(_pieces(recipe)) if any(piece != other[j] for other in every)]
    text = ", ".join(filter(None, own))
    room = max(LETTERS - len(short) - 3, TAIL)
    if len(text) > room:
        text = "…" + text[-room:].partition(" ")[2]  # from the beginning of a word
    return f"{short} ({text})" if text else short


def _pieces(recipe: Recipe) -> list[str]:
    """Return the settings of each model, the method, and its settings as texts."""
    one, parts = recipe.method, recipe.model.parts if recipe.model else ()
    return [*(part.line.removeprefix(part.name).lstrip(", ") for part in parts),
            one.name, str(one).removeprefix(one.name).lstrip(", ")]  # fmt: skip


def _brief(value: float) -> str:
    """Return a value in about seven characters, for a narrow cell, with its usual digits.

    >>> [_brief(value) for value in (0.00528, 0.000157, 45222.0, 1234567.0, 0.384, -0.00528)]
    ['0.00528', '.000157', '45,222', '1.23M', '0.384', '-.00528']
    """
    text = (
        "–" if math.isnan(value) else "∞" if value == math.inf else "-∞" if value == -math.inf else format_number(value)
    )
    if len(text) <= SHORT:
        return text
    for scale, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= scale:
            return f"{format_number(value / scale)}{letter}"
    return text.replace("0.", ".", 1)


def _sign(frontier: Frontier, i: int, stands: np.ndarray) -> str:
    return "×" if frontier.measured[i].recipe.baseline else "●" if stands[i] else "○"


def describe_heat(scene: Scene) -> str:
    """Describe the chart for screen readers."""
    keys = ", ".join(measure.key for measure in scene.frontier.measures)
    return (
        f"Heat map of {len(scene.frontier.measured)} points on {keys}, ranked within each measure; lighter is better."
    )
