"""Original and release compared: bars of one column, and the change of each cell of two columns."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from workbench.base.figures import format_number, humanize_name
from workbench.charts.look import HUES, INK, SILENT, finish_chart
from workbench.releases.before_after import BeforeAfter, Cross

BAR, CELL, NAME = 22, 26, 190  # pixels: a value's two bars, a row of cells, the widest label
SUPPRESSED = "(suppressed)"
SIDES = ("before", "after")
Rows = list[dict[str, Any]]


def bars_chart(found: BeforeAfter, width: int = 560) -> alt.LayerChart:
    """Draw two bars per value: the original's records, and the records that the release suggests."""
    rows = bar_rows(found)
    side = alt.Color(
        "side:N", scale=alt.Scale(domain=SIDES, range=[HUES[6], HUES[0]]),
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )  # fmt: skip
    tip = [
        alt.Tooltip("label:N", title=humanize_name(found.column)),
        alt.Tooltip("side:N"),
        alt.Tooltip("said:N", title="records"),
    ]
    bars = (
        alt.Chart(alt.Data(values=rows))
        .encode(
            alt.X("records:Q", title="records", axis=alt.Axis(tickCount=5, format=",.0f")),
            alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=NAME, ticks=False, grid=False)),
            yOffset=alt.YOffset("side:N", sort=list(SIDES)), color=side, tooltip=tip,
        )
        .mark_bar()
        .encode(alt.Description("spoken:N"))
    )  # fmt: skip
    count = len(found.labels) + bool(found.suppressed)
    return finish_chart(
        alt.layer(bars),
        width,
        BAR * count,
        None,
        f"{humanize_name(found.column)}: records of each value, before and after",
    )


def bar_rows(found: BeforeAfter) -> Rows:
    """Return a row per bar; suppressed records have one after only."""
    values = [("before", found.before), *([("after", found.after)] if found.after is not None else [])]
    rows = [
        _bar(label, side, count) for side, counts in values for label, count in zip(found.labels, counts, strict=True)
    ]
    return rows + ([_bar(SUPPRESSED, "after", found.suppressed)] if found.suppressed else [])


def _bar(label: str, side: str, count: float) -> dict[str, Any]:
    shown = format_number(round(float(count), 1))
    return {"label": label, "side": side, "records": float(count), "said": shown, "spoken": f"{label}, {side}: {shown}"}


def cross_chart(found: Cross, width: int = 560) -> alt.LayerChart:
    """Draw the change of each cell, in percentage points of all records; the text is the expected number after."""
    rows = cross_rows(found)
    a, b = (humanize_name(name) for name in found.columns)
    most = max((abs(row["points"]) for row in rows), default=0) or 1
    cells = alt.Chart(alt.Data(values=rows)).encode(
        alt.X("column:N", sort=None, title=b, axis=alt.Axis(orient="top", labelAngle=-35, labelLimit=110, grid=False)),
        alt.Y("row:N", sort=None, title=a, axis=alt.Axis(labelLimit=NAME, grid=False, ticks=False)),
        tooltip=[alt.Tooltip("row:N", title=a), alt.Tooltip("column:N", title=b), *map("{}:N".format, SIDES)],
    )  # fmt: skip
    hue = alt.Color(
        "way:N", scale=alt.Scale(domain=["fewer", "as many", "more"], range=[HUES[0], HUES[6], HUES[1]]),
        legend=alt.Legend(title="after, records", orient="top", symbolType="square"),
    )  # fmt: skip
    strong = alt.Opacity("size:Q", scale=alt.Scale(domain=[0, most], range=[0.04, 0.85]), legend=None)
    drawn = alt.layer(
        cells.mark_rect().encode(hue, strong, alt.Description("spoken:N")),
        cells.mark_text(**SILENT, fontSize=11, color=INK, baseline="middle").encode(alt.Text("short:N")),
    )
    return finish_chart(
        drawn, width, CELL * len(found.labels[0]), None, f"{a} by {b}: how the records of each cell change"
    )


def cross_rows(found: Cross) -> Rows:
    """Return a row per cell."""
    p, q = (counts / max(counts.sum(), 1) for counts in (found.before, found.after))
    rows = []
    for i, row in enumerate(found.labels[0]):
        for j, column in enumerate(found.labels[1]):
            points = round(100 * float(q[i, j] - p[i, j]), 6)
            before, after = (format_number(round(float(counts[i, j]), 1)) for counts in (found.before, found.after))
            way = "more" if points > 0 else "fewer" if points < 0 else "as many"
            rows.append({
                "row": row, "column": column, "before": before, "after": after, "points": points, "size": abs(points),
                "way": way, "short": f"{np.round(found.after[i, j]):,.0f}",
                "spoken": f"{row}, {column}: {before} before, {after} after",
            })  # fmt: skip
    return rows
