"""What all charts look like: hues and shapes of the lines, titles, the colour of the page for everything neutral."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

import altair as alt

from workbench.measures import Measure

HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")  # the yellow is lost on white
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
INK = "currentColor"
PINNED = "pinned: "
PALE = 0.5  # how much of its hue a pinned line keeps


def numbers(lines: Iterable[str], before: Mapping[str, int] | None = None) -> dict[str, int]:
    """A number a line, which gives it hue and shape; a line keeps the number it had before."""
    names = list(dict.fromkeys(lines))
    kept = {line: before[line] for line in names if line in before} if before else {}
    free = (number for number in count() if number not in kept.values())
    return {line: kept[line] if line in kept else next(free) for line in names}


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
