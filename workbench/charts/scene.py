"""What a chart of a frontier draws, as rows: its points, what is pinned, under the slider, capped and selected."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.charts.axis import Axis
from workbench.charts.look import PINNED
from workbench.errors import BadInput, Undefined
from workbench.figures import figures
from workbench.recipe import Point, Recipe

if TYPE_CHECKING:
    from workbench.frontier import Frontier
    from workbench.measures import Measure

Rows = list[dict[str, Any]]
NARROW = 0.14  # beyond a cap this near the end there is no room for words
BASELINE_LABELS = {"keep": "everything kept", "remove": "all quasi-identifiers removed"}


@dataclass(frozen=True)
class Scene:
    """A frontier on two axes, and what else is drawn with it."""

    frontier: Frontier
    pinned: Frontier | None = None
    moving: Point | None = None
    caps: Mapping[str, float] = field(default_factory=dict)
    selected: int = -1

    @property
    def frontiers(self) -> Iterator[tuple[str, Frontier]]:
        """The frontier and the pinned one, with what their lines' names begin with."""
        yield "", self.frontier
        if self.pinned is not None:
            yield PINNED, self.pinned

    @cached_property
    def lines(self) -> list[str]:
        """The curves, the pinned ones behind."""
        named = (prefix + line(p.recipe) for prefix, f in self.frontiers for p in f.measured if not p.recipe.baseline)
        return list(dict.fromkeys(named))

    def axis(self, key: str, before: Axis | None = None) -> Axis:
        """The axis of a measure, around all that is drawn and the measure's best."""
        measure = self.frontier.measure(key)
        points = [point for _, frontier in self.frontiers for point in frontier.measured]
        return self._around(measure, [*self._values(points, key), measure.best], before)

    def own_axis(self, key: str, before: Axis | None = None) -> Axis:
        """The axis of a measure around the points that are no baselines: they would press the others together."""
        own = [point for point in self.frontier.measured if not point.recipe.baseline]
        return self._around(self.frontier.measure(key), self._values(own, key), before)

    def _values(self, points: Sequence[Point], key: str) -> list[float]:
        return [point.values.get(key, math.nan) for point in (*points, *([self.moving] if self.moving else []))]

    def _around(self, measure: Measure, values: Sequence[float], before: Axis | None) -> Axis:
        return Axis.of(measure, values, before, growing=not self.frontier.complete)

    @property
    def chosen(self) -> Point | None:
        """The selected point."""
        measured = self.frontier.measured
        return measured[self.selected] if 0 <= self.selected < len(measured) else None

    @cached_property
    def knee(self) -> Point | None:
        """The knee, if there is one."""
        try:
            return self.frontier.knee
        except Undefined:
            return None

    @cached_property
    def best(self) -> Point | None:
        """The best under the caps; None without a cap, or where no point keeps them: `shortfall` says why."""
        try:
            return self.best_under_caps() if self.held else None
        except BadInput:
            return None

    @cached_property
    def shortfall(self) -> str:
        """Why no point keeps the caps."""
        try:
            self.best_under_caps()
        except BadInput as reason:
            return str(reason)
        return ""

    @cached_property
    def held(self) -> dict[str, float]:
        """The caps on measures that these points have."""
        own = {measure.key for measure in self.frontier.measures}
        return {key: value for key, value in self.caps.items() if key in own}

    def best_under_caps(self) -> Point | None:
        """With a cap on the measure of utility alone, the most private; otherwise the most useful."""
        if not self.held:
            return None
        privacy, utility = self.frontier.axes
        goal = privacy if utility in self.held and privacy not in self.held else utility
        return self.frontier.best(self.held, minimise=goal)

    def rows(self, x: Axis, y: Axis, live: bool = False) -> dict[str, Rows]:
        """All that is drawn, by the name of the rows; a live chart asks what hovering says, and has grips for caps."""
        spoken = not live
        pinned = [] if self.pinned is None else self._points(self.pinned, x, y, PINNED, spoken)
        points = self._points(self.frontier, x, y, "", spoken)
        return {
            "points": points,
            "pinned": pinned,
            "stairs": stairs(self.frontier, x, y),
            "pinned_stairs": [] if self.pinned is None else stairs(self.pinned, x, y),
            "names": names([*points, *(row for row in pinned if row["baseline"])], x, y),
            **self.marked(x, y),
            **self.capped(x, y, grips=live),
            "moving": self.under_slider(x, y, spoken),
            **({"cursor": []} if live else {}),
        }

    def _points(self, frontier: Frontier, x: Axis, y: Axis, prefix: str, spoken: bool) -> Rows:
        """What is drawn of each point that has a value on both axes."""
        rows, stands = [], efficient(frontier)
        for i, point in enumerate(frontier.measured):
            placed = self._placed(point, x, y)
            if placed is None:
                continue
            rows.append({
                **placed, "i": i, "recipe": words(point.recipe), "line": prefix + line(point.recipe),
                "baseline": point.recipe.baseline, "efficient": bool(stands[i]),
                "knee": not prefix and point is self.knee,
                **(self._spoken(point, frontier) if spoken else {}),
            })  # fmt: skip
        return rows

    def _placed(self, point: Point, x: Axis, y: Axis) -> dict[str, Any] | None:
        across, up = (point.values.get(axis.measure.key, math.nan) for axis in (x, y))
        if math.isnan(across) or math.isnan(up):
            return None
        return {"x": x.place(across), "y": y.place(up), "finite": math.isfinite(across) and math.isfinite(up)}

    def _spoken(self, point: Point, frontier: Frontier) -> dict[str, str]:
        values = {f"m{j}": said(point.values.get(m.key, math.nan)) for j, m in enumerate(self.frontier.measures)}
        return {**values, "why": frontier.explain(point)}

    def marked(self, x: Axis, y: Axis) -> dict[str, Rows]:
        """The selected point, and the best under the caps."""
        chosen = self._placed(self.chosen, x, y) if self.chosen else None
        best = self._placed(self.best, x, y) if self.best else None
        return {
            "chosen": [chosen] if chosen else [],
            "best": [{**best, **beside(x.share(best["x"]), 18)}] if best else [],
        }

    def capped(self, x: Axis, y: Axis, grips: bool = False) -> dict[str, Rows]:
        """The caps on the axes, and the region beyond them; with `grips` also where a cap could be drawn from."""
        return {"cap_x": self._cap(x, "x", grips), "cap_y": self._cap(y, "y", grips)}

    def _cap(self, axis: Axis, name: str, grips: bool) -> Rows:
        cap = self.caps.get(axis.measure.key)
        if cap is None:
            return [{name: axis.worst, f"{name}2": axis.worst, "label": "", "flip": True}] if grips else []
        low, high = axis.domain
        at = min(max(cap, low), high)
        flip = bool(abs(axis.share(axis.worst) - axis.share(at)) < NARROW)
        return [{name: at, f"{name}2": axis.worst, "label": f"{axis.bound} {figures(cap)}", "flip": flip}]

    def under_slider(self, x: Axis, y: Axis, spoken: bool = False) -> Rows:
        """The point that moves with the slider, with its recipe beside it."""
        if self.moving is None or (placed := self._placed(self.moving, x, y)) is None:
            return []
        more = self._spoken(self.moving, self.frontier) if spoken else {}
        return [{**placed, "recipe": str(self.moving.recipe), **beside(x.share(placed["x"]), 16), **more}]


