"""Charts: the frontier, what the records of a release lose, and the populations that it hurts most.

Okabe-Ito hues, and a shape for every line as well; text takes the colour of the page, so light and dark both work.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from workbench.errors import BadInput, Undefined
from workbench.figures import figures
from workbench.measures import Measure, Measured
from workbench.measures.privacy_loss import PrivacyLoss
from workbench.measures.utility_loss import UtilityLoss
from workbench.offline import save, show_offline
from workbench.recipe import Recipe
from workbench.release import Release, run_label

if TYPE_CHECKING:
    from workbench.frontier import Frontier

__all__ = ["frontier_chart", "loss_chart", "populations_chart", "save", "show_offline"]

HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")  # the yellow is lost on white
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
INK = "currentColor"
CROSS = "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7"
BASELINE_LABELS = {"keep": "everything kept", "remove": "all quasi-identifiers removed"}
BINS = 300
FEWEST = 10  # records of a population that a chart may show
MANY = "replace(format(datum.value, '~s'), 'G', 'B')"  # billions, not giga

if alt.renderers.active == "default":  # it asks a CDN; whoever chose another renderer keeps it
    show_offline()


def frontier_chart(frontier: Frontier, width: int = 640, height: int = 400) -> alt.LayerChart:
    """Privacy to the right, utility upwards; one hue and shape a line, efficient points filled, beaten ones hollow.

    Drag to move, Shift and the wheel to zoom, double click to go back.
    """
    x_axis, y_axis = (_Axis.of(frontier, key) for key in frontier.axes)
    x, y = x_axis.encoded(alt.X, "x", width), y_axis.encoded(alt.Y, "y", height)
    rows = _rows(frontier, x_axis, y_axis)
    measured = [alt.Tooltip(f"m{i}:N", title=measure.key) for i, measure in enumerate(frontier.measures)]
    placed = alt.Chart(alt.NamedData("points")).encode(x, y)
    shown = placed.encode(tooltip=[alt.Tooltip("recipe:N"), *measured, alt.Tooltip("why:N")])
    layers = [
        *_edges(x_axis, y_axis, x, y),
        _staircase(frontier, x_axis, y_axis).encode(x, y),
        shown.transform_filter("datum.baseline").mark_point(shape=CROSS, size=420, color=INK, strokeWidth=2),
        *_curves(placed, shown, list(dict.fromkeys(row["line"] for row in rows if not row["baseline"]))),
        shown.transform_filter("datum.knee").mark_point(shape="circle", size=300, color=INK, strokeWidth=1.5),
        *_names(rows, x_axis, y_axis, x, y),
    ]
    drawn = alt.layer(*layers, datasets={"points": rows})
    zoom = alt.selection_interval(name="zoom", bind="scales", zoom="wheel![event.shiftKey]")
    return _finished(drawn.add_params(zoom), width, height, _headline(frontier), _spoken(frontier))


@dataclass(frozen=True)
class _Axis:
    """One measure's axis: its finite values, and the edge where infinite ones are drawn."""

    measure: Measure
    low: float
    high: float
    infinite: bool

    @classmethod
    def of(cls, frontier: Frontier, key: str) -> _Axis:
        measure = frontier.measure(key)
        values = [v for p in frontier.measured if not math.isnan(v := p.values.get(key, math.nan))]
        finite = [v for v in (*values, measure.best) if math.isfinite(v)] or [0.0]
        low, high = min(finite), max(finite)
        return cls(measure, low, high if high > low else low + 1, any(map(math.isinf, values)))

    @property
    def edge(self) -> float:
        return self.high + 0.08 * (self.high - self.low)

    @property
    def domain(self) -> list[float]:
        """A little wider than the values: marks at the ends are whole, and a name has room above them."""
        pad = 0.03 * (self.high - self.low)
        return [self.low - pad, (self.edge if self.infinite else self.high) + 2.5 * pad]

    @property
    def worst(self) -> float:
        """The end of the axis away from the best."""
        return self.domain[0 if self.measure.better == "higher" else 1]

    def place(self, value: float) -> float:
        """Where a value is drawn."""
        return value if math.isfinite(value) else self.edge

    def share(self, place: float) -> float:
        """How far along the axis a place is, 0 to 1."""
        return (place - self.domain[0]) / (self.domain[1] - self.domain[0])

    def encoded(self, channel: Any, name: str, length: int) -> Any:
        """The channel with title and scale."""
        scale = alt.Scale(domain=self.domain, nice=False, zero=False)
        label = MANY if self.high >= 1e5 else "datum.label"
        beyond = f"datum.value > {self.high} && {str(self.infinite).lower()}"  # no numbers where infinity is drawn
        axis = alt.Axis(tickCount=8, labelExpr=f"{beyond} ? '' : {label}")
        return channel(f"{name}:Q", title=_title(self.measure, length), scale=scale, axis=axis)


