"""What all charts look like: hues and shapes of the lines, titles, the colour of the page for everything neutral."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import altair as alt

from workbench.measures import Measure

HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")  # the yellow is lost on white
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
HOMES = {  # the number of a model's first line in every chart, whatever else is drawn and in which order
    "k-anonymity": 0, "l-diversity": 1, "t-closeness": 2, "delta-disclosure": 3, "beta-likeness": 4,
    "(alpha,k)-anonymity": 5, "recursive (c,l)-diversity": 6,
}  # fmt: skip
INK = "currentColor"
SILENT: dict[str, Any] = {"aria": False}  # a mark that repeats what another says
PINNED = "pinned: "
HEAD = 7  # letters of a measure's key in one line, where measures lie close
PALE = 0.5  # how much of its hue a pinned line keeps


def numbers(lines: Iterable[str], before: Mapping[str, int] | None = None) -> dict[str, int]:
    """A number a line, which gives it hue and shape, whatever their order; a line keeps the number it had before.

    The first line of a model has the model's own number, the others what is free.
    """
    names = list(dict.fromkeys(lines))
    found = {line: before[line] for line in names if line in before} if before else {}
    fresh = sorted(line for line in names if line not in found)
    for line in fresh:
        home = _home(line)
        if home is not None and home not in found.values():
            found[line] = home
    for line in fresh:
        if line not in found:
            found[line] = next(number for number in count() if number not in found.values())
    return {line: found[line] for line in names}


def _home(line: str) -> int | None:
    """The own number of the model that a line is of."""
    return next((n for name, n in HOMES.items() if line.startswith((f"{name}, ", f"{name} ("))), None)


def hue(number: int, pale: bool = False) -> str:
    """The hue of a line."""
    plain = HUES[number % len(HUES)]
    if not pale:
        return plain
    red, green, blue = (int(plain[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{PALE})"


def shape(number: int) -> str:
    """The shape of a line's points."""
    return SHAPES[number % len(SHAPES)]


def line_scales(lines: Mapping[str, int]) -> tuple[alt.Scale, alt.Scale]:
    """Hue and shape by the name of the line."""
    names = list(lines)
    hues = [hue(lines[name], name.startswith(PINNED)) for name in names]
    return alt.Scale(domain=names, range=hues), alt.Scale(domain=names, range=[shape(lines[name]) for name in names])


def line_channels(lines: Mapping[str, int], legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Hue and shape, with one legend for both; a live chart has its legend beside it."""
    color, shapes = line_scales(lines)
    short = max(map(len, lines), default=0) < 45
    shown = alt.Legend(title=None, orient="bottom", columns=1 + short, labelLimit=600, symbolOpacity=1)
    said = shown if legend else None
    return alt.Color("line:N", scale=color, legend=said), alt.Shape("line:N", scale=shapes, legend=said)


def heads(keys: Sequence[str], below: Mapping[str, str], down: bool = False) -> tuple[str, int]:
    """What labels an axis of measures, as an expression, and its lines: long keys are broken where they lie close.

    `below` is said under each key; with `down` all end on the same line.
    """
    broken = {key: [*([key] if len(key) <= HEAD else textwrap.wrap(key, HEAD)), below[key]] for key in keys}
    high = max(map(len, broken.values()), default=1)
    said = []
    for lines in (broken, {key: [key, below[key]] for key in keys}):
        filled = {key: [""] * (high - len(own) if down else 0) + own for key, own in lines.items()}
        said.append(f"{json.dumps(filled, ensure_ascii=False)}[datum.label]")
    close = 7 * max(map(len, keys), default=1) + 8
    return f"width / {max(len(keys), 1)} < {close} ? {said[0]} : {said[1]}", high


def axis_title(measure: Measure, length: int) -> list[str]:
    """Name, which way is better, and the unit below."""
    better = "← lower is better" if measure.better == "lower" else "higher is better →"
    return [f"{measure.name}, {measure.key}   {better}", *textwrap.wrap(measure.unit, max(length // 6, 20))]


def finished(drawn: Any, width: int, height: Any, title: alt.Title | None, description: str) -> alt.LayerChart:
    """Size, title and words for those who cannot see it; everything neutral in the colour of the page."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK}
    titled: dict[str, Any] = {"title": title} if title else {}
    return (
        drawn.properties(width=width, height=height, **titled, description=description, background="transparent")
        .configure_axis(**text, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.12, domainOpacity=0.6,
                        tickOpacity=0.6, labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=10)
        .configure_legend(**text, labelFontSize=12, symbolSize=90, rowPadding=4)
        .configure_title(color=INK, subtitleColor=INK, anchor="start", fontSize=14, fontWeight="normal", offset=12)
        .configure_view(stroke=None)
    )  # fmt: skip
