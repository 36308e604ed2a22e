"""What all charts look like: hues and shapes of the lines, titles, the colour of the page for everything neutral."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any
from zlib import crc32

import altair as alt

from workbench.measures import Measure

HUES = (  # the yellow is lost on white; two more than Okabe and Ito's, so that every model has its own
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#7A4FBF", "#8C5A2B",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
DASHES = ((1, 0), (7, 3), (2, 3), (10, 3, 2, 3))  # of lines that share a hue
HOMES = (  # the models in the order of their hues, whatever else is drawn and in which order
    "k-anonymity", "l-diversity", "t-closeness", "delta-disclosure", "beta-likeness", "(alpha,k)-anonymity",
    "recursive (c,l)-diversity", "entropy l-diversity", "distinct l-diversity",
)  # fmt: skip
INK = "currentColor"
SILENT: dict[str, Any] = {"aria": False}  # a mark that repeats what another says
PINNED = "pinned: "
HEAD = 7  # letters of a measure's key in one line, where measures lie close
PALE = 0.5  # how much of its hue a pinned line keeps


def numbers(lines: Iterable[str], before: Mapping[str, int] | None = None) -> dict[str, int]:
    """A number a line, which gives it its shape among the lines of its model; a line keeps the number it had before."""
    names = list(dict.fromkeys(lines))
    found = {line: before[line] for line in names if line in before} if before else {}
    for line in sorted(line for line in names if line not in found):
        taken = {number for other, number in found.items() if _home(other) == _home(line)}
        found[line] = next(number for number in count() if number not in taken)
    return {line: found[line] for line in names}


def _home(line: str) -> int:
    """The number of the hue of a line's model, perhaps of another's too; k-anonymity joined to a model is a floor."""
    parts = line.removeprefix(PINNED).split(" & ")
    own = next((part for part in parts if not part.startswith("k-anonymity")), parts[0])
    known = (n for n, name in enumerate(HOMES) if own == name or own.startswith((f"{name}, ", f"{name} (")))
    return next(known, crc32(re.split(r", | \(", own)[0].encode()) % len(HUES))


def hue(line: str) -> str:
    """The hue of a line, by its model's name: the same in every chart, opened whenever; a pinned one's is pale."""
    plain = HUES[_home(line)]
    if not line.startswith(PINNED):
        return plain
    red, green, blue = (int(plain[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{PALE})"


def shape(line: str, number: int) -> str:
    """The shape of a line's points."""
    return SHAPES[(_home(line) + number) % len(SHAPES)]


def dash(number: int) -> tuple[int, ...]:
    """The strokes and gaps of a line, by its number among those of its model."""
    return DASHES[number % len(DASHES)]


def line_dashes(lines: Mapping[str, int]) -> alt.StrokeDash:
    """Strokes and gaps by the name of the line."""
    scale = alt.Scale(domain=list(lines), range=[list(dash(number)) for number in lines.values()])
    return alt.StrokeDash("line:N", scale=scale, legend=None)


def line_scales(lines: Mapping[str, int]) -> tuple[alt.Scale, alt.Scale]:
    """Hue and shape by the name of the line."""
    names, shapes = list(lines), [shape(name, number) for name, number in lines.items()]
    return alt.Scale(domain=names, range=[hue(name) for name in names]), alt.Scale(domain=names, range=shapes)


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
    """Name, which way is better, and the unit below; a long name is broken, so that its end is seen."""
    better = "← lower is better" if measure.better == "lower" else "higher is better →"
    name, wide = f"{measure.name}, {measure.key}", max(length // 6, 20)
    first = [f"{name}   {better}"]
    if len(first[0]) > wide:
        first = [*textwrap.wrap(name, wide), better]
    return [*first, *textwrap.wrap(measure.unit, wide)]


class Chart(alt.Chart):
    """A chart that is a layer and nothing else: Altair copies all of a layer again and again, and here what is in it
    is changed by nobody, so its copies share it."""

    def __deepcopy__(self, memo: object) -> Chart:
        return self.copy(deep=False)


def finished(drawn: Any, width: int, height: Any, title: alt.Title | None, description: str) -> alt.LayerChart:
    """Size, title and words for those who cannot see it; everything neutral in the colour of the page.

    The drawing itself is finished: Altair's own methods would copy all of its layers each time.
    """
    drawn.width, drawn.height = width, height
    return neutral(drawn, title, description)


def neutral(drawn: Any, title: alt.Title | None, description: str) -> Any:
    """The same for a drawing that has its size, or whose panels have theirs."""
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
