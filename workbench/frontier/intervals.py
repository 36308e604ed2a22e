"""Intervals: where the figures of a frontier would lie by other seeds and draws, or on other people like these; or from
who goes by each class alone to who learns from all of them.

Over records it is the bootstrap (Efron 1979): each release is made again, and measured, on as many records drawn from
the table with replacement, and how far figures scatter there is drawn about the figure. Nothing of that is kept: a
draw that is measured here is given to nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from workbench.base.errors import BadInput, said
from workbench.data.samples import resample
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import Measure

OVER = RECORDS, SEEDS, LEARNING = ("records", "seeds", "learning")
TIMES, MOST = 20, 10_000
CENTRE = 0.025, 0.975  # of what is found, 95 % lie there
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
    """The same points, each figure with the range that holds it and 95 % of those that are found in so many tries.

    A figure that is always the same has none, nor has one that fewer than half of the tries have. The baselines have
    none. `progress(done, times)` is called after each try; setting `cancel` gives back the points as they were.

    Over "learning" nothing is tried again: the same releases, found or kept in the `store` of the points, are measured
    for an adversary and a researcher who learn, which takes seconds of each, and `progress` is called after each.
    """
    refuse(over, times)
    chosen = [point.recipe for point in frontier.measured if not point.recipe.baseline]
    if over == LEARNING:
        told = None if progress is None else lambda done, of, _: progress(done, of)
        measured = partial(
            sweep, table, chosen, store=store, baselines=False, threads=threads, progress=told, cancel=cancel
        )
        return _learning(frontier, measured) if chosen else frontier
    found: list[list[Point]] = []
    for again, recipes in _tries(table, chosen, over, times) if chosen else ():
        one = sweep(again, recipes, frontier.measures, baselines=False, threads=threads, cancel=cancel)
        if not one.complete:
            return frontier
        found.append([*one.measured])
        if progress is not None:
            progress(len(found), times)
    every, best = iter(zip(*found, strict=True)), {one.key: one.best for one in frontier.measures}
    about = best if over == RECORDS else None
    points = [point if point.recipe.baseline else _with(point, next(every), about) for point in frontier.measured]
    return replace(frontier, measured=points)


def of_sample(table: Table) -> str:
    """What the figures of a sample are about, and their intervals over records; nothing where it is none."""
    if table.sampled is None:
        return ""
    return (
        f"Figures are of releases of {table.sampled}. Intervals over records say how far they move when records are "
        "drawn from this sample again; another sample may have others. A release of all records by the same recipe has "
        "other figures, since a class of k is a smaller share of more records: take them for no estimate of these."
    )


def refuse(over: object, times: object) -> None:
    """Raise BadInput where there is nothing of the kind."""
    if over not in OVER:
        raise BadInput(f"intervals over {said(over)}: choose 'records', 'seeds' or 'learning'")
    if isinstance(times, bool) or not isinstance(times, int) or not 2 <= times <= MOST:
        raise BadInput(f"intervals: times = {said(times)} must be a whole number from 2 to {MOST:,}")


def in_words(over: str, times: int = TIMES) -> str:
    """What the intervals are."""
    if over == LEARNING:
        return "from who goes by each class alone to who learns from all classes together, where both are known"
    if over == RECORDS:
        tries = f"in 95 % of {times:,} tries on as many records drawn from these with replacement"
        return f"how far a figure scatters {tries}, about the figure itself"
    return f"where a figure lies in 95 % of {times:,} tries by other seeds and draws"


def _tries(table: Table, recipes: list[Recipe], over: str, times: int) -> Iterator[tuple[Table, list[Recipe]]]:
    """Tables and recipes as they might have been."""
    for i in range(times):
        if over == RECORDS:
            yield resample(table, SEED + i), recipes
        else:  # what is remembered is a draw, too
            other = [replace(recipe, seed=recipe.seed + 1 + i) for recipe in recipes]
            drawn = any(recipe.method.draws for recipe in recipes)
            yield replace(table, _memory={}, _locks={}) if drawn else table, other


def _learning(frontier: Frontier, measured: Callable[[Iterable[Measure]], Frontier]) -> Frontier:
    """The points with what their figures are for who learns at the other end."""
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


def _with(point: Point, found: tuple[Point, ...], about: Mapping[str, float] | None) -> Point:
    """The point with the intervals of its figures, wide enough for those that they had before.

    Among records drawn with replacement people are alike more often than among others, which moves all figures one way.
    So how far they scatter is what counts: `about` the figure, not beyond the best that each may be.
    """
    intervals = dict(point.intervals)
    for key, value in point.values.items():
        others = [one.values[key] for one in found if key in one.values]
        if 2 * len(others) < len(found) or all(other == value for other in others):
            continue
        low, high = np.quantile(others, CENTRE)
        if about is not None:
            low, high = np.array([low, high]) + (value - np.median(others))
            best = about.get(key, value)
            low, high = (max(low, best), high) if value >= best else (low, min(high, best))
        before = intervals.get(key, (value, value))
        intervals[key] = min(float(low), value, before[0]), max(float(high), value, before[1])
    return replace(point, intervals=intervals)
