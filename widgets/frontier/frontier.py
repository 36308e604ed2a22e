"""The interactive frontier: any measure of privacy against any of utility, or all measures at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import traitlets

from widgets.base.part import read_integer, script, styles, with_controls
from widgets.base.vega import ChartPart
from widgets.frontier.picture import Picture, table
from widgets.frontier.saved_picture import SavedPicture
from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number, format_whole_percent
from workbench.charts.frontier import describe_difference, describe_missing, headline
from workbench.charts.scene import Scene, efficient
from workbench.frontier.frontier import SIDES, Frontier
from workbench.frontier.intervals import LEARNING, OVER, describe_intervals
from workbench.frontier.lower_bounds import bounded_support
from workbench.frontier.lower_bounds import describe_multiple as describe_distance
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.search import Budget

VIEWS = ("frontier", "parallel", "heat")
PAUSE = 0.12  # seconds between two drawings while points arrive


class FrontierChart(ChartPart):
    """The chart of `frontier`, which may change often; `moving` is the point of the sliders.

    `selected` is an index of `frontier.measured`, -1 for none; it follows its recipe when more points arrive.
    """

    _esm, _css = script("frontier/frontier"), styles("base/vega", "frontier/frontier")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    pinned = traitlets.Instance(Frontier, allow_none=True, help="a second frontier to compare with")
    moving = traitlets.Instance(Point, allow_none=True, help="the point of the sliders")
    nearly = traitlets.Unicode("", help="how that point is estimated; empty once it is measured")
    empty = traitlets.Unicode(
        "No points yet. Choose a method and its parameters; the candidates appear here as they are measured.",
        help="the text without a chart",
    )
    possible = traitlets.Tuple(help="lower bounds of the losses: of any release, and with exact quasi-identifiers")
    stale = traitlets.Bool(False, help="the points are out of date: dimmed until new points arrive")
    growing = traitlets.Bool(False, help="more points are being measured")
    total = traitlets.Int(0, help="the expected number of points; 0 if unknown")
    axes = traitlets.List(traitlets.Unicode(), help="keys of the measures of privacy and utility").tag(sync=True)
    caps = traitlets.Dict(help="cap by key of the measure").tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    log = traitlets.List(traitlets.Unicode(), help="keys of the measures whose axes are logarithmic").tag(sync=True)
    view = traitlets.Enum(VIEWS, "frontier").tag(sync=True)
    intervals = traitlets.Dict(help="the kind of intervals, and the number of runs").tag(sync=True)
    finds = traitlets.Bool(False, help="whether a search for better points is available").tag(sync=True)
    instead = traitlets.Unicode("", help="the CSS class of the picture in a saved notebook").tag(sync=True)

    def __init__(self, frontier: Frontier | None = None, **traits: Any) -> None:
        self.find: Callable[[str], object] | None = None  # searches within a budget
        self.stop_finding: Callable[[], object] = lambda: None
        self._finding: dict[str, Any] = {"on": False, "text": "", "notes": []}
        self._picture = Picture()
        self._on_axes: dict[str, tuple[Frontier, Frontier]] = {}
        self._next, self._waits = 0.0, False
        self.saved_picture = SavedPicture(self, self._picture)
        super().__init__(frontier=frontier, instead=self.saved_picture.name, **traits)
        self._wanted = self._chosen()
        self.observe(self._changed, ["frontier", "pinned", "axes", "log", "view", "total", "empty", "possible"])
        self.observe(self._follow, "frontier")
        self.observe(self._marked, ["selected", "caps"])
        self.observe(self._moved, ["moving", "nearly"])
        self.observe(lambda _: self.send_message("stale", on=self.stale), "stale")
        self.observe(
            lambda _: self.saved_picture.schedule(), ["frontier", "stale", "growing", "axes", "log", "caps", "selected"]
        )

    def _ipython_display_(self) -> None:
        self.saved_picture.display(self)

    def close(self) -> None:
        self.saved_picture.close()
        super().close()

    def about(self) -> str:
        return f"{len(self.frontier.measured) if self.frontier else 0:,} points"

    def _chosen(self) -> Recipe | None:
        """Return the selected recipe."""
        measured = self.frontier.measured if self.frontier else ()
        return measured[self.selected].recipe if 0 <= self.selected < len(measured) else None

    def _follow(self, change: Any) -> None:
        """Keep the selected recipe selected, also if its point disappears for a while."""
        measured, wanted = (self.frontier.measured if self.frontier else ()), self._wanted
        self.selected = next((i for i, point in enumerate(measured) if point.recipe == wanted), -1)
        self._wanted = wanted

    def _changed(self, change: Any) -> None:
        """Draw at once, and further changes after a pause, since points may arrive faster than they can be drawn."""
        if self._waits:
            return
        wait = self._next - monotonic()
        if self._kernel_thread is None or wait <= 0:
            self._refresh()
        else:
            self._waits = True
            self.call_later(wait, self._refresh)

    def _refresh(self) -> None:
        self._waits, start = False, monotonic()
        self.guarded("", self._draw, False)
        now = monotonic()
        self._next = now + max(PAUSE, 2 * (now - start))  # leave most of the kernel's time to others

    def show(self) -> None:
        self._draw(True)
        self.send_message("finding", **self._finding)

    def finding(self, on: bool, text: str, notes: Sequence[str] | None = None) -> None:
        """Show the progress of a search or of intervals, and at the end what the search tried."""
        self._finding = {"on": on, "text": text, "notes": self._finding["notes"] if notes is None else list(notes)}
        self.send_message("finding", **self._finding)

    def _moved(self, change: Any) -> None:
        """Update the point of a moving slider; redraw the chart only if the point leaves the axes."""
        if self.saved_picture.busy:
            self.saved_picture.schedule()
        if (scene := self.scene) is not None:
            if self._picture.fits(scene):
                self.send_message("moved", rows=self._picture.moved(scene), text=self._words(scene), nearly=self.nearly)
            else:
                self._refresh()

    def _marked(self, change: Any) -> None:
        self._wanted = self._chosen()
        if (scene := self.scene) is not None:
            self.send_message("rows", rows=self._picture.marked(scene))
            self.send_message("capped", **self._capped(scene))

    @property
    def scene(self) -> Scene | None:
        """The content of the chart; None if there is nothing to draw."""
        if (seen := self._on_drawn_axes()) is None:
            return None
        moving = (
            None if self.nearly and self.view != "frontier" else self.moving
        )  # other views cannot mark a point as estimated
        other, log = self._other(seen)[0], frozenset(self.log)
        bound = bounded_support(*(seen.measure(key) for key in seen.axes)) is not None
        possible = self.possible if bound and not self.stale else ()
        return Scene(seen, other, moving, self.caps, self.selected, log=log, nearly=self.nearly, possible=possible)

    def _on_drawn_axes(self) -> Frontier | None:
        """Return the frontier on the drawn axes, cached with its results while both are unchanged."""
        if self.frontier is None or self._nothing():
            return None
        return self._cached("own", self.frontier, self._drawn_axes())

    def _cached(self, name: str, frontier: Frontier, axes: tuple[str, ...]) -> Frontier:
        known = self._on_axes.get(name)
        if known is None or known[0] is not frontier or known[1].axes != axes:
            self._on_axes[name] = known = (frontier, frontier.on(*axes))
        return known[1]

    def _drawn_axes(self) -> tuple[str, ...]:
        """Return the chosen axes if they were measured, otherwise those of the frontier."""
        frontier = self.frontier
        assert frontier is not None
        sides = {measure.key: measure.side for measure in frontier.measures}
        chosen = dict(zip(SIDES, self.axes, strict=False))
        return tuple(
            chosen[side] if sides.get(chosen.get(side, "")) == side else getattr(frontier, side) for side in SIDES
        )

    def _nothing(self) -> str:
        """Return the reason why there is no chart; empty if there is one."""
        if self.frontier is None or not self.frontier.measured:
            if self.total:
                return "Measuring; the first points appear in a moment."
            return self.empty
        for side in SIDES:
            if getattr(self.frontier, side) is None:
                return (
                    f"No measure of {side} was chosen, so there is no trade-off to show. Choose one and measure again."
                )
        axes = self._drawn_axes()
        whys = {tuple(point.reasons.get(key, "") for key in axes) for point in self.frontier.measured}
        if len(whys) == 1 and any(why := whys.pop()):  # the same reason for all points
            reason = with_controls(max(why))
            return f"No point can be drawn: {reason}. Choose sensitive columns in Roles, or other measures."
        return ""

    def _other(self, seen: Frontier) -> tuple[Frontier | None, str]:
        """Return the pinned frontier on the same axes, or the reason why it is not drawn."""
        if self.pinned is None:
            return None, ""
        try:
            return self._cached("pinned", self.pinned, seen.axes), ""
        except BadInput as reason:
            return None, f"The pinned frontier is not drawn: {reason}."

    def _draw(self, whole: bool) -> None:
        """Send texts and rows, and the spec if it has changed or `whole` requests it."""
        scene = self.scene
        if scene is None:
            self.send_message("nothing", text=self._nothing(), pinned=self.pinned is not None)
            return
        spec, rows = self._picture.drawn(self.view, scene, whole)
        frontier = scene.frontier
        self.send_message(
            "picture", view=self.view, spec=spec, rows=rows, legend=self._picture.legend(),
            note=self._note(scene), headline=self._headline(frontier), spoken=self._picture.spoken(scene),
            complete=frontier.complete, left_out=describe_missing(frontier), axes=frontier.axes,
            measures=[_described(measure) for measure in frontier.measures],
            points=table(scene), compared=self._compared(scene), unlike=self._unlike(scene),
            pinned=self.pinned is not None, stale=self.stale,
            moving=self._words(scene), nearly=self.nearly, **self._capped(scene),
        )  # fmt: skip

    def _note(self, scene: Scene) -> str:
        """Explain the shaded region and the intervals."""
        tries = self.intervals and any(point.intervals for point in scene.frontier.measured)
        lines = f"Lines and brackets: {describe_intervals(**self.intervals)}." if tries else ""
        beyond = "A learning researcher may reach the shaded area." if tries and scene.possible and self._learns else ""
        return " ".join(filter(None, [self._picture.note(scene), lines, beyond]))

    @property
    def _learns(self) -> bool:
        return self.intervals.get("over") == LEARNING

    def _headline(self, frontier: Frontier) -> str:
        if frontier.complete:
            return headline(frontier, *self._picture.words)
        done, total = len(frontier.measured), self.total
        so_far = f"{done} of {total} points so far" if total >= done > 0 and total else f"{done} points so far"
        return f"{so_far}: {int(efficient(frontier).sum())} are efficient"

    def _compared(self, scene: Scene) -> str:
        """Compare the areas under the frontier and under the pinned one."""
        if scene.pinned is None:
            return self._other(scene.frontier)[1]
        try:
            own, other = scene.frontier.area, scene.pinned.area
        except Undefined as reason:
            return f"The areas cannot be compared: {reason}."
        if describe_difference(scene.frontier, scene.pinned):
            return ""
        areas = f"Area under the frontier, smaller is better: {format_number(own)}, pinned {format_number(other)}"
        if own == other:
            return f"{areas}. They are equal."
        less, more = min(own, other), max(own, other)
        better = "This one" if own < other else "The pinned one"
        return f"{areas}. {better} is better by {format_whole_percent(1 - less / more)}."

    def _unlike(self, scene: Scene) -> str:
        """Explain that two frontiers are not comparable, if so."""
        why = describe_difference(scene.frontier, scene.pinned) if scene.pinned is not None else ""
        if not why:
            return ""
        return (
            f"Not comparable: the pinned points come from other data, quasi-identifiers, sensitive columns or "
            f"hierarchies ({why}). Their losses concern other adversaries and populations, so a lower loss does "
            "not mean a better release."
        )

    def _words(self, scene: Scene) -> str:
        """Describe the point of the sliders."""
        point = scene.moving
        if point is None:
            return ""
        values = [
            f"{key} {format_number(v)}"
            for key in scene.frontier.axes
            if not math.isnan(v := point.values.get(key, math.nan))
        ]
        if scene.nearly:
            return f"{point.recipe}: about {', '.join(values)}, {scene.nearly}. The release is being computed."
        return f"{point.recipe}: {', '.join(values)}. {scene.frontier.explain(point)}"

    def _capped(self, scene: Scene) -> dict[str, Any]:
        """Return the caps on the axes, and the best point under all caps."""
        text, index = "", -1
        if scene.best is not None:
            drawn = map(scene.frontier.measure, scene.frontier.axes)
            values = ", ".join(f"{one.key} {format_number(scene.best.values[one.key])}" for one in drawn)
            index = next(i for i, point in enumerate(scene.frontier.measured) if point is scene.best)
            word = "caps" if len(scene.held) > 1 else "cap"
            text = f"Recommended under the {word}: {scene.frontier.label(index)}: {values}."
        elif scene.held:
            text = f"Nothing is recommended: {scene.shortfall}"
        return {"caps": self._picture.caps(scene), "best": text, "best_index": index}

    def receive_axis(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the measure of an axis."""
        frontier = self._require_frontier()
        side, key = str(content.get("side")), str(content.get("key"))
        if side not in SIDES:
            raise BadInput(f"there is no axis of {safe_repr(side)}; choose from {' and '.join(SIDES)}")
        chosen = {**dict(zip(SIDES, self._drawn_axes(), strict=True)), side: key}
        self.axes = list(frontier.on(*(chosen[side] for side in SIDES)).axes)

    def receive_scale(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Make an axis logarithmic or linear."""
        side, key = content.get("side"), dict(zip(SIDES, self._drawn_axes(), strict=True)).get(str(content.get("side")))
        if key is None:
            raise BadInput(f"there is no axis of {safe_repr(side)}; choose from {' and '.join(SIDES)}")
        if content.get("on") and not any(
            0 < point.values.get(key, 0) < math.inf for point in self._require_frontier().measured
        ):
            raise BadInput(f"no point has a value above 0 on {key}, so it has no logarithmic axis")
        self.log = [*(one for one in self.log if one != key), *([key] if content.get("on") else [])]

    def receive_cap(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set or remove a cap."""
        key, value = str(content.get("key")), content.get("value")
        if key not in self.caps:
            key = self._require_frontier().key(key)
        text = "" if value is None else str(value).strip()
        kept = {name: cap for name, cap in self.caps.items() if name != key}
        self.caps = {**kept, key: _number(key, text)} if text else kept

    def receive_view(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Switch to another view of the points."""
        view = content.get("view")
        if view not in VIEWS:
            raise BadInput(f"there is no view {safe_repr(view)}; choose from {', '.join(VIEWS)}")
        self.view = view

    def receive_select(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Select a point."""
        last = len(self._require_frontier().measured) - 1
        self.selected = read_integer(content, "index", -1, last, "this point no longer exists; choose one on the chart")

    def receive_find(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Search for better points within a budget."""
        budget = str(content.get("budget", ""))[:40]
        Budget.read(budget)
        if self.find is None:
            raise BadInput("there is no study to search for; open the workbench")
        self.find(budget)

    def receive_intervals(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the kind of intervals, or remove them."""
        over = content.get("over")
        if over not in ("", *OVER):
            raise BadInput(f"there are no intervals over {safe_repr(over)}; choose from {', '.join(OVER)}")
        times = {} if over == LEARNING else {name: one for name, one in self.intervals.items() if name == "times"}
        self.intervals = {"over": over, **times} if over else {}

    def receive_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Cancel the search and keep its points, or cancel the intervals."""
        self.stop_finding()

    def receive_pin(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Pin this frontier to compare others with it, or unpin it."""
        self.pinned = self._require_frontier() if content.get("on") else None

    def receive_why(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Explain which point dominates a point; ignore points that are gone."""
        seen, index = self._on_drawn_axes(), content.get("index")
        if seen is not None and type(index) is int and 0 <= index < len(seen.measured):
            point = seen.measured[index]
            text = f"{seen.explain(point)} {self._distance_from_bound(seen, point)}".rstrip()
            self.send_message("why", index=index, text=with_controls(text))

    def _distance_from_bound(self, seen: Frontier, point: Point) -> str:
        """Describe the distance of a point from the certified bound, if known. The bound does not apply to noise."""
        private, lost = (point.values.get(key, math.nan) for key in seen.axes)
        bound = bounded_support(*(seen.measure(key) for key in seen.axes)) is not None and not point.recipe.baseline
        if not (bound and self.possible and math.isfinite(private + lost)) or point.recipe.method.draws:
            return ""
        exact = point.recipe.method.exact and not point.left_out
        found = len(self.possible) > exact  # otherwise the bound is still being computed
        return describe_distance(self.possible[exact], private, lost, exact) if found else ""

    def receive_left_out(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send the points that are not drawn, with the reasons."""
        if (seen := self._on_drawn_axes()) is not None:
            rows = seen.undefined[["recipe", "reason"]].to_numpy().tolist()
            self.send_message("left_out", rows=[[recipe, with_controls(reason)] for recipe, reason in rows])

    def _require_frontier(self) -> Frontier:
        if self.frontier is None:
            raise BadInput("there are no points yet")
        return self.frontier

    def altair(self, width: int = 760, height: int = 440) -> Any:
        """Return the Altair chart of the current view, to save it or put it into a page."""
        scene = self.scene
        if scene is None:
            raise BadInput(self._nothing())
        if self.stale:
            raise BadInput("the data, roles or recipes have changed; wait for the new points")
        return self._picture.altair(self.view, scene, width, height)


def _number(key: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"the cap on {key} is {text[:20]!r}; enter a number, such as 0.2, or leave it empty for no cap")
    return number


def _described(measure: Any) -> dict[str, str]:
    return {name: getattr(measure, name) for name in ("key", "name", "side", "better", "unit")}
