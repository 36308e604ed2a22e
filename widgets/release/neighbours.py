"""Neighbors of a release: efficient points nearby, and the most valuable small change of a parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from widgets.parameters import ranges, shares
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.base.figures import format_number
from workbench.base.progress import checkpoint, describe_duration
from workbench.base.variants import Variant
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.sweep import point_of
from workbench.measures import Measure
from workbench.models import Model

NOTICEABLE = 0.03  # share of an axis: nearer neighbors are skipped
SMALL = 0.1  # a small change of a parameter, as a share of it
METHOD = "method"


class Neighbour(NamedTuple):
    """A point that could be chosen instead, and why."""

    why: str
    point: Point


class Change(NamedTuple):
    """A small change of one parameter and where it leads."""

    name: str
    before: float
    after: float
    point: Point

    @property
    def step(self) -> str:
        """Describe the change: k 10 → 11."""
        return f"{self.name} {ranges.number(self.before)} → {ranges.number(self.after)}"


def part_of(recipe: Recipe, part: int | str) -> Variant:
    """Return the method of a recipe, or one of its models."""
    if part == METHOD:
        return recipe.method
    models = recipe.model.parts if recipe.model else ()
    if not isinstance(part, int) or not 0 <= part < len(models):
        raise BadInput("this release's recipe has no such model; reload the page")
    return models[part]


def changed(recipe: Recipe, part: int | str, **values: Any) -> Recipe:
    """Return the recipe with other parameters of one part."""
    variant = replace(part_of(recipe, part), **values)  # type: ignore[type-var]
    if part == METHOD:
        return replace(recipe, method=variant)  # type: ignore[arg-type]
    models: list[Model] = list(recipe.model.parts) if recipe.model else []
    models[int(part)] = variant  # type: ignore[call-overload]
    return replace(recipe, model=reduce(and_, models))


def moved(recipe: Recipe, part: int | str, name: str, value: Any) -> Recipe:
    """Return the recipe with one parameter's control set to another number."""
    return changed(recipe, part, **shares.settings(type(part_of(recipe, part)), name, value))


def numbers_of(recipe: Recipe) -> Iterator[tuple[int, str]]:
    """Yield each numeric parameter of the recipe's models: the position of its model, and its name."""
    for part, model in enumerate(recipe.model.parts if recipe.model else ()):
        for name in model.parameters():
            if ranges.is_number(type(model), name):
                yield part, name


def control_values(recipe: Recipe) -> dict[str, Any]:
    """Return the numbers that the controls of a recipe show."""
    own = type(recipe.method)
    of_method = [(METHOD, name) for name in ranges.numbers(own) if name not in shares.halves(own)]
    places: list[tuple[int | str, str]] = [*numbers_of(recipe), *of_method]
    return {f"{part}.{name}": shares.control_value(part_of(recipe, part), name) for part, name in places}


def comparable(frontier: Frontier | None, point: Point) -> bool:
    """Return whether the point has a figure, or a reason for its absence, on both axes."""
    if frontier is None or not (frontier.privacy and frontier.utility):
        return False
    return all(key in point.values or key in point.reasons for key in frontier.axes)


def neighbours(frontier: Frontier, point: Point) -> list[Neighbour]:
    """Return up to three efficient points: the next more private, the next more useful, and the knee or a near one."""
    order = frontier.efficient.index.to_numpy()
    losses = frontier.losses()[order]
    own = own_losses(frontier, point)
    usable = np.isfinite(losses).all(axis=1) & (losses != own).any(axis=1)
    order, losses = order[usable], losses[usable]
    if not len(order) or not np.isfinite(own).all():
        return []
    distance = (losses - own) / spans(frontier)
    chosen: dict[int, str] = {}
    for side, why in ((0, "more private"), (1, "more useful")):
        better = np.flatnonzero(distance[:, side] < 0)
        noticeable = better[distance[better, side] < -NOTICEABLE]
        pool = noticeable if len(noticeable) else better
        if len(pool):
            chosen.setdefault(int(pool[np.abs(distance[pool]).sum(axis=1).argmin()]), why)
    knee = _knee(frontier)
    near = np.abs(distance).sum(axis=1).argsort().tolist()
    for i in sorted(near, key=lambda i: frontier.measured[int(order[i])] is not knee):  # the knee first
        if len(chosen) < 3:
            why = "the knee: the best trade-off overall" if frontier.measured[int(order[i])] is knee else "near"
            chosen.setdefault(i, why)
    return [Neighbour(why, frontier.measured[int(order[i])]) for i, why in chosen.items()]


