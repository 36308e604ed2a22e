"""The content of a frontier chart as rows: points, pinned and moving ones, curves, caps, the selection, and the region
that no release can reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_interval, format_number, join_names
from workbench.base.parameters import canonical
from workbench.charts.axis import Axis
from workbench.charts.labels import LINE, Box, PlotArea
from workbench.charts.look import PINNED
from workbench.frontier.decision import decide, why_none
from workbench.frontier.recipe import Point, Recipe

if TYPE_CHECKING:
    from workbench.base.variants import Variant
    from workbench.frontier.decision import Decision
    from workbench.frontier.frontier import Frontier
    from workbench.frontier.lower_bounds import LowerBounds

Rows = list[dict[str, Any]]
OVERLAP = 4  # pixels: closer marks look like one
NARROW = 0.14  # share of the axis beyond a cap that is too narrow for a label
PLOT = (360, 350)  # pixels: the narrowest plot of a page; labels that fit there fit on a wider one
# places of a label on a horizontal line: the position along the line, and whether below it
SIDES = tuple((along, below) for along in (1.0, 0.0, 0.5) for below in (False, True))
BORDER = 80  # points along the border of the region that no release can reach
UNREACHABLE = "not possible\nin classes"  # its label: the bound does not apply to noise and to learning attackers
WIDE, HIGH, ASIDE = 78, 32, 6  # pixels: size of this label, and its distance from the side
BASELINE_LABELS = {"keep": "everything kept", "remove": "all quasi-identifiers removed"}


@dataclass(frozen=True)
class Scene:
    """A frontier on two axes, and everything else in the chart."""

    frontier: Frontier
    pinned: Frontier | None = None
    moving: Point | None = None
    caps: Mapping[str, float] = field(default_factory=dict)
    selected: int = -1
    size: tuple[int, int] = PLOT
    log: frozenset[str] = frozenset()  # the measures whose axes are logarithmic
    nearly: str = ""  # source of the estimate of the point under the slider, until it is measured
    possible: tuple[LowerBounds, ...] = ()  # of all releases; the second: of those with exact quasi-identifiers

    @property
    def frontiers(self) -> Iterator[tuple[str, Frontier]]:
        """The frontier and the pinned one, with the prefixes of their lines' names."""
        yield "", self.frontier
        if self.pinned is not None:
            yield PINNED, self.pinned

    @cached_property
    def lines(self) -> list[str]:
        """The curves, pinned ones last."""
        named = (
            prefix + line_name(p.recipe) for prefix, f in self.frontiers for p in f.measured if not p.recipe.baseline
        )
        return list(dict.fromkeys(named))

    def axis(self, key: str, before: Axis | None = None) -> Axis:
        """Return the axis of a measure for the candidates and their intervals; it includes nearby baselines and best
        values.
        """
        measure = self.frontier.measure(key)
        points = [point for _, frontier in self.frontiers for point in frontier.measured]
        own = self._values([point for point in points if not point.recipe.baseline], key)
        own += [end for point in points for end in point.intervals.get(key, ())]  # or they would seem to end earlier
        aside = [point.values.get(key, math.nan) for point in points if point.recipe.baseline]
        growing = not self.frontier.complete
        return Axis.from_values(measure, own, before, growing, aside=[*aside, measure.best], log=key in self.log)

    def own_axis(self, key: str, before: Axis | None = None) -> Axis:
        """Return the axis of a measure without the baselines, which would compress the other points."""
        own = [point for point in self.frontier.measured if not point.recipe.baseline]
        return Axis.from_values(self.frontier.measure(key), self._values(own, key), before, not self.frontier.complete)

    def _values(self, points: Sequence[Point], key: str) -> list[float]:
        return [point.values.get(key, math.nan) for point in (*points, *([self.moving] if self.moving else []))]

    @property
    def chosen(self) -> Point | None:
        """The selected point."""
        measured = self.frontier.measured
        return measured[self.selected] if 0 <= self.selected < len(measured) else None

    @cached_property
    def knee(self) -> Point | None:
        """The knee, or None."""
        try:
            return self.frontier.knee
        except Undefined:
            return None

    @cached_property
    def decision(self) -> Decision | None:
        """The decision under the caps; None without a cap."""
        return decide(self.frontier, self.held) if self.held else None

    @property
    def best(self) -> Point | None:
        """The recommended point under the caps; None without a cap, or if none is recommended (see `shortfall`)."""
        number = self.decision.recommended if self.decision else None
        return None if number is None else self.frontier.measured[number - 1]

    @property
    def shortfall(self) -> str:
        """Why no point is recommended under the caps, with the nearest one."""
        return why_none(self.frontier, self.decision) if self.decision else ""

    @cached_property
    def held(self) -> dict[str, float]:
        """The caps on measures that these points have."""
        own = {measure.key for measure in self.frontier.measures}
        return {key: value for key, value in self.caps.items() if key in own}

    def rows(self, x: Axis, y: Axis, live: bool = False) -> dict[str, Rows]:
        """Return all rows by name; a live chart loads tooltips on request and has handles for caps."""
        return {
            "points": self._points(self.frontier, x, y, "", not live),
            "intervals": [row for point in self.frontier.measured for row in self._interval(point, x, y)],
            "pinned": [] if self.pinned is None else self._points(self.pinned, x, y, PINNED, not live),
            "stairs": stairs(self.frontier, x, y),
            "pinned_stairs": [] if self.pinned is None else stairs(self.pinned, x, y),
            "impossible": unreachable_region(self.possible, x, y),
            "impossible_word": unreachable_label(self.possible, x, y, self._worded(x, y)[0]),
            **self.marked(x, y),
            **self.capped(x, y, grips=live),
            "moving": self.under_slider(x, y, not live),
            **({"cursor": []} if live else {}),
        }

    def _points(self, frontier: Frontier, x: Axis, y: Axis, prefix: str, spoken: bool) -> Rows:
        """Return the row of each point that has a value on both axes."""
        rows, stands, strand = [], efficient(frontier), strands(frontier)
        for i, point in enumerate(frontier.measured):
            placed = self._placed(point, x, y)
            if placed is None:
                continue
            rows.append({
                **placed, "i": i, "number": frontier.number(i), "recipe": recipe_text(point.recipe),
                "line": prefix + line_name(point.recipe),
                "strand": strand[i], "baseline": point.recipe.baseline, "efficient": bool(stands[i]),
                "knee": not prefix and point is self.knee, "said": self._describe_point(point, prefix),
                **(self._spoken(point, frontier) if spoken else {}),
            })  # fmt: skip
        return rows

    def _placed(self, point: Point, x: Axis, y: Axis) -> dict[str, Any] | None:
        across, up = (point.values.get(axis.measure.key, math.nan) for axis in (x, y))
        if math.isnan(across) or math.isnan(up):
            return None
        at = {"x": x.place(across), "y": y.place(up)}
        return {**at, "finite": at == {"x": across, "y": up}}  # False at an edge

    def _interval(self, point: Point, x: Axis, y: Axis) -> Rows:
        """Return a segment along each axis on which a point's value has a 95 % interval."""
        placed, rows = self._placed(point, x, y), []
        for name, axis in (("x", x), ("y", y)):
            ends = point.intervals.get(axis.measure.key)
            if placed is not None and ends is not None:
                at = {key: placed[key[0]] for key in ("x", "x2", "y", "y2")}
                rows.append(at | {name: axis.place(ends[0]), f"{name}2": axis.place(ends[1])})
        return rows

    def _describe_point(self, point: Point, prefix: str = "") -> str:
        """Describe a point for screen readers."""
        values = ", ".join(f"{key} {_value_text(point, key)}" for key in self.frontier.axes)
        return f"{prefix}{baseline_label(recipe_text(point.recipe))}: {values}"

    def _spoken(self, point: Point, frontier: Frontier) -> dict[str, str]:
        values = {f"m{j}": _value_text(point, measure.key) for j, measure in enumerate(self.frontier.measures)}
        suppressed = f" {point.left_out:,} records are suppressed." if point.left_out else ""
        against = f" Not recommended: {join_names(point.against)}." if point.against else ""
        return {**values, "why": f"{frontier.explain(point)}{suppressed}{against}"}

    def marked(self, x: Axis, y: Axis) -> dict[str, Rows]:
        """Return the selected point, the best under the caps, and the labels of points."""
        chosen = self._placed(self.chosen, x, y) if self.chosen else None
        _, named, best = self._worded(x, y)
        return {"chosen": [chosen] if chosen else [], "names": named, "best": best}

    def _worded(self, x: Axis, y: Axis) -> tuple[PlotArea, Rows, Rows]:
        return cached_labels(self.frontier, self.pinned, tuple(self.caps.items()), x, y, self.size)

    def words_placed(self, x: Axis, y: Axis) -> tuple[PlotArea, Rows, Rows]:
        """Return the plot with its labels, the names of points, and the best under the caps with its label."""
        area, at = self._area(x, y), self._to_pixels(x, y)
        named = place_names(area, self._named(x, y), at)
        best = self._placed(self.best, x, y) if self.best else None
        own = [{**best, **area.put("recommended under the cap", at(best), 14, short="recommended")}] if best else []
        return area, named, own

    def _to_pixels(self, x: Axis, y: Axis) -> Callable[[Mapping[str, Any]], tuple[float, float]]:
        """Return a function from a row to its position in pixels from the upper left corner of the plot."""
        width, height = self.size
        return lambda row: (x.share(row["x"]) * width, (1 - y.share(row["y"])) * height)

    def _area(self, x: Axis, y: Axis) -> PlotArea:
        """Return the plot with its points, curves and caps, where labels are placed."""
        at, marks, curves = self._to_pixels(x, y), [], []
        for _, frontier in self.frontiers:
            curved: dict[str, list[tuple[float, float]]] = {}
            for point, strand in zip(frontier.measured, strands(frontier), strict=True):
                if (row := self._placed(point, x, y)) is None:
                    continue
                marks.append(at(row))
                if row["finite"] and not point.recipe.baseline:
                    curved.setdefault(strand, []).append(at(row))
            curves += [np.array(sorted(places)) for places in curved.values()]
        return PlotArea(self.size, marks, curves, self._cap_lines(x, y))

    def _cap_lines(self, x: Axis, y: Axis) -> list[Box]:
        """Return the lines of the caps across the plot."""
        width, height = self.size
        upright = [x.share(row["x"]) * width for row in self._cap(x, "x", False)]
        level = [(1 - y.share(row["y"])) * height for row in self._cap(y, "y", False)]
        return [(at, 0, at, height) for at in upright] + [(0, at, width, at) for at in level]

    def _named(self, x: Axis, y: Axis) -> Rows:
        """Return the points with a label: the baselines and the knee."""
        found: Rows = []
        for prefix, frontier in self.frontiers:
            for point in frontier.measured:
                knee = not prefix and point is self.knee
                if (point.recipe.baseline or knee) and (row := self._placed(point, x, y)) is not None:
                    label = prefix + baseline_label(recipe_text(point.recipe)) if point.recipe.baseline else "knee"
                    label += "".join(self._far(point, axis, arrows) for axis, arrows in ((x, " →←"), (y, " ↑↓")))
                    found.append({"x": row["x"], "y": row["y"], "label": label})
        return found

    @staticmethod
    def _far(point: Point, axis: Axis, arrows: str) -> str:
        """Describe the direction in which a point is outside the axis, and its value."""
        value = point.values[axis.measure.key]
        side = axis.outside(value)
        return f" {arrows[side]} {axis.measure.key} {format_number(value)}" if side else ""

    def capped(self, x: Axis, y: Axis, grips: bool = False) -> dict[str, Rows]:
        """Return the caps on the axes and the regions beyond them; with `grips`, also the handles of axes without a
        cap.
        """
        across, up = self._cap(x, "x", grips), self._cap(y, "y", grips)
        if up and up[0]["label"]:
            up = [{**up[0], **self._along_cap(self._worded(x, y)[0], up[0], x, y)}]
        return {"cap_x": across, "cap_y": up}

    def _along_cap(self, area: PlotArea, row: Mapping[str, Any], x: Axis, y: Axis) -> dict[str, Any]:
        """Return where the label of a cap is placed along its line."""
        level, (width, _) = self._to_pixels(x, y)({"x": x.low, "y": row["y"]})[1], self.size
        long, boxes = 6 * len(row["label"]) + 8, []
        for along, below in SIDES:
            left, top = along * (width - long - 8) + 4, level + 3 if below else level - LINE - 3
            boxes.append((left, top, left + long, top + LINE))
        along, below = SIDES[area.best_of(boxes)]
        return {"along": along, "flip": below == (y.worst > y.low)}

    def _cap(self, axis: Axis, name: str, grips: bool) -> Rows:
        cap = self.caps.get(axis.measure.key)
        if cap is None:
            return [{name: axis.worst, f"{name}2": axis.worst, "label": "", "flip": True}] if grips else []
        low, high = axis.domain
        at = min(max(cap, low), high)
        flip = bool(abs(axis.share(axis.worst) - axis.share(at)) < NARROW)
        return [{name: at, f"{name}2": axis.worst, "label": f"{axis.bound} {format_number(cap)}", "flip": flip}]

    def under_slider(self, x: Axis, y: Axis, spoken: bool = False) -> Rows:
        """Return the point under the slider with its label."""
        if self.moving is None or (placed := self._placed(self.moving, x, y)) is None:
            return []
        more = self._spoken(self.moving, self.frontier) if spoken else {}
        area, at = self._worded(x, y)[0], self._to_pixels(x, y)(placed)
        label = area.put(
            recipe_text(self.moving.recipe), at, 14, bold=True, short=short_recipe_text(self.moving.recipe), take=False
        )
        description = self._describe_point(self.moving, "about " if self.nearly else "")
        row = {**placed, **label, "recipe": str(self.moving.recipe), "said": description, "nearly": bool(self.nearly)}
        return [row | more]


