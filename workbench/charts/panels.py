"""Side-by-side panels that plot the same lines against one column."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import altair as alt
import pandas as pd

from workbench.charts.look import HUES, SHAPES, style_chart

MANY_TICKS = 6


def panels_chart(
    frame: pd.DataFrame,
    x: str,
    line: str,
    panels: Mapping[str, str],
    title: str,
    *,
    log: Collection[str] = (),
    width: int = 250,
    height: int = 250,
) -> alt.HConcatChart:
    """Draw a panel for each column of `panels`.

    Parameters
    ----------
    frame
        The figures.
    x
        The column on the horizontal axis.
    line
        The column that names each row's line.
    panels
        Titles of the panels, by the column that they show.
    title
        Title of the whole chart.
    log
        Columns with logarithmic axes; if such a column contains 0, its axis starts there.
    width, height
        Size of a panel in pixels.
    """
    names = list(dict.fromkeys(frame[line]))
    legend = alt.Legend(title=None, orient="bottom", columns=min(len(names), 4), symbolOpacity=1, labelLimit=400)
    hues, shapes = ([among[i % len(among)] for i in range(len(names))] for among in (HUES, SHAPES))
    color = alt.Color(f"{line}:N", scale=alt.Scale(domain=names, range=hues), legend=legend)
    shape = alt.Shape(f"{line}:N", scale=alt.Scale(domain=names, range=shapes), legend=legend)
    across = alt.X(f"{x}:Q", title=x, **_scaled(frame[x], x in log))
    drawn = []
    for name, head in panels.items():
        up = alt.Y(f"{name}:Q", title=None, **_scaled(frame[name], name in log))
        tooltip = [alt.Tooltip(f"{line}:N"), alt.Tooltip(f"{x}:Q"), alt.Tooltip(f"{name}:Q", format=".3~g", title=head)]
        base = alt.Chart(alt.NamedData("figures")).encode(across, up, color, tooltip=tooltip)
        marks = [base.mark_line(aria=False), base.mark_point(filled=True, size=50, opacity=1).encode(shape)]
        panel = alt.Title(head, anchor="start", fontSize=12)
        drawn.append(alt.layer(*marks).properties(width=width, height=height, title=panel))
    rows = frame[[x, line, *panels]].to_dict("records")
    whole = alt.hconcat(*drawn, datasets={"figures": rows}, spacing=30)
    return style_chart(whole, alt.Title(title), f"{title}: {', '.join(panels.values())}. Lines: {', '.join(names)}.")


def _scaled(values: pd.Series, log: bool) -> dict[str, Any]:
    """Return the scale and the axis of a column."""
    above = values[values > 0]
    if not log or above.empty:
        return {"scale": alt.Scale(), "axis": alt.Axis(tickCount=MANY_TICKS)}
    first, last = math.floor(math.log10(above.min())), math.ceil(math.log10(above.max()))
    last = max(last, first + 1)
    powers = range(last, first - 1, -max(1, round((last - first) / MANY_TICKS)))
    ticks, zero = [10.0**power for power in powers], bool((values == 0).any())
    scale = alt.Scale(type="symlog", constant=10.0**first / 3) if zero else alt.Scale(type="log")
    scale.domain = [0 if zero else 10.0**first, 10.0**last]
    return {"scale": scale, "axis": alt.Axis(values=[*ticks, *([0] if zero else [])], format=",~r")}
