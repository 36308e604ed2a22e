"""Intervals of figures: over other samples of records, over other seeds and draws, or between the two kinds of attacker
(own class only, or learning from all classes).

Intervals over records use the bootstrap (Efron 1979): each release is computed and measured again on as many records
drawn from the table with replacement, and the scatter of the figures is centered on the original figure. None of these
releases is stored, and no draw that is measured here is published.

The bootstrap fails for the largest or smallest value of many classes (Bickel, Goetze & van Zwet 1997): repeated records
form classes of their own. Intervals of worst-case figures come from subsamples without replacement (Politis & Romano
1994), of half the records, and of a quarter to estimate how the figure grows with the number of records.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.base.result_cache import ResultCache
from workbench.data.records import resample, subsample
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import Measure

OVER = RECORDS, SEEDS, LEARNING = ("records", "seeds", "learning")
TIMES, MOST = 20, 10_000
CENTER = 0.025, 0.975  # quantiles that enclose 95 % of the values
WHOLE, HALF, QUARTER = "all records", "half of the records", "a quarter of the records"
FEW = 8  # maximum number of classes that count as few
FAR = 5.0  # standard deviations between a figure and those of subsamples that do not resemble it
NORMAL, GUMBEL = 1.96, 2.42  # standard deviations from the mean to the end of 95 %: normal, and Gumbel's upper tail
WORST_CASES = (
    "intervals of worst-case figures are wider and need not be centered, since they come from random halves of the "
    "records: repeated records would form classes of their own; there is none if the figures of the halves differ too "
    "much"
)
SEED = 1


def with_intervals(
    table: Table,
    frontier: Frontier,
    over: str = "records",
    times: int = TIMES,
    store: Store | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    cancel: threading.Event | None = None,
) -> Frontier:
    """Return the frontier with an interval for each figure, which contains the figure and 95 % of its values in `times`
    repetitions.

    A constant figure has no interval, nor has one that fewer than half of the repetitions define, nor a worst-case
    figure that subsamples of the records do not resemble. The baselines have none. `progress(done, times)` is called
    after each repetition; setting `cancel` returns the points unchanged.

    Over "learning" nothing is repeated: the same releases (computed, or in the `store` of the points) are measured for
    an attacker and a researcher who learn from all classes, which takes seconds each; `progress` is called after each.
    """
    refuse_intervals(over, times)
    chosen = [point.recipe for point in frontier.measured if not point.recipe.baseline]
    if over == LEARNING:
        report = None if progress is None else lambda done, total, _: progress(done, total)
        measured = partial(
            sweep, table, chosen, store=store, baselines=False, threads=threads, progress=report, cancel=cancel,
            smallest=None,
        )  # fmt: skip
        return _add_learning_intervals(frontier, measured) if chosen else frontier
    extremes = [one for one in frontier.measures if over == RECORDS and one.worst_case]
    found: dict[str, list[Sequence[Point]]] = {}
    for number in range(times if chosen else 0):
        for kind, again, recipes in _repetitions(table, chosen, over, number, bool(extremes)):
            measures = frontier.measures if kind == WHOLE else extremes
            one = sweep(again, recipes, measures, baselines=False, threads=threads, cancel=cancel, smallest=None)
            if not one.complete:
                return frontier
            found.setdefault(kind, []).append(one.measured)
        if progress is not None:
            progress(number + 1, times)
    about = {one.key: one.best for one in frontier.measures} if over == RECORDS else None
    points, place = [], 0
    for point in frontier.measured:
        if not point.recipe.baseline:
            tries = {kind: [one[place] for one in several] for kind, several in found.items()}
            by_halves = [] if _has_few_classes(point.recipe, table) else extremes
            point = _add_intervals(point, tries[WHOLE], about, {one.key for one in by_halves})
            for measure in by_halves:
                point = _add_extreme_interval(point, measure, tries[HALF], tries[QUARTER])
            place += 1
        points.append(point)
    return replace(frontier, measured=points)


def describe_sample(table: Table) -> str:
    """Explain what the figures of a sample and their intervals over records mean; empty if the table is not a
    sample."""
    sampled = table.origin.sampled
    if sampled is None:
        return ""
    return (
        f"Figures are of releases of {sampled}. Intervals over records show how much they vary when this sample "
        "is resampled; the intervals of another sample may differ. They do not estimate the figures of a release of "
        "all records by the same recipe: there, a class of k is a smaller share of the records."
    )


def refuse_intervals(over: object, times: object) -> None:
    """Raise BadInput for unknown kinds of intervals and invalid numbers of repetitions."""
    if over not in OVER:
        raise BadInput(f"intervals over {safe_repr(over)}: choose 'records', 'seeds' or 'learning'")
    if isinstance(times, bool) or not isinstance(times, int) or not 2 <= times <= MOST:
        raise BadInput(f"intervals: times = {safe_repr(times)} must be a whole number from 2 to {MOST:,}")


def describe_intervals(over: str, times: int = TIMES, worst_cases: bool = True) -> str:
    """Describe the intervals, with or without those of worst-case figures."""
    if over == LEARNING:
        return "from an attacker who uses each class by itself to one who learns across classes, where both are known"
    if over == RECORDS:
        more = f"; {WORST_CASES}" if worst_cases else ""
        return f"the range of a figure in other samples of the same size, estimated from {times:,} resamples{more}"
    return f"the range of a figure in 95 % of {times:,} runs with other seeds and draws"


def _repetitions(
    table: Table, recipes: list[Recipe], over: str, number: int, subsamples: bool
) -> Iterator[tuple[str, Table, list[Recipe]]]:
    """Yield alternative tables and recipes: of all records, and of subsamples of half and a quarter of them."""
    if over == RECORDS:
        yield WHOLE, resample(table, SEED + number), recipes
        for kind, parts in ((HALF, 2), (QUARTER, 4)) if subsamples else ():
            yield kind, subsample(table, max(table.records // parts, 1), SEED + number), recipes
    else:  # results cached on the table include random draws
        other = [replace(recipe, seed=recipe.seed + 1 + number) for recipe in recipes]
        drawn = any(recipe.method.draws for recipe in recipes)
        yield WHOLE, replace(table, remember=ResultCache()) if drawn else table, other


def _add_learning_intervals(frontier: Frontier, measured: Callable[[Iterable[Measure]], Frontier]) -> Frontier:
    """Add to each point the intervals between its figures and those under a learning attacker."""
    others = {one.key: other for one in frontier.measures if (other := one.learning) is not None}
    if not others or not (found := measured(dict.fromkeys(others.values()))).complete:
        return frontier
    learnt, points = {point.recipe: point.values for point in found.measured}, []
    for point in frontier.measured:
        values, intervals = learnt.get(point.recipe, {}), dict(point.intervals)
        for key, other in others.items():
            if key in point.values and values.get(other.key, point.values[key]) != point.values[key]:
                ends = point.values[key], values[other.key], *intervals.get(key, ())
                intervals[key] = min(ends), max(ends)
        points.append(replace(point, intervals=intervals))
    return replace(frontier, measured=points)


def _has_few_classes(recipe: Recipe, table: Table) -> bool:
    """Return whether classes are so large that half of the records may form none; the bootstrap then suits all
    figures."""
    return recipe.model is not None and recipe.model.min_class_size * FEW >= table.records


def _add_extreme_interval(point: Point, measure: Measure, halves: Sequence[Point], quarters: Sequence[Point]) -> Point:
    """Add the interval of a worst-case figure, from subsamples.

    An extreme of many classes scatters like a Gumbel variable, farther towards the worse side, and grows with the
    number of classes by about as much from half of the records to all as from a quarter to half. Two samples of a
    population differ by the square root of 2 more than each from the mean. Halves may have other classes, and the
    figure itself may be extreme, so the interval covers what follows from either; there is none if the two are far from
    each other.
    """
    key, sign = measure.key, -1 if measure.better == "higher" else 1
    half, quarter = (
        np.array([sign * one.values[key] for one in several if key in one.values]) for several in (halves, quarters)
    )
    value = sign * point.values.get(key, np.nan)
    if 2 * len(half) < len(halves) or not len(quarter) or not np.isfinite([*half, *quarter, value]).all():
        return point
    center, spread = half.mean(), np.sqrt(2) * half.std(ddof=1)
    grown = center + max(center - quarter.mean(), 0.0)
    if spread == 0 or not center - FAR * spread <= value <= grown + FAR * spread:
        return point
    low = max(min(center, value) - NORMAL * spread, sign * measure.best)
    high = max(grown + GUMBEL * spread, value + NORMAL * spread)
    before = sorted(sign * end for end in point.intervals.get(key, (sign * value, sign * value)))
    ends = sorted((sign * min(low, before[0]), sign * max(high, before[1])))
    return replace(point, intervals={**point.intervals, key: (float(ends[0]), float(ends[1]))})


def _add_intervals(point: Point, found: Sequence[Point], about: Mapping[str, float] | None, without: set[str]) -> Point:
    """Return the point with intervals of its figures, at least as wide as their previous intervals; `without` excludes
    some.

    Records drawn with replacement contain more identical people than an original sample, which shifts all figures in
    one direction. So only the scatter of the figures is used: centered on the value, limited by the best value in
    `about`, and multiplied by the square root of 2, since the figure of another sample scatters too.
    """
    intervals = dict(point.intervals)
    for key, value in point.values.items():
        others = [one.values[key] for one in found if key in one.values]
        if key in without or 2 * len(others) < len(found) or all(other == value for other in others):
            continue
        low, high = np.quantile(others, CENTER)
        if about is not None:
            low, high = value + np.sqrt(2) * (np.array([low, high]) - np.median(others))
            best = about.get(key, value)
            low, high = (max(low, best), high) if value >= best else (low, min(high, best))
        before = intervals.get(key, (value, value))
        intervals[key] = min(float(low), value, before[0]), max(float(high), value, before[1])
    return replace(point, intervals=intervals)