def _value_text(point: Point, key: str) -> str:
    return format_number(point.values.get(key, math.nan)) + format_interval(point.intervals.get(key))


@lru_cache(maxsize=8)
def efficient(frontier: Frontier) -> np.ndarray:
    """Return which points are efficient (cached, since one picture uses it several times)."""
    return frontier.is_efficient()


@lru_cache(maxsize=8)
def cached_labels(
    frontier: Frontier,
    pinned: Frontier | None,
    caps: tuple[tuple[str, float], ...],
    x: Axis,
    y: Axis,
    size: tuple[int, int],
) -> tuple[PlotArea, Rows, Rows]:
    """Return the labels' places, cached while only the selection or the point under the slider changes."""
    return Scene(frontier, pinned, None, dict(caps), -1, size).words_placed(x, y)


@lru_cache(maxsize=8)
def strands(frontier: Frontier) -> list[str]:
    """Return the strand of each point: the points of a line that differ in one number only form a curve.

    If several numbers vary, the one with the most values varies along the curve.
    """
    lines: dict[str, list[tuple[int, dict[str, float]]]] = {}
    for i, point in enumerate(frontier.measured):
        lines.setdefault(point.recipe.line, []).append((i, _all_numbers(point.recipe)))
    found = [""] * len(frontier.measured)
    for name, points in lines.items():
        values: dict[str, set[float]] = {}
        for _, numbers in points:
            for key, value in numbers.items():
                values.setdefault(key, set()).add(value)
        runs = max(values, key=lambda key: len(values[key]))
        for i, numbers in points:
            found[i] = f"{name} {canonical({key: value for key, value in numbers.items() if key != runs})}"
    return found