def expected(frontier: Frontier | None, recipe: Recipe, part: int | str, name: str) -> Neighbour | None:
    """Estimate a recipe's point from the measured points that differ from it only in this number."""
    known = {_number(one.recipe, recipe, part, name): one for one in frontier.measured} if frontier else {}
    numbers = sorted(number for number in known if number is not None)
    if not numbers:
        return None
    wanted = shares.control_value(part_of(recipe, part), name)
    high = next((number for number in numbers if number >= wanted), numbers[-1])
    low = next((number for number in reversed(numbers) if number <= wanted), numbers[0])
    if low >= high:  # measured already, or beyond the measured range
        return Neighbour(f"as for {name} = {ranges.number(high)}", replace(known[high], recipe=recipe))
    along = (wanted - low) / (high - low)
    if low > 0 and type(part_of(recipe, part)).number(name).scale == "log":
        along = math.log(wanted / low) / math.log(high / low)
    before, after = known[low].values, known[high].values
    values = {key: one if one == after[key] else one + along * (after[key] - one) for key, one in before.items()
              if one == after.get(key) or math.isfinite(one - after.get(key, math.nan))}  # fmt: skip
    return Neighbour(f"between {name} = {ranges.number(low)} and {ranges.number(high)}", Point(recipe, values))


def _number(other: Recipe, recipe: Recipe, part: int | str, name: str) -> float | None:
    """Return the number of another recipe if it differs from this one only in that number."""
    try:
        there = part_of(other, part)
        own = shares.control_value(there, name) if name in there.parameters() else None
        return own if own is not None and moved(recipe, part, name, own) == other else None
    except BadInput:  # it has fewer or other models
        return None


def _knee(frontier: Frontier) -> Point | None:
    try:
        return frontier.knee
    except Undefined:
        return None


def own_losses(frontier: Frontier, point: Point) -> np.ndarray:
    """Return the losses of a point on the frontier's axes; lower is better."""
    return np.array([frontier.sign(key) * point.values.get(key, math.nan) for key in frontier.axes])


def spans(frontier: Frontier) -> np.ndarray:
    """Return the range of the finite points on each axis."""
    losses = frontier.losses()
    finite = losses[np.isfinite(losses).all(axis=1)]
    reach = np.ptp(finite, axis=0) if len(finite) else np.ones(2)
    return np.where(reach > 0, reach, 1.0)


def difference(frontier: Frontier, before: Point, after: Point) -> str:
    """Describe a change: P_loss 0.12 (−0.03), U_loss 0.051 (+0.002)."""
    parts = []
    for key in frontier.axes:
        value, was = after.values.get(key, math.nan), before.values.get(key, math.nan)
        by = value - was
        by_text = f" ({'+' if by > 0 else '−' if by < 0 else '±'}{format_number(abs(by))})" if math.isfinite(by) else ""
        parts.append(f"{key} {'undefined' if math.isnan(value) else format_number(value)}{by_text}")
    return ", ".join(parts)


def small_changes(recipe: Recipe, table: Table) -> list[tuple[str, float, float, Recipe]]:
    """Return small changes of every number of the models, within their bounds."""
    found = []
    for part, name in numbers_of(recipe):
        model = part_of(recipe, part)
        value, whole = getattr(model, name), ranges.is_whole(type(model), name)
        for factor in (1 - SMALL, 1 + SMALL):
            after = float(f"{value * factor:.3g}")
            if whole:
                after = min(round(after), value - 1) if factor < 1 else max(round(after), value + 1)
            if after == value:
                continue  # 0 has no smaller or larger neighbor in proportion
            try:
                type(model).check_value(name, after, table)
            except BadInput:
                continue  # out of bounds
            found.append((name, value, after, changed(recipe, part, **{name: after})))
    return found


def measure_changes(point: Point, table: Table, measures: Sequence[Measure]) -> list[Change]:
    """Measure small changes of the parameters."""
    found = []
    for name, before, after, recipe in small_changes(point.recipe, table):
        checkpoint()
        try:
            found.append(Change(name, before, after, point_of(recipe, recipe.release(table), measures)))
        except (Unsatisfiable, Undefined):
            continue  # no such release
    return found


def most_worthwhile(frontier: Frontier, point: Point, changes: Sequence[Change]) -> Change | None:
    """Return the change with the best gain for its loss, in units of the axes; None if none is worth it."""
    unit, own = spans(frontier), own_losses(frontier, point)
    best: tuple[float, float] | None = None
    found = None
    for change in changes:
        gained = (own - own_losses(frontier, change.point)) / unit
        if not np.isfinite(gained).all() or gained.max() <= 0:
            continue
        lost = -min(float(gained.min()), 0.0)
        worth = (float(gained.max()) / lost if lost > 0 else math.inf, float(gained.sum()))
        if worth[0] > 1 and (best is None or worth > best):
            best, found = worth, change
    return found


def suggest_change(
    frontier: Frontier, point: Point, changes: Sequence[Change] | None, took: float
) -> tuple[Change | None, str]:
    """Return the most worthwhile small change and a sentence; `changes` is None if releases take too long to try."""
    if changes is None:
        return None, f"Small changes are not tried, since a release takes {describe_duration(took)}."
    best = most_worthwhile(frontier, point, changes)
    if best is None:
        return None, "No small change of a parameter gains more than it loses."
    text = difference(frontier, point, best.point)
    return best, f"Most worthwhile small change: {best.step} gives {text}."