def _title(measure: Measure, length: int) -> list[str]:
    """Name, which way is better, and the unit below."""
    better = "← lower is better" if measure.better == "lower" else "higher is better →"
    return [f"{measure.name}, {measure.key}   {better}", *textwrap.wrap(measure.unit, max(length // 6, 20))]


def _rows(frontier: Frontier, x_axis: _Axis, y_axis: _Axis) -> list[dict[str, Any]]:
    """What is drawn of each point that has a value on both axes."""
    rows, efficient, knee = [], frontier.is_efficient(), _knee(frontier)
    for i, point in enumerate(frontier.measured):
        x, y = (point.values.get(key, math.nan) for key in frontier.axes)
        if math.isnan(x) or math.isnan(y):
            continue
        said = {f"m{j}": _said(point.values.get(m.key, math.nan)) for j, m in enumerate(frontier.measures)}
        rows.append({
            "x": x_axis.place(x), "y": y_axis.place(y), "finite": math.isfinite(x) and math.isfinite(y),
            "recipe": str(point.recipe), "line": point.recipe.line, "baseline": point.recipe.baseline,
            "label": _baseline_label(point.recipe) if point.recipe.baseline else "knee",
            "efficient": bool(efficient[i]), "knee": point is knee, "why": frontier.explain(point), **said,
        })  # fmt: skip
    return rows


def _said(value: float) -> str:
    return "undefined" if math.isnan(value) else figures(value)


def _baseline_label(recipe: Recipe) -> str:
    return BASELINE_LABELS.get(str(recipe), str(recipe))


def _knee(frontier: Frontier) -> Any:
    """The knee, if there is one."""
    try:
        return frontier.knee
    except Undefined:
        return None


def _edges(x_axis: _Axis, y_axis: _Axis, x: Any, y: Any) -> list[alt.Chart]:
    """A dotted line, with a word, where infinite values are drawn."""
    layers = []
    note: dict[str, Any] = {"color": INK, "fontSize": 11, "opacity": 0.8}
    if x_axis.infinite:
        at = alt.Chart(alt.Data(values=[{"x": x_axis.edge, "y": y_axis.domain[1]}])).encode(x)
        layers.append(at.mark_rule(color=INK, strokeDash=[2, 3], opacity=0.5))
        layers.append(at.mark_text(text="infinite", align="right", baseline="top", dx=-4, dy=4, **note).encode(y))
    if y_axis.infinite:
        at = alt.Chart(alt.Data(values=[{"x": x_axis.domain[0], "y": y_axis.edge}])).encode(y)
        layers.append(at.mark_rule(color=INK, strokeDash=[2, 3], opacity=0.5))
        layers.append(at.mark_text(text="infinite", align="left", baseline="top", dx=4, dy=4, **note).encode(x))
    return layers


def _staircase(frontier: Frontier, x_axis: _Axis, y_axis: _Axis) -> alt.Chart:
    """The border of what no point beats."""
    steps = frontier.efficient[list(frontier.axes)].to_numpy()
    corners, above = [], y_axis.worst
    for x, y in steps:
        corners += [(x_axis.place(x), above), (x_axis.place(x), y_axis.place(y))]
        above = y_axis.place(y)
    corners += [(x_axis.worst, above)] if len(steps) else []
    values = [{"x": x, "y": y, "order": i} for i, (x, y) in enumerate(corners)]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(color=INK, opacity=0.35, strokeWidth=1, strokeDash=[5, 3])
        .encode(order="order:Q")
    )


def _curves(placed: alt.Chart, shown: alt.Chart, lines: Sequence[str]) -> list[alt.Chart]:
    """One curve a line with its points, efficient ones filled."""
    hues = [HUES[i % len(HUES)] for i in range(len(lines))]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(lines))]
    short = max(map(len, lines), default=0) < 45
    legend = alt.Legend(title=None, orient="bottom", columns=1 + short, labelLimit=600, symbolOpacity=1)
    color = alt.Color("line:N", scale=alt.Scale(domain=lines, range=hues), legend=legend)
    shape = alt.Shape("line:N", scale=alt.Scale(domain=lines, range=shapes), legend=legend)
    own = "!datum.baseline && "
    return [
        placed.transform_filter(own + "datum.finite").mark_line(strokeWidth=1.5, opacity=0.6).encode(color),
        shown.transform_filter(own + "!datum.efficient")
        .mark_point(filled=False, size=55, strokeWidth=1.5, opacity=0.75)
        .encode(color, shape),
        shown.transform_filter(own + "datum.efficient")
        .mark_point(filled=True, size=90, opacity=1)
        .encode(color, shape),
    ]