def _all_numbers(recipe: Recipe) -> dict[str, float]:
    """Return the numeric parameters of the models, or of the noise, and the seed."""
    parts = recipe.model.parts if recipe.model else [recipe.method][: recipe.method.draws]
    found = {f"{place}.{name}": value for place, one in enumerate(parts) for name, value in _numbers(one).items()}
    return {**found, "seed": recipe.seed}


def stairs(frontier: Frontier, x: Axis, y: Axis) -> Rows:
    """Return the staircase of efficient points."""
    losses, stands = frontier.losses(), np.flatnonzero(efficient(frontier))
    order = stands[np.lexsort(losses[stands].T[::-1])]
    corners, above = [], y.worst
    for point in (frontier.measured[int(i)] for i in order):
        across, up = (axis.place(point.values[axis.measure.key]) for axis in (x, y))
        corners += [(across, above), (across, up)]
        above = up
    corners += [(x.worst, above)] if len(order) else []
    return [{"x": across, "y": up, "order": i} for i, (across, up) in enumerate(corners)]


def unreachable_region(possible: Sequence[LowerBounds], x: Axis, y: Axis) -> Rows:
    """Return the upper border of each region, from left to right; the lower one is the end of the axis."""
    low, rows = min(y.domain), []
    for number, least in enumerate(possible):
        for share in np.linspace(0, 1, BORDER):
            at = float(_value_at(x, share))
            top = min(max(least.value_at(max(at, 0.0)), low), max(y.domain))
            rows.append({"x": at, "y": top, "y2": low, "region": number})
    return rows


