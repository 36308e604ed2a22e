"""Errors of answers to queries: a histogram, and two workloads' frontiers on one scale."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np

from workbench.charts.axis import Axis
from workbench.charts.frontier import frontier_drawn, line_numbers
from workbench.charts.look import HUES, INK, finish_chart
from workbench.charts.scene import Scene
from workbench.frontier.frontier import Frontier

ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # ends of the bars, identical for all releases
EXACT = 1e-9  # smaller relative errors are rounding errors
NONE = "none"


def error_rows(errors: np.ndarray) -> list[dict[str, Any]]:
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


def two_frontiers(
    frontier: Frontier, keys: tuple[str, str], titles: tuple[str, str], selected: int = -1,
    width: int = 360, height: int = 300,
) -> list[alt.LayerChart]:  # fmt: skip
    """Draw the same points against two measures of utility (by key) on one scale."""
    scenes = [Scene(frontier.on(utility=key), selected=selected, size=(width, height)) for key in keys]
    own, aside = ([value for key in keys for value in _values(frontier, key, baseline)] for baseline in (False, True))
    measure = frontier.measure(keys[0])
    y = Axis.from_values(measure, own, aside=[*aside, measure.best])
    x, lines = scenes[0].axis(scenes[0].frontier.axes[0]), line_numbers(scenes[0].lines)
    found = []
    for scene, key, title in zip(scenes, keys, titles, strict=True):
        drawn = frontier_drawn(scene, [x, replace(y, measure=frontier.measure(key))], lines)
        drawn.title = alt.Title(title)
        found.append(drawn)
    return found


def _values(frontier: Frontier, key: str, baseline: bool) -> list[float]:
    return [point.values.get(key, math.nan) for point in frontier.measured if point.recipe.baseline == baseline]
