"""Charts of the losses of a release: by record, and for the populations with the largest error."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number, format_percent
from workbench.charts.look import HUES, INK, axis_title, finish_chart
from workbench.measures import Measure, Measured
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.releases.base import Release
from workbench.releases.labels import run_label

BINS = 300
FEWEST = 10  # minimum number of records of a population on a chart


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


def _steps(values: list[dict[str, Any]], x: Any) -> list[alt.Chart]:
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
    text = f"a full disclosure is possible from {format_number(start)}"
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


def _hurt_most(release: Release, measured: Measured, most: int) -> list[dict[str, Any]]:
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