def unreachable_label(possible: Sequence[LowerBounds], x: Axis, y: Axis, area: PlotArea) -> Rows:
    """Return the region's label, inside it and near the left; empty if it has no space there or would hide a point."""
    if not possible:
        return []
    left, right = ASIDE / area.width, (ASIDE + WIDE) / area.width
    low, high = min(y.domain), max(y.domain)
    tops = [possible[0].value_at(max(float(_value_at(x, share)), 0.0)) for share in (left, (left + right) / 2, right)]
    room = min(y.share(min(max(top, low), high)) for top in tops) * area.height
    middle = area.height - room / 2
    if room < HIGH or not area.is_free((ASIDE, middle - HIGH / 2, ASIDE + WIDE, middle + HIGH / 2)):
        return []
    return [{"x": float(_value_at(x, left)), "y": float(_value_at(y, room / 2 / area.height)), "word": UNREACHABLE}]


def _value_at(axis: Axis, share: float) -> float:
    """Return the value at a share of the scale's domain."""
    first, last = axis.domain
    if axis.log:
        return float(first * (last / first) ** share)
    return first + share * (last - first)


def place_names(area: PlotArea, named: Rows, at: Callable[[Mapping[str, Any]], tuple[float, float]]) -> Rows:
    """Place the names of the baselines and of the knee; omit a pinned baseline at the same place."""
    found: Rows = []
    for row in named:
        same = (other for other in found if row["label"] == PINNED + other["label"])
        if not any(np.abs(np.subtract(at(row), at(other))).max() < OVERLAP for other in same):
            found.append({**row, **area.put(row["label"], at(row), 14)})
    return found