@lru_cache(maxsize=8)
def efficient(frontier: Frontier) -> np.ndarray:
    """Which points are efficient; one picture asks it several times."""
    return frontier.is_efficient()


@lru_cache(maxsize=10_000)
def words(recipe: Recipe) -> str:
    """A recipe in words; while points stream in the same ones are drawn again and again."""
    return str(recipe)


@lru_cache(maxsize=10_000)
def line(recipe: Recipe) -> str:
    """The line of a recipe."""
    return recipe.line


def said(value: float) -> str:
    """A value as charts write it."""
    return "undefined" if math.isnan(value) else figures(value)


def baseline_label(recipe: str) -> str:
    """What charts call a recipe: a baseline in words."""
    return BASELINE_LABELS.get(recipe, recipe)


def stairs(frontier: Frontier, x: Axis, y: Axis) -> Rows:
    """The border of what no point beats."""
    losses, stands = frontier.losses(), np.flatnonzero(efficient(frontier))
    order = stands[np.lexsort(losses[stands].T[::-1])]
    corners, above = [], y.worst
    for point in (frontier.measured[int(i)] for i in order):
        across, up = (axis.place(point.values[axis.measure.key]) for axis in (x, y))
        corners += [(across, above), (across, up)]
        above = up
    corners += [(x.worst, above)] if len(order) else []
    return [{"x": across, "y": up, "order": i} for i, (across, up) in enumerate(corners)]


def beside(share: float, away: int) -> dict[str, Any]:
    """To which side of a mark its words have room."""
    return {"align": "right", "dx": -away} if share > 0.5 else {"align": "left", "dx": away}


def names(rows: Sequence[dict[str, Any]], x: Axis, y: Axis) -> Rows:
    """The names of the baselines and of the knee, where they hide least."""
    at = [(x.share(row["x"]), y.share(row["y"])) for row in rows]
    ends = [place for place, row in zip(at, rows, strict=True) if row["baseline"]]
    found = []
    for place, row in zip(at, rows, strict=True):
        own = {"x": row["x"], "y": row["y"]}
        if row["baseline"]:
            prefix = PINNED if row["line"].startswith(PINNED) else ""
            label = prefix + baseline_label(row["recipe"])
            found.append({**own, "name": label, "dy": 17 if prefix else -17, **beside(place[0], 10)})
        elif row["knee"]:
            near = min((max(abs(place[0] - a), abs(place[1] - b)) for a, b in ends), default=1.0)
            found.append({**own, "name": "knee", "align": "left", "dx": 9, "dy": -32 if near < 0.1 else -12})
    return found


def headline(frontier: Frontier, efficient_are: str = "filled", beaten_are: str = "hollow") -> str:
    """How many points are worth a thought."""
    own, standing = int(frontier.recommendable.sum()), int(efficient(frontier).sum())
    return f"{standing} of {own} points are efficient ({efficient_are}); the others are beaten ({beaten_are})"


def left_out(frontier: Frontier) -> int:
    """How many points have no value on an axis."""
    return int(np.isnan(frontier.losses()).any(axis=1).sum())


def spoken(scene: Scene) -> str:
    """The chart in words."""
    frontier = scene.frontier
    x, y = (f"{frontier.measure(key).name} ({frontier.measure(key).better} is better)" for key in frontier.axes)
    standing = int(efficient(frontier).sum())
    said = [f"Frontier of {x} against {y}: {len(frontier.measured)} points, {standing} efficient."]
    if scene.knee is not None:
        knee = scene.knee
        said.append(f"The knee is {knee.recipe}: {', '.join(f'{k} {figures(knee.values[k])}' for k in frontier.axes)}.")
    if scene.best is not None:
        said.append(f"The best under the caps is {scene.best.recipe}.")
    return " ".join(said)
