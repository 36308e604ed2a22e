"""Charts of one release: losses of records and populations, errors of queries, and records before and after."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent, humanize_name
from workbench.charts.look import HUES, INK, SILENT, axis_title, finish_chart
from workbench.charts.scene import Rows
from workbench.measures import Measure, Measured
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.releases.base import Release
from workbench.releases.before_after import BeforeAfter, Cross
from workbench.releases.labels import run_label

BINS = 300
FEWEST = 10  # minimum number of records of a population on a chart
BAR, CELL, NAME = 22, 26, 190  # pixels: a value's two bars, a row of cells, the widest label
SUPPRESSED = "(suppressed)"
SIDES = ("before", "after")
ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # ends of the bars, identical for all releases
EXACT = 1e-9  # smaller relative errors are rounding errors
NONE = "none"


def loss_chart(release: Release, measure: Measure | None = None, width: int = 640, height: int = 260) -> alt.LayerChart:
    """Draw how many records lose at least each value; the mark shows where a full disclosure becomes possible.

    Parameters
    ----------
    release
        The release.
    measure
        A measure with losses per class; by default `PrivacyLoss`.
    width, height
        Size in pixels.
    """
    measure = measure or PrivacyLoss()
    measured = _measure_with_detail(measure, release, "loss", "sizes")
    loss, sizes = np.asarray(measured.detail["loss"], float), np.asarray(measured.detail["sizes"])
    thresholds, records = _count_exceeding(loss, sizes)
    values = [{"loss": x, "records": n, "share": n / records[0]} for x, n in zip(thresholds, records, strict=True)]
    start = measured.detail.get("possible_from")
    high = max(thresholds[-1], start or 0.0) or 1.0
    name, *unit = axis_title(measure, width)
    name = name.replace(measure.name, f"{measure.name} of {measured.detail['sensitive']}", 1)
    x = alt.X(
        "loss:Q", title=[name, *unit], scale=alt.Scale(domain=[0, high * 1.05], nice=False), axis=alt.Axis(tickCount=8)
    )
    layers = _steps(values, x)
    title = f"The largest loss is {format_number(thresholds[-1])}"
    if start is not None:
        title = f"{int(sizes[loss >= start].sum()):,} of {records[0]:,} records lose enough for a full disclosure"
        layers += _start(start, high, x)
    drawn = alt.layer(*layers, datasets={"steps": values})
    return finish_chart(drawn, width, height, alt.Title(title), f"{title}. {measured.sentence}")


def _steps(values: Rows, x: Any) -> list[alt.Chart]:
    """Draw the falling number of records on a logarithmic scale, because the few records with the largest losses
    matter.
    """
    records = values[0]["records"]
    scale = alt.Scale(type="log", domain=[1, records], nice=False)
    axis = alt.Axis(values=[10**i for i in range(int(math.log10(records)) + 1)])
    y = alt.Y("records:Q", title=["records that lose at least this", "(logarithmic)"], scale=scale, axis=axis)
    fields = [("loss:Q", ".3g"), ("records:Q", ","), ("share:Q", ".2%")]
    tooltip = [alt.Tooltip(name, format=spelled) for name, spelled in fields]
    steps = alt.Chart(alt.NamedData("steps")).encode(x, y)
    worst = alt.Chart(alt.Data(values=values[-1:])).encode(x, y, tooltip=tooltip)
    return [
        steps.mark_area(interpolate="step-before", color=HUES[0], opacity=0.25).encode(y2=alt.datum(1)),
        steps.mark_line(interpolate="step-before", color=HUES[0]).encode(tooltip=tooltip),
        worst.mark_point(filled=True, size=50, color=HUES[0], opacity=1),
    ]


def _count_exceeding(loss: np.ndarray, sizes: np.ndarray) -> tuple[list[float], list[int]]:
    """Return thresholds from 0 to the largest loss, and the number of records that lose at least each."""
    order = np.argsort(loss)
    ascending, below = loss[order], np.append(0, np.cumsum(sizes[order]))
    thresholds = np.unique(np.append(0.0, ascending))
    if len(thresholds) > BINS:
        thresholds = np.append(np.linspace(0, ascending[-1], BINS)[:-1], ascending[-1])
    first = np.searchsorted(ascending, thresholds)
    return thresholds.tolist(), (below[-1] - below[first]).tolist()


def _start(start: float, high: float, x: Any) -> list[alt.Chart]:
    """Mark the loss from which a full disclosure is possible."""
    at = alt.Chart(alt.Data(values=[{"loss": start}])).encode(x)
    left: dict[str, Any] = {"align": "right", "dx": -5} if start > high / 2 else {"align": "left", "dx": 5}
    text = f"full disclosure is possible from {format_number(start)}"
    return [
        at.mark_rule(color=HUES[1], strokeWidth=2, strokeDash=[6, 3]),
        at.mark_text(text=text, color=INK, baseline="top", y=4, **left),
    ]


def populations_chart(
    release: Release, measure: Measure | None = None, most: int = 20, width: int = 420
) -> alt.LayerChart:
    """Draw the large populations with the largest errors, the worst first.

    Parameters
    ----------
    release
        The release.
    measure
        A measure of populations; by default `UtilityLoss`.
    most
        Maximum number of populations.
    width
        Width in pixels.
    """
    measure = measure or UtilityLoss()
    if most < 1:
        raise BadInput(f"populations_chart: most = {most} must be at least 1")
    measured = _measure_with_detail(measure, release, "loss", "told", "truth", "runs", "support")
    rows = _hurt_most(release, measured, most)
    y = alt.Y("population:N", sort=[row["population"] for row in rows], title=None, axis=alt.Axis(labelLimit=420))
    tooltip = [alt.Tooltip("population:N"), alt.Tooltip("records:N"), alt.Tooltip("loss:Q", format=".3g"),
               alt.Tooltip("misjudged:N", title="most misjudged")]  # fmt: skip
    named = f"{measure.name} of the population, {measure.symbol}   ← lower is better"
    x = alt.X(
        "loss:Q",
        title=named,
        scale=alt.Scale(domain=[0, 1.1 * rows[0]["loss"] or 1.0], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    base = alt.Chart(alt.NamedData("populations")).encode(x, y, tooltip=tooltip)
    drawn = alt.layer(
        base.mark_bar(color=HUES[0], height=11),
        base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(text=alt.Text("loss:Q", format=".3g")),
        datasets={"populations": rows},
    )
    among, every = len(measured.detail["loss"]), measured.detail.get("every", 0)
    sample = f" drawn at random from {every:,}" if every > among else ""
    title = f"The {len(rows)} populations that are misjudged most, of {among:,}{sample}"
    return finish_chart(drawn, width, alt.Step(18), alt.Title(title), f"{title}. {measured.sentence}")


def _hurt_most(release: Release, measured: Measured, most: int) -> Rows:
    """Return the populations with the largest loss: a label, the number of records, and the value with the largest
    error.
    """
    table, detail = release.table, measured.detail
    labels, rows = table.sensitive[detail["sensitive"]].labels, []
    worst = np.argsort(-detail["loss"], kind="stable")
    worst = worst[detail["support"][worst] >= FEWEST]  # charts are passed on, so they show no small populations
    if not len(worst):
        raise Undefined(f"no population has {FEWEST} records or more, so none is drawn; see the measure's detail")
    for i in worst[:most]:
        estimated, truth = detail["told"][i], detail["truth"][i]
        v = int(np.abs(estimated - truth).argmax())
        rows.append(
            {
                "population": population_label(release, detail["runs"][i]),
                "records": f"{detail['support'][i]:,} ({format_percent(detail['support'][i] / table.records)})",
                "loss": float(detail["loss"][i]),
                "misjudged": f"{labels[v]}: {format_percent(truth[v])} in truth, {format_percent(estimated[v])} from "
                f"the release",
            }
        )
    return rows


def population_label(release: Release, runs: np.ndarray) -> str:
    """Describe a population: "age [20-29] & sex Male"."""
    parts = []
    for name, (low, high) in zip(release.table.quasi, runs.tolist(), strict=True):
        column = release.table.columns[name]
        if (low, high) != (0, column.size - 1):
            parts.append(f"{name} {run_label(column, low, high)}")
    return " & ".join(parts)


def _measure_with_detail(measure: Measure, release: Release, *needed: str) -> Measured:
    """Evaluate the measure; raise BadInput if its detail lacks what a chart needs."""
    measured = measure(release)
    lacking = [name for name in needed if name not in measured.detail]
    if lacking:
        raise BadInput(
            f"{measure.key} has no {' and no '.join(lacking)} to draw; choose another measure for this chart"
        )
    return measured


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
                "way": way, "short": format_number(np.round(found.after[i, j])),
                "spoken": f"{row}, {column}: {before} before, {after} after",
            })  # fmt: skip
    return rows


def errors_chart(errors: np.ndarray, width: int = 420, height: int = 190) -> alt.LayerChart:
    """Draw a histogram of relative errors, with the same ranges for every release."""
    rows = error_rows(errors)
    base = alt.Chart(alt.NamedData("errors")).encode(
        alt.X("error:O", sort=_names(), title="relative error of the answer   ← lower is better",
              axis=alt.Axis(labelAngle=-40, labelOverlap=False)),
        alt.Y("queries:Q", title="queries", axis=alt.Axis(labels=False, ticks=False, grid=False)),
        tooltip=[alt.Tooltip("said:N")],
    )  # fmt: skip
    bars = base.mark_bar(color=HUES[0]).encode(alt.Description("said:N"))
    counts = base.mark_text(dy=-6, color=INK, fontSize=11).encode(text=alt.Text("queries:Q", format=","))
    drawn = alt.layer(bars, counts, datasets={"errors": rows})
    return finish_chart(drawn, width, height, None, "Number of queries by relative error")


def error_rows(errors: np.ndarray) -> Rows:
    """Count the queries per range of errors."""
    known = errors[~np.isnan(errors)]
    place = np.where(known <= EXACT, 0, 1 + np.searchsorted(ENDS, known, side="right"))
    count = np.bincount(place, minlength=len(ENDS) + 2)
    return [
        {"error": name, "queries": int(n), "said": f"error {name}: {n:,} of {len(known):,} queries"}
        for name, n in zip(_names(), count, strict=True)
    ]


def _names() -> list[str]:
    ends = [f"{100 * end:g}" for end in ENDS]
    between = [f"{low}–{high} %" for low, high in pairwise(ends)]
    return [NONE, f"< {ends[0]} %", *between, f"≥ {ends[-1]} %"]
