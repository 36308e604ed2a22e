"""The release card: sliders for the recipe, privacy and utility losses, and neighbors on the frontier."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import traitlets

from widgets.base.given import table_of
from widgets.base.part import Part, script, styles, whole
from widgets.base.worker import Seldom, Tell, Worker
from widgets.parameters import ranges, shares
from widgets.parameters.draft import Draft
from widgets.release import facts
from widgets.release.neighbours import (
    METHOD,
    Change,
    Neighbour,
    changed,
    comparable,
    difference,
    expected,
    moved,
    neighbours,
    offered,
    part_of,
    stands,
    tried,
)
from widgets.release.underway import PATIENT, SENT, Underway
from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr
from workbench.base.progress import cancellable
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import point_of
from workbench.measures import Measure, default_measures
from workbench.methods import Mondrian
from workbench.models import Model
from workbench.releases.base import Release
from workbench.studies.study import variant

PROMPT = 0.08  # seconds after which a release that is still being made is drawn where it is expected


class ReleaseCard(Part):
    """The card of one release: `recipe` is set from outside or by the sliders; `release` and `point` follow.

    If a release cannot be made, the reason is shown and the last good release stays. When `table` or `measures` change,
    `release` and `point` are None until they are made again.
    """

    _esm = script("release/release")
    _css = styles("release/release")
    table = traitlets.Instance(Table, allow_none=True)
    measures: traitlets.List = traitlets.List(help="measures, or what a study says of them")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    caps = traitlets.Dict(help="what is accepted at most, or at least, by the key of a measure")
    recipe = traitlets.Instance(Recipe, allow_none=True)
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    point = traitlets.Instance(Point, allow_none=True)
    making = traitlets.Bool(False, help="whether a release is being made")
    expected = traitlets.Instance(Neighbour, None, allow_none=True, help="about the point that is still being made")
    kept: traitlets.List = traitlets.List(help="the recipe whose point is to join the study; it changes at each ask")

    def __init__(
        self,
        table: Any = None,
        measures: Sequence[Measure | Mapping[str, Any]] | None = None,
        recipe: Recipe | None = None,
        **traits: Any,
    ) -> None:
        measured = default_measures() if measures is None else list(measures)
        self.keeps: Callable[[], Store] | None = None  # where a release that is drawn at random is kept
        self._own = False  # a change of the recipe that came from here
        self._asked: Recipe | None = None  # what the sliders say
        self._ask: Any = None  # the question that said so last
        self._redraw = False  # other controls are to be drawn with the point
        self._reason = ""  # why that cannot be had
        self._held: tuple[Recipe | None, Any, dict[str, Any]] = (None, None, {})  # what was chosen of a part of it
        self._beside: list[Neighbour] = []
        self._change: Change | None = None
        self._underway = Underway(lambda text: self.tell("doing", text=text))
        super().__init__(table=table_of(table), measures=measured, recipe=recipe, **traits)
        self._maker, self._seeker = Worker(self._failed), Worker(partial(self.wrong, "asked"))  # each by itself
        self.observe(self._given, ["table", "measures", "recipe"])
        self.observe(lambda _: self._tell_point(), ["frontier", "caps"])
        self._given({"name": "recipe"})

    @traitlets.validate("measures")
    def _measures(self, proposal: Mapping[str, Any]) -> list[Measure]:
        return [one if isinstance(one, Measure) else variant("measure", one) for one in proposal["value"]]

    def about(self) -> str:
        return str(self.point.recipe) if self.point else self._reason or "no release yet"

    @property
    def reason(self) -> str:
        """Why what was asked for last cannot be had; nothing where it can."""
        return self._reason

    # --- making it

    def _given(self, event: Mapping[str, Any]) -> None:
        """Make the release again for another table, other measures, or a recipe from outside."""
        if self._own:
            return
        if event["name"] == "recipe" or self._asked is None:
            self._asked = self.recipe
        if self._asked is None or self.table is None:
            self._seeker.forget()
            self._maker.forget()
            self._reason, self.making = "", False
            self._set(self._asked, None, None)
            self.show()
            return
        if event["name"] != "recipe":  # the release, or its point, is out of date
            self.making = True
            self._set(self.recipe, None, None)
        self._make(self._asked, outside=True)
        if self._waits():
            self._tell_point()

    def _make(self, recipe: Recipe, outside: bool = False) -> None:
        """Make release and point in the background; a newer recipe replaces an older one."""
        table, measures = self.table, list(self.measures)
        self._asked, self._redraw = recipe, self._redraw or outside
        if table is None:
            raise BadInput("there is no table yet; choose data and quasi-identifiers first")
        store = self.keeps() if recipe.method.draws and self.keeps is not None else None

        def job(cancel: threading.Event, tell: Tell) -> None:
            try:
                recipe.method.check(table)
                with cancellable(cancel, Seldom(lambda words: tell(self._underway.hears, words))):
                    release = recipe.release(table, store)
                    point = point_of(recipe, release, measures)
            except (BadInput, Unsatisfiable, Undefined) as error:
                tell(self._refused, str(error))
            else:
                tell(self._made, recipe, release, point)

        self._seeker.forget()
        self.making = True
        self._underway.begin()
        self._maker.start(job)

    def _made(self, recipe: Recipe, release: Release, point: Point) -> None:
        """Update the chart first; the other sentences take longer, and are cached."""
        self._reason = ""
        self._set(recipe, release, point)

        def job(cancel: threading.Event, tell: Tell) -> None:
            if not cancel.wait(SENT):
                facts.work_out(point, release, list(self.measures))
                tell(self._finished)

        self._maker.start(job)

    def _finished(self) -> None:
        self._underway.end()
        self.making = False
        self._tell_all()

    def _refused(self, reason: str) -> None:
        """The last good release stays, with its recipe, if there is one of this table."""
        self._reason = reason
        self._underway.end()
        self._set(self.point.recipe if self.point else self._asked, self.release, self.point)
        self.making = False
        self._tell_all()

    def _set(self, recipe: Recipe | None, release: Release | None, point: Point | None) -> None:
        self._own = True
        try:
            with self.hold_trait_notifications():
                self.expected = None
                self.recipe, self.point, self.release = recipe, point, release  # told in this order: the chart is first
        finally:
            self._own = False

    def _failed(self, error: BaseException) -> None:
        self._underway.end()
        self.expected, self.making = None, False
        self.wrong("asked", error)
        self.tell("answered", ask=self._ask)
        if self.point is None:
            self._tell_point()

    @property
    def _measured(self) -> bool:
        """Return whether the requested point has been measured."""
        return self.point is not None and self.point.recipe is self._asked

    def _waits(self) -> bool:
        """Return whether a new point is pending."""
        return self.making and (self.point is None or self.expected is not None)

    @property
    def asked(self) -> Recipe | None:
        """The recipe that was asked for last, whether its release is there or not."""
        return self._asked

    def back(self) -> None:
        """Return to the present release, and cancel newer requests."""
        if self.making and self.point is not None:
            self._leave()

    def _leave(self) -> None:
        self._maker.forget()
        self._underway.end()
        if self.point is not None:
            self._asked = self.point.recipe
            self._set(self.point.recipe, self.release, self.point)
        self.making = False
        self.show()

    def hear_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Cancel the release that is being made."""
        if self.making:
            self._underway.stop()
            self._leave()

    # --- what the front end asks

    def hear_move(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Follow a slider or its number field."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            now = part_of(recipe, part)
            value = ranges.one(content.get("value"), type(now), name, self.table)
            ends = ranges.ends(type(now), name, self.table, shares.stands_at(now, name))
            beyond = value is not None and not ends.low <= value <= ends.high  # typed: the slider has to grow
            self._make(wanted := moved(recipe, part, name, value), outside=beyond)
            self.later(PROMPT, lambda: self._expect(wanted, part, name))

    def _expect(self, recipe: Recipe, part: int | str, name: str) -> None:
        """Before the exact point is there: about where it will be, from points that were measured before."""
        if self._asked is recipe and self.making and not self._measured:
            self.expected = expected(self.frontier, recipe, part, name)
            if self.expected is not None:
                self._tell_point()

    def hear_pick(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """One of a parameter's choices."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            chosen = Draft.of(type(part_of(recipe, part)), part_of(recipe, part).settings())
            chosen.choose(name, [content.get("place")], self.table)
            self._take(recipe, part, name, chosen.values[name])

    def hear_columns(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Names of columns were typed."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            chosen = Draft.of(type(part_of(recipe, part)), part_of(recipe, part).settings())
            chosen.type(name, str(content.get("text", "")), self.table)
            self._take(recipe, part, name, chosen.values[name])

    def _take(self, recipe: Recipe, part: int | str, name: str, values: Sequence[Any]) -> None:
        """An option, with those before that could not be had without it."""
        if len(values) > 1:
            raise BadInput(f"{name}: these are {len(values)} releases; leave all but one out")
        was, where, before = self._held
        self._held = recipe, part, {**(before if was is recipe and where == part else {}), name: values[0]}
        self._make(changed(recipe, part, **self._held[2]), outside=True)

    @contextmanager
    def _answering(self, content: Mapping[str, Any]) -> Iterator[None]:
        """A question of a view, which waits for an answer before it asks the next; a refusal is one."""
        self._ask = content.get("ask")
        try:
            yield
        except BadInput:
            self.tell("answered", ask=self._ask)
            raise

    def hear_model(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Another model, at its default; the method stays."""
        models, name = catalog("workbench.models", Model), content.get("name")
        if not isinstance(name, str) or name not in models:
            raise BadInput(f"no model is called {safe_repr(name)}; there are {', '.join(models)}")
        asked = self._asked
        method = asked.method if asked and not asked.baseline and asked.method.keeps_models else Mondrian()
        seed = self._asked.seed if self._asked else 0
        self._make(Recipe(method, models[name](), seed), outside=True)

    def hear_select(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """One of the alternatives."""
        gone = "this alternative is gone; choose one of those shown"
        recipe = self._beside[whole(content, "place", 0, len(self._beside) - 1, gone)].point.recipe
        if content.get("recipe") != str(recipe):
            raise BadInput(gone)  # the view showed others when it was clicked
        self.recipe = recipe

    def hear_rest(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """The hand rests: what overlapping classes or draws tell together, and the small change that is worth most."""
        point, table, frontier, measures = self.point, self.table, self.frontier, list(self.measures)
        release, prompt = self.release, self._underway.took < PATIENT
        if point is None or table is None or release is None or self._asked != point.recipe:
            return  # what was asked for last is still being made, or cannot be had

        def job(cancel: threading.Event, tell: Tell) -> None:
            if text := facts.together(point, release, measures, frontier):
                tell(self._tell_pooled, point, text)
            if comparable(frontier, point):
                tell(self._tell_change, point, tried(point, table, measures) if prompt else None)

        self._seeker.start(job)

    def hear_take(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """The small change that was found."""
        if self._change is not None and content.get("take") == self._change.step:
            self.recipe = self._change.point.recipe

    def hear_hold(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """This point is to join the study."""
        if self.recipe is not None and not self._waits():
            with self.hold_trait_notifications():  # one change, also where the same was asked for before
                self.kept = []
                self.kept = [self.recipe]
        self._tell_point()

    def _place(self, content: Mapping[str, Any]) -> tuple[Recipe, int | str, str]:
        """The recipe under the sliders, and which of its parameters a message is about."""
        part, name = content.get("part"), str(content.get("name", ""))
        if self._asked is None:
            raise BadInput("there is no release yet; choose a model")
        if name not in part_of(self._asked, part).parameters():  # type: ignore[arg-type]
            raise BadInput(f"this release's recipe has no parameter {safe_repr(name)}")
        return self._asked, part, name  # type: ignore[return-value]

    # --- what the view draws

    def show(self) -> None:
        """Sliders and figures."""
        self._tell_controls()
        self._tell_point()

    def _tell_all(self) -> None:
        if self._redraw:
            self._tell_controls()
        self._tell_point()

    def _tell_controls(self) -> None:
        """A slider or a choice for every parameter, from its declaration."""
        recipe, parts, self._redraw = self._asked, [], False
        if recipe is not None:
            models = list(recipe.model.parts) if recipe.model else []
            for place, one in [*enumerate(models), (METHOD, recipe.method)]:
                parts.append({"part": place, **Draft.of(type(one), one.settings()).view(self.table)})
        self.tell(
            "controls",
            ask=self._ask,
            parts=parts,
            models=[
                {"name": name, "about": kind.describe()} for name, kind in catalog("workbench.models", Model).items()
            ],
            model=recipe.model.parts[0].name if recipe and recipe.model else "",
            ready=self.table is not None,
        )

    def _tell_point(self) -> None:
        if self.making and self._measured:
            return  # told when there is something to say of it
        point, frontier, self._change = self.point, self.frontier, None
        beside = point is not None and comparable(frontier, point)
        self._beside = neighbours(frontier, point) if beside else []  # type: ignore[arg-type]
        self.tell(
            "point",
            ask=self._ask,
            waits=self._waits(),
            expected=self.expected.why if self.expected else "",
            asked=str(self._asked) if self._asked else "",
            doing=self._underway.text,
            stopped=self._underway.stopped,
            reason=self._reason,
            values=stands(self._asked) if self._asked else {},
            **facts.told(point, self.release, self.measures, frontier, self.table, self.caps),
            place=frontier.explain(point) if beside else "",  # type: ignore[union-attr,arg-type]
            alternatives=[
                {"recipe": str(one.point.recipe), "why": one.why, "difference": difference(frontier, point, one.point)}  # type: ignore[arg-type]
                for one in self._beside
            ],
            kept=frontier is not None and any(one.recipe == self.recipe for one in frontier.measured),
        )

    def _tell_pooled(self, about_point: Point, text: str) -> None:
        if about_point is self.point:
            self.tell("pooled", text=text)

    def _tell_change(self, about_point: Point, changes: list[Change] | None) -> None:
        if about_point is self.point and self.frontier is not None:
            self._change, text = offered(self.frontier, about_point, changes, self._underway.took)
            self.tell("change", text=text, take=self._change.step if self._change else "")