def _names(rows: Sequence[dict[str, Any]], x_axis: _Axis, y_axis: _Axis, x: Any, y: Any) -> list[alt.Chart]:
    """The names of the baselines and of the knee, where they hide least."""
    baselines, layers = [row for row in rows if row["baseline"]], []
    for row in [*baselines, *(row for row in rows if row["knee"])]:
        at = x_axis.share(row["x"]), y_axis.share(row["y"])
        beside: dict[str, Any] = {"align": "right", "dx": -10} if at[0] > 0.5 else {"align": "left", "dx": 10}
        beside["dy"] = -17
        if row["knee"]:
            apart = [max(abs(at[0] - x_axis.share(b["x"])), abs(at[1] - y_axis.share(b["y"]))) for b in baselines]
            beside = {"align": "left", "dx": 9, "dy": -32 if min(apart) < 0.1 else -12}
        named = alt.Chart(alt.Data(values=[{"x": row["x"], "y": row["y"], "name": row["label"]}])).encode(x, y)
        layers.append(named.mark_text(color=INK, fontSize=12, baseline="middle", **beside).encode(text="name:N"))
    return layers


def _headline(frontier: Frontier) -> alt.Title:
    """How many points are worth a thought, and what is not drawn."""
    own = sum(not point.recipe.baseline for point in frontier.measured)
    text = f"{len(frontier.efficient)} of {own} points are efficient (filled); the others are beaten (hollow)"
    notes = []
    if left_out := len(frontier.undefined):
        notes.append(f"{left_out} left out: undefined on one of the axes")
    if not frontier.complete:
        notes.append("the sweep was cancelled: points are missing")
    return alt.Title(text, subtitle=notes or alt.Undefined)


def _spoken(frontier: Frontier) -> str:
    """The chart in words."""
    x, y = (f"{frontier.measure(key).name} ({frontier.measure(key).better} is better)" for key in frontier.axes)
    said = [f"Frontier of {x} against {y}: {len(frontier.measured)} points, {len(frontier.efficient)} efficient."]
    knee = _knee(frontier)
    if knee is not None:
        values = ", ".join(f"{key} {figures(knee.values[key])}" for key in frontier.axes)
        said.append(f"The knee is {knee.recipe}: {values}.")
    return " ".join(said)


def loss_chart(release: Release, measure: Measure | None = None, width: int = 640, height: int = 260) -> alt.LayerChart:
    """How many records lose at least this much; marked is where a full disclosure begins to be possible."""
    measure = measure or PrivacyLoss()
    measured = _with(measure, release, "loss", "sizes")
    loss, sizes = np.asarray(measured.detail["loss"], float), np.asarray(measured.detail["sizes"])
    thresholds, records = _at_least(loss, sizes)
    values = [{"loss": x, "records": n, "share": n / records[0]} for x, n in zip(thresholds, records, strict=True)]
    start = measured.detail.get("possible_from")
    high = max(thresholds[-1], start or 0.0) or 1.0
    name, *unit = _title(measure, width)
    name = name.replace(measure.name, f"{measure.name} of {measured.detail['sensitive']}", 1)
    x = alt.X(
        "loss:Q", title=[name, *unit], scale=alt.Scale(domain=[0, high * 1.05], nice=False), axis=alt.Axis(tickCount=8)
    )
    layers = _steps(values, x)
    title = f"The worst-off lose {figures(thresholds[-1])}"
    if start is not None:
        title = f"{int(sizes[loss >= start].sum()):,} of {records[0]:,} records lose enough for a full disclosure"
        layers += _start(start, high, x)
    drawn = alt.layer(*layers, datasets={"steps": values})
    return _finished(drawn, width, height, alt.Title(title), f"{title}. {measured.sentence}")


def _steps(values: list[dict[str, Any]], x: Any) -> list[alt.Chart]:
    """The falling number of records, on a logarithmic scale: few records at the far end are the ones that matter."""
    records = values[0]["records"]
    scale = alt.Scale(type="log", domain=[1, records], nice=False)
    axis = alt.Axis(values=[10**i for i in range(int(math.log10(records)) + 1)])
    y = alt.Y("records:Q", title=["records that lose at least this", "(logarithmic)"], scale=scale, axis=axis)
    said = [("loss:Q", ".3g"), ("records:Q", ","), ("share:Q", ".2%")]
    tooltip = [alt.Tooltip(name, format=spelled) for name, spelled in said]
    steps = alt.Chart(alt.NamedData("steps")).encode(x, y)
    worst = alt.Chart(alt.Data(values=values[-1:])).encode(x, y, tooltip=tooltip)
    return [
        steps.mark_area(interpolate="step-before", color=HUES[0], opacity=0.25).encode(y2=alt.datum(1)),
        steps.mark_line(interpolate="step-before", color=HUES[0]).encode(tooltip=tooltip),
        worst.mark_point(filled=True, size=50, color=HUES[0], opacity=1),
    ]


