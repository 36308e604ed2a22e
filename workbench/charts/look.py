"""The common style of charts: hues and shapes of lines, titles, and the color of the page for everything neutral."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any
from zlib import crc32

import altair as alt

from workbench.measures import Measure

HUES = (  # without yellow, which is invisible on white; two more than Okabe and Ito's, so that each model has its own
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#7A4FBF", "#8C5A2B",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = ((1, 0), (7, 3), (2, 3), (10, 3, 2, 3))  # patterns of lines that share a hue
HOMES = (  # models in the order of their hues, independent of the drawn lines
    "k-anonymity", "l-diversity", "t-closeness", "delta-disclosure", "beta-likeness", "(alpha,k)-anonymity",
    "recursive (c,l)-diversity", "entropy l-diversity", "distinct l-diversity",
)  # fmt: skip
INK = "currentColor"
SILENT: dict[str, Any] = {"aria": False}  # for marks that repeat the content of others
PINNED = "pinned: "
HEAD = 7  # characters per line of a measure's key if axes are close to each other
PALE = 0.5  # opacity of a pinned line


def line_numbers(lines: Sequence[str], before: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return a number per line, which selects its shape among the lines of its model; lines keep their previous
    numbers, and a pinned line shares the number of the line with the same name.
    """
    names = {line.removeprefix(PINNED) for line in lines}
    found = {line: number for line, number in (before or {}).items() if line in names}
    for line in sorted(names - found.keys()):
        taken = {number for other, number in found.items() if _home(other) == _home(line)}
        found[line] = next(number for number in count() if number not in taken)
    return {line: found[line.removeprefix(PINNED)] for line in lines}


def _home(line: str) -> int:
    """Return the hue index of a line's model; if k-anonymity is joined with another model, the other model's index."""
    parts = line.removeprefix(PINNED).split(" & ")
    own = next((part for part in parts if not part.startswith("k-anonymity")), parts[0])
    known = (n for n, name in enumerate(HOMES) if own == name or own.startswith((f"{name}, ", f"{name} (")))
    return next(known, crc32(re.split(r", | \(", own)[0].encode()) % len(HUES))


def hue(line: str) -> str:
    """Return the hue of a line by its model's name, identical in all charts; pale for a pinned line."""
    plain = HUES[_home(line)]
    if not line.startswith(PINNED):
        return plain
    red, green, blue = (int(plain[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{PALE})"


def shape(line: str, number: int) -> str:
    """Return the shape of a line's points."""
    return SHAPES[(_home(line) + number) % len(SHAPES)]


def dash(number: int) -> tuple[int, ...]:
    """Return the dash pattern of a line, by its number among those of its model."""
    return DASHES[number % len(DASHES)]


def line_dashes(lines: Mapping[str, int]) -> alt.StrokeDash:
    """Return dash patterns by the name of the line."""
    scale = alt.Scale(domain=list(lines), range=[list(dash(number)) for number in lines.values()])
    return alt.StrokeDash("line:N", scale=scale, legend=None)


def line_channels(lines: Mapping[str, int], legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Return hue and shape with one common legend; a live chart has its legend outside."""
    names, short = list(lines), max(map(len, lines), default=0) < 45
    shown = alt.Legend(title=None, orient="bottom", columns=1 + short, labelLimit=600, symbolOpacity=1)
    hues = alt.Scale(domain=names, range=[hue(name) for name in names])
    shapes = alt.Scale(domain=names, range=[shape(name, number) for name, number in lines.items()])
    common: dict[str, Any] = {"legend": shown if legend else None}
    return alt.Color("line:N", scale=hues, **common), alt.Shape("line:N", scale=shapes, **common)


def measure_labels(keys: Sequence[str], below: Mapping[str, str], down: bool = False) -> tuple[str, int]:
    """Return an expression that labels an axis of measures, and its number of lines; long keys are wrapped if space is
    short.

    `below` is the text under each key; with `down` all labels end on the same line.
    """
    broken = {key: [*([key] if len(key) <= HEAD else textwrap.wrap(key, HEAD)), below[key]] for key in keys}
    high = max(map(len, broken.values()), default=1)
    versions = []
    for lines in (broken, {key: [key, below[key]] for key in keys}):
        filled = {key: [""] * (high - len(own) if down else 0) + own for key, own in lines.items()}
        versions.append(f"{json.dumps(filled, ensure_ascii=False)}[datum.label]")
    close = 7 * max(map(len, keys), default=1) + 8
    return f"width / {max(len(keys), 1)} < {close} ? {versions[0]} : {versions[1]}", high


def axis_title(measure: Measure, length: int) -> list[str]:
    """Return name, direction and unit as lines; a long name is wrapped."""
    better = "← lower is better" if measure.better == "lower" else "higher is better →"
    name, wide = f"{measure.name}, {measure.key}", max(length // 6, 20)
    first = [f"{name}   {better}"]
    if len(first[0]) > wide:
        first = [*textwrap.wrap(name, wide), better]
    return [*first, *textwrap.wrap(measure.unit, wide)]


class Chart(alt.Chart):
    """A chart that is used as a layer only: Altair copies layers repeatedly, and these are never changed, so copies
    share them.
    """

    def __deepcopy__(self, memo: object) -> Chart:
        return self.copy(deep=False)


def draw_rows(name: str, *channels: Any) -> Chart:
    """Return a chart of the rows with this name."""
    return Chart(alt.NamedData(name)).encode(*channels)


def finish_chart(
    drawn: Any,
    width: int,
    height: Any,
    title: alt.Title | None,
    description: str,
    rows: Mapping[str, Any] | None = None,
) -> alt.LayerChart:
    """Set size, title, description, the rows by name, and the colors of everything neutral.

    The layers are modified in place: Altair's own methods would copy all of them each time.
    """
    drawn.width, drawn.height = width, height
    if rows is not None:
        drawn.datasets = dict(rows)
    return style_chart(drawn, title, description)


def style_chart(drawn: Any, title: alt.Title | None, description: str) -> Any:
    """Set title, description and colors of a drawing; its size, or that of its panels, is already set."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK}
    drawn.description, drawn.background = description, "transparent"
    if title:
        drawn.title = title
    drawn.config = alt.Config(
        axis=alt.AxisConfig(
            **text, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.12, domainOpacity=0.6,
            tickOpacity=0.6, labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=10,
        ),
        legend=alt.LegendConfig(**text, labelFontSize=12, symbolSize=90, rowPadding=4),
        title=alt.TitleConfig(
            color=INK, subtitleColor=INK, anchor="start", fontSize=14, fontWeight="normal", offset=12
        ),
        view=alt.ViewConfig(stroke=None),
    )  # fmt: skip
    return drawn