def describe_frontier(scene: Scene) -> str:
    """Describe the chart for screen readers."""
    frontier = scene.frontier
    x, y = (f"{frontier.measure(key).name} ({frontier.measure(key).better} is better)" for key in frontier.axes)
    standing = int(efficient(frontier).sum())
    sentences = [f"Frontier of {x} against {y}: {len(frontier.measured)} points, {standing} efficient."]
    if scene.knee is not None:
        knee = scene.knee
        measures = [frontier.measure(key) for key in frontier.axes]
        values = ", ".join(f"{one.key} {format_number(knee.values[one.key])}" for one in measures)
        sentences.append(f"The knee is {knee.recipe}: {values}.")
    if scene.best is not None:
        sentences.append(f"Recommended under the caps is {scene.best.recipe}.")
    if scene.possible:
        sentences.append("The region that no release in classes can reach is shaded.")
    return " ".join(sentences)


@lru_cache(maxsize=10_000)
def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as text (cached, since the same recipes are drawn repeatedly)."""
    return str(recipe)


def short_recipe_text(recipe: Recipe) -> str:
    """Return the models, or the noise, with their numbers only."""
    if recipe.method.draws and recipe.model is None:
        return _with_numbers(recipe.method)
    if recipe.model is None:
        return baseline_label(recipe_text(recipe)).removeprefix("all ")
    return " & ".join(map(_with_numbers, recipe.model.parts))


def _with_numbers(one: Variant) -> str:
    return ", ".join([one.name, *(f"{name} = {value:g}" for name, value in _numbers(one).items())])


def _numbers(one: Variant) -> dict[str, float]:
    return {name: value for name, value in one.settings().items() if type(value) in (int, float)}


@lru_cache(maxsize=10_000)
def line_name(recipe: Recipe) -> str:
    """Return the line of a recipe."""
    return recipe.line


def baseline_label(recipe: str) -> str:
    """Return the label of a baseline, or the recipe itself."""
    return BASELINE_LABELS.get(recipe, recipe)
