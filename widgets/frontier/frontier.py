"""The frontier, live: any measure of privacy against any of utility, or all measures at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import traitlets

from widgets.base.part import script, styles, whole
from widgets.base.vega import ChartPart
from widgets.frontier.picture import Picture, table
from widgets.frontier.still import SavedPicture
from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number, format_whole_percent
from workbench.charts.comparison import describe_difference
from workbench.charts.headline import headline, left_out
from workbench.charts.scene import Scene, efficient
from workbench.frontier.budget import Budget
from workbench.frontier.frontier import SIDES, Frontier
from workbench.frontier.intervals import LEARNING, OVER, describe_intervals
from workbench.frontier.lower_bounds import bounded_support
from workbench.frontier.lower_bounds import describe_multiple as far_in_words
from workbench.frontier.recipe import Point, Recipe

VIEWS = ("frontier", "parallel", "heat")
PAUSE = 0.12  # seconds between two pictures while points stream in


class FrontierChart(ChartPart):
    """Points come in as `frontier`, as often as they like; `moving` is the point under a slider.

    `selected` is an index of `frontier.measured`, -1 for none; it stays with its recipe when more points arrive.
    """

    _esm, _css = script("base/vega", "base/drag", "frontier/frontier"), styles("base/vega", "frontier/frontier")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    pinned = traitlets.Instance(Frontier, allow_none=True, help="a second frontier to compare with")
    moving = traitlets.Instance(Point, allow_none=True, help="the point under the slider")
    nearly = traitlets.Unicode("", help="what that point is estimated from; empty once it is measured")
    empty = traitlets.Unicode(
        "No points yet. Choose a method and its parameters; the candidates appear here as they are measured.",
        help="what stands where the chart would be",
    )
    possible = traitlets.Tuple(help="the least losses that are possible: of any release, with exact quasi-identifiers")
    stale = traitlets.Bool(False, help="the points are out of date: dimmed until new points arrive")
    growing = traitlets.Bool(False, help="more points are being measured")
    total = traitlets.Int(0, help="how many points there will be; 0 where nobody knows")
    axes = traitlets.List(traitlets.Unicode(), help="keys of the measures of privacy and utility").tag(sync=True)
    caps = traitlets.Dict(help="cap by key of the measure").tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    log = traitlets.List(traitlets.Unicode(), help="keys of the measures whose axes are logarithmic").tag(sync=True)
    view = traitlets.Enum(VIEWS, "frontier").tag(sync=True)
    intervals = traitlets.Dict(help="what figures have intervals over, and how many times").tag(sync=True)
    finds = traitlets.Bool(False, help="there is somebody who searches for better points").tag(sync=True)
    instead = traitlets.Unicode("", help="the class of the picture that a saved notebook has instead").tag(sync=True)

    def __init__(self, frontier: Frontier | None = None, **traits: Any) -> None:
        self.find: Callable[[str], object] | None = None  # searches within a budget
        self.stop_finding: Callable[[], object] = lambda: None
        self._finding: dict[str, Any] = {"on": False, "text": "", "notes": []}
        self._picture = Picture()
        self._on_axes: dict[str, tuple[Frontier, Frontier]] = {}
        self._next, self._waits = 0.0, False
        self.still = SavedPicture(self, self._picture)
        super().__init__(frontier=frontier, instead=self.still.name, **traits)
        self._wanted = self._chosen()
        self.observe(self._changed, ["frontier", "pinned", "axes", "log", "view", "total", "empty", "possible"])
        self.observe(self._follow, "frontier")
        self.observe(self._marked, ["selected", "caps"])
        self.observe(self._moved, ["moving", "nearly"])
        self.observe(lambda _: self.tell("stale", on=self.stale), "stale")
        self.observe(lambda _: self.still.soon(), ["frontier", "stale", "growing", "axes", "log", "caps", "selected"])

    def _ipython_display_(self) -> None:
        self.still.beside(self)

    def close(self) -> None:
        self.still.close()
        super().close()

    def about(self) -> str:
        return f"{len(self.frontier.measured) if self.frontier else 0:,} points"

    def _chosen(self) -> Recipe | None:
        """The recipe that is selected."""
        measured = self.frontier.measured if self.frontier else ()
        return measured[self.selected].recipe if 0 <= self.selected < len(measured) else None

    def _follow(self, change: Any) -> None:
        """The selected recipe stays selected, wherever it is now; also where it comes back only later."""
        measured, wanted = (self.frontier.measured if self.frontier else ()), self._wanted
        self.selected = next((i for i, point in enumerate(measured) if point.recipe == wanted), -1)
        self._wanted = wanted

    def _changed(self, change: Any) -> None:
        """A picture at once, the next ones after a pause: points may stream in faster than anybody looks."""
        if self._waits:
            return
        wait = self._next - monotonic()
        if self._turns is None or wait <= 0:
            self._refresh()
        else:
            self._waits = True
            self.later(wait, self._refresh)

    def _refresh(self) -> None:
        self._waits, start = False, monotonic()
        self.guarded("", self._draw, False)
        now = monotonic()
        self._next = now + max(PAUSE, 2 * (now - start))  # most of the kernel's time is for others

    def show(self) -> None:
        self._draw(True)
        self.tell("finding", **self._finding)

    def finding(self, on: bool, text: str, notes: Sequence[str] | None = None) -> None:
        """Show the progress of a search or of intervals; at the end what the search tried."""
        self._finding = {"on": on, "text": text, "notes": self._finding["notes"] if notes is None else list(notes)}
        self.tell("finding", **self._finding)

    def _moved(self, change: Any) -> None:
        """While a slider moves: one row, unless the point leaves the axes; the picture for later waits for the hand."""
        if self.still.busy:
            self.still.soon()
        if (scene := self.scene) is not None:
            if self._picture.fits(scene):
                self.tell("moved", rows=self._picture.moved(scene), text=self._words(scene), nearly=self.nearly)
            else:
                self._refresh()

    def _marked(self, change: Any) -> None:
        self._wanted = self._chosen()
        if (scene := self.scene) is not None:
            self.tell("rows", rows=self._picture.marked(scene))
            self.tell("capped", **self._capped(scene))

    @property
    def scene(self) -> Scene | None:
        """The content of the chart; None if there is nothing to draw."""
        if (seen := self._seen()) is None:
            return None
        moving = None if self.nearly and self.view != "frontier" else self.moving  # no other view can mark it as such
        other, log = self._other(seen)[0], frozenset(self.log)
        bound = bounded_support(*(seen.measure(key) for key in seen.axes)) is not None
        possible = self.possible if bound and not self.stale else ()
        return Scene(seen, other, moving, self.caps, self.selected, log=log, nearly=self.nearly, possible=possible)

    def _seen(self) -> Frontier | None:
        """The frontier on the axes that are drawn, kept while it is the same: so is what it has worked out."""
        if self.frontier is None or self._nothing():
            return None
        return self._kept("own", self.frontier, self._drawn_axes())

    def _kept(self, name: str, frontier: Frontier, axes: tuple[str, ...]) -> Frontier:
        known = self._on_axes.get(name)
        if known is None or known[0] is not frontier or known[1].axes != axes:
            self._on_axes[name] = known = (frontier, frontier.on(*axes))
        return known[1]

    def _drawn_axes(self) -> tuple[str, ...]:
        """The axes as chosen, where the points have them; otherwise as the frontier has them."""
        frontier = self.frontier
        assert frontier is not None
        sides = {measure.key: measure.side for measure in frontier.measures}
        chosen = dict(zip(SIDES, self.axes, strict=False))
        return tuple(
            chosen[side] if sides.get(chosen.get(side, "")) == side else getattr(frontier, side) for side in SIDES
        )

    def _nothing(self) -> str:
        """Why there is nothing to draw."""
        if self.frontier is None or not self.frontier.measured:
            if self.total:
                return "Measuring; the first points appear in a moment."
            return self.empty
        for side in SIDES:
            if getattr(self.frontier, side) is None:
                return f"No measure of {side} was taken, so there is nothing to weigh. Choose one and measure again."
        axes = self._drawn_axes()
        whys = {tuple(point.reasons.get(key, "") for key in axes) for point in self.frontier.measured}
        if len(whys) == 1 and any(why := whys.pop()):  # of all points the same
            return f"No point can be drawn: {max(why)}. Choose what must not be learnt in Roles, or other measures."
        return ""

    def _other(self, seen: Frontier) -> tuple[Frontier | None, str]:
        """The pinned frontier on the same axes, or why it is not drawn."""
        if self.pinned is None:
            return None, ""
        try:
            return self._kept("pinned", self.pinned, seen.axes), ""
        except BadInput as reason:
            return None, f"The pinned frontier is not drawn: {reason}."

    def _draw(self, whole: bool) -> None:
        """The words, the rows, and the spec where it is another one or a view has come."""
        scene = self.scene
        if scene is None:
            self.tell("nothing", text=self._nothing(), pinned=self.pinned is not None)
            return
        spec, rows = self._picture.drawn(self.view, scene, whole)
        frontier = scene.frontier
        self.tell(
            "picture", view=self.view, spec=spec, rows=rows, legend=self._picture.legend(),
            note=self._note(scene), headline=self._headline(frontier), spoken=self._picture.spoken(scene),
            complete=frontier.complete, left_out=left_out(frontier), axes=frontier.axes,
            measures=[_described(measure) for measure in frontier.measures],
            points=table(scene), compared=self._compared(scene), unlike=self._unlike(scene),
            pinned=self.pinned is not None, stale=self.stale,
            moving=self._words(scene), nearly=self.nearly, **self._capped(scene),
        )  # fmt: skip

    def _note(self, scene: Scene) -> str:
        """Explain the shaded region and the intervals."""
        tries = self.intervals and any(point.intervals for point in scene.frontier.measured)
        lines = f"Lines and brackets: {describe_intervals(**self.intervals)}." if tries else ""
        beyond = "A researcher who learns may get into the shade." if tries and scene.possible and self._learns else ""
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
        """One sentence about the two areas."""
        if scene.pinned is None:
            return self._other(scene.frontier)[1]
        try:
            own, other = scene.frontier.area, scene.pinned.area
        except Undefined as reason:
            return f"The two cannot be compared by one number: {reason}."
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
        """The point under the slider in words."""
        point = scene.moving
        if point is None:
            return ""
        values = [
            f"{key} {format_number(v)}"
            for key in scene.frontier.axes
            if not math.isnan(v := point.values.get(key, math.nan))
        ]
        if scene.nearly:
            return f"{point.recipe}: about {', '.join(values)}, {scene.nearly}. It is being made and measured."
        return f"{point.recipe}: {', '.join(values)}. {scene.frontier.explain(point)}"

    def _capped(self, scene: Scene) -> dict[str, Any]:
        """The caps on the axes, and the best under all caps."""
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

    def hear_axis(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Another measure on an axis."""
        frontier = self._there()
        side, key = str(content.get("side")), str(content.get("key"))
        if side not in SIDES:
            raise BadInput(f"there is no axis of {safe_repr(side)}; there are {' and '.join(SIDES)}")
        chosen = {**dict(zip(SIDES, self._drawn_axes(), strict=True)), side: key}
        self.axes = list(frontier.on(*(chosen[side] for side in SIDES)).axes)

    def hear_scale(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """A logarithmic axis, or a linear one."""
        side, key = content.get("side"), dict(zip(SIDES, self._drawn_axes(), strict=True)).get(str(content.get("side")))
        if key is None:
            raise BadInput(f"there is no axis of {safe_repr(side)}; there are {' and '.join(SIDES)}")
        if content.get("on") and not any(0 < point.values.get(key, 0) < math.inf for point in self._there().measured):
            raise BadInput(f"no point has a value above 0 on {key}, so it has no logarithmic axis")
        self.log = [*(one for one in self.log if one != key), *([key] if content.get("on") else [])]

    def hear_cap(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """A cap typed or dragged; an empty one goes."""
        key, value = str(content.get("key")), content.get("value")
        if key not in self.caps:
            key = self._there().key(key)
        text = "" if value is None else str(value).strip()
        kept = {name: cap for name, cap in self.caps.items() if name != key}
        self.caps = {**kept, key: _number(key, text)} if text else kept

    def hear_view(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Another view of the same points."""
        view = content.get("view")
        if view not in VIEWS:
            raise BadInput(f"there is no view {safe_repr(view)}; there are {', '.join(VIEWS)}")
        self.view = view

    def hear_select(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """A point was clicked, or chosen by key."""
        last = len(self._there().measured) - 1
        self.selected = whole(content, "index", -1, last, "there is no such point any more; choose one that is drawn")

    def hear_find(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Search for better points, as long as was typed."""
        budget = str(content.get("budget", ""))[:40]
        Budget.read(budget)
        if self.find is None:
            raise BadInput("there is no study to search for; open the workbench")
        self.find(budget)

    def hear_intervals(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Figures are to have intervals, over records, seeds or learning, or none."""
        over = content.get("over")
        if over not in ("", *OVER):
            raise BadInput(f"there are no intervals over {safe_repr(over)}; there are {', '.join(OVER)}")
        times = {} if over == LEARNING else {name: one for name, one in self.intervals.items() if name == "times"}
        self.intervals = {"over": over, **times} if over else {}

    def hear_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """The search is cancelled, and what was found stays; or intervals are."""
        self.stop_finding()

    def hear_pin(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Keep this frontier to compare the next ones with, or let it go."""
        self.pinned = self._there() if content.get("on") else None

    def hear_why(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Explain which point dominates a point; ignore points that are gone."""
        seen, index = self._seen(), content.get("index")
        if seen is not None and type(index) is int and 0 <= index < len(seen.measured):
            point = seen.measured[index]
            self.tell("why", index=index, text=f"{seen.explain(point)} {self._from_possible(seen, point)}".rstrip())

    def _from_possible(self, seen: Frontier, point: Point) -> str:
        """Describe the distance of a point from the certified bound, if known; noise can be corrected."""
        private, lost = (point.values.get(key, math.nan) for key in seen.axes)
        bound = bounded_support(*(seen.measure(key) for key in seen.axes)) is not None and not point.recipe.baseline
        if not (bound and self.possible and math.isfinite(private + lost)) or point.recipe.method.draws:
            return ""
        exact = point.recipe.method.exact and not point.left_out
        found = len(self.possible) > exact  # else that is still being looked for
        return far_in_words(self.possible[exact], private, lost, exact) if found else ""

    def hear_left_out(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """The points that are not drawn, and why."""
        if (seen := self._seen()) is not None:
            self.tell("left_out", rows=seen.undefined[["recipe", "reason"]].to_numpy().tolist())

    def _there(self) -> Frontier:
        if self.frontier is None:
            raise BadInput("there are no points yet")
        return self.frontier

    def altair(self, width: int = 760, height: int = 440) -> Any:
        """Return the Altair chart of the current view, to save it or put it into a page."""
        scene = self.scene
        if scene is None:
            raise BadInput(self._nothing())
        if self.stale:
            raise BadInput("these points are of data, roles or recipes that have changed; wait for the new ones")
        return self._picture.altair(self.view, scene, width, height)


def _number(key: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"the cap on {key} is {text[:20]!r}; give a number, as 0.2, or leave it empty for no cap")
    return number


def _described(measure: Any) -> dict[str, str]:
    return {name: getattr(measure, name) for name in ("key", "name", "side", "better", "unit")}