def _at_least(loss: np.ndarray, sizes: np.ndarray) -> tuple[list[float], list[int]]:
    """Thresholds from 0 to the largest loss, and the records that lose at least each."""
    order = np.argsort(loss)
    ascending, below = loss[order], np.append(0, np.cumsum(sizes[order]))
    thresholds = np.unique(np.append(0.0, ascending))
    if len(thresholds) > BINS:
        thresholds = np.append(np.linspace(0, ascending[-1], BINS)[:-1], ascending[-1])
    first = np.searchsorted(ascending, thresholds)
    return thresholds.tolist(), (below[-1] - below[first]).tolist()


def _start(start: float, high: float, x: Any) -> list[alt.Chart]:
    """From which loss on a full disclosure is possible."""
    at = alt.Chart(alt.Data(values=[{"loss": start}])).encode(x)
    left: dict[str, Any] = {"align": "right", "dx": -5} if start > high / 2 else {"align": "left", "dx": 5}
    text = f"a full disclosure is possible from {figures(start)}"
    return [
        at.mark_rule(color=HUES[1], strokeWidth=2, strokeDash=[6, 3]),
        at.mark_text(text=text, color=INK, baseline="top", y=4, **left),
    ]


def populations_chart(
    release: Release, measure: Measure | None = None, most: int = 20, width: int = 420
) -> alt.LayerChart:
    """The large populations about which the release misleads most, the worst first."""
    measure = measure or UtilityLoss()
    if most < 1:
        raise BadInput(f"populations_chart: most = {most} must be at least 1")
    measured = _with(measure, release, "loss", "told", "truth", "runs", "support")
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
    title = f"The {len(rows)} populations that are misjudged most, of {len(measured.detail['loss']):,}"
    return _finished(drawn, width, alt.Step(18), alt.Title(title), f"{title}. {measured.sentence}")


def _hurt_most(release: Release, measured: Measured, most: int) -> list[dict[str, Any]]:
    """The populations with the largest loss: in words, how many they are, and the value most misjudged."""
    table, detail = release.table, measured.detail
    labels, rows = table.sensitive[detail["sensitive"]].labels, []
    worst = np.argsort(-detail["loss"], kind="stable")
    worst = worst[detail["support"][worst] >= FEWEST]  # a chart travels: what is true of a handful stays here
    if not len(worst):
        raise Undefined(f"no population has {FEWEST} records or more, so none is drawn; see the measure's detail")
    for i in worst[:most]:
        told, truth = detail["told"][i], detail["truth"][i]
        v = int(np.abs(told - truth).argmax())
        rows.append(
            {
                "population": population_label(release, detail["runs"][i]),
                "records": f"{detail['support'][i]:,} ({detail['support'][i] / table.records:.1%})",
                "loss": float(detail["loss"][i]),
                "misjudged": f"{labels[v]}: {truth[v]:.1%} in truth, {told[v]:.1%} from the release",
            }
        )
    return rows


def population_label(release: Release, runs: np.ndarray) -> str:
    """A population in words: "age [20-29] & sex Male"."""
    parts = []
    for name, (low, high) in zip(release.table.quasi, runs.tolist(), strict=True):
        column = release.table.columns[name]
        if (low, high) != (0, column.size - 1):
            parts.append(f"{name} {run_label(column, low, high)}")
    return " & ".join(parts)


def _with(measure: Measure, release: Release, *needed: str) -> Measured:
    """The measure taken, with the detail that a chart needs."""
    measured = measure(release)
    lacking = [name for name in needed if name not in measured.detail]
    if lacking:
        raise BadInput(
            f"{measure.key} has no {' and no '.join(lacking)} to draw; choose another measure for this chart"
        )
    return measured


def _finished(drawn: Any, width: int, height: Any, title: alt.Title, description: str) -> alt.LayerChart:
    """Size, title and words for those who cannot see it; everything neutral in the colour of the page."""
    text: dict[str, Any] = {"labelColor": INK, "titleColor": INK}
    return (
        drawn.properties(width=width, height=height, title=title, description=description, background="transparent")
        .configure_axis(**text, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.12, domainOpacity=0.6,
                        tickOpacity=0.6, labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=10)
        .configure_legend(**text, labelFontSize=12, symbolSize=90, rowPadding=4)
        .configure_title(color=INK, subtitleColor=INK, anchor="start", fontSize=14, fontWeight="normal", offset=12)
        .configure_view(stroke=None)
    )  # fmt: skip
