"""The release card: sliders for the recipe, privacy and utility losses, and neighbors on the frontier."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.part import Part, read_integer, script, styles, with_controls
from widgets.base.worker import CallSoon, Throttle, Worker
from widgets.parameters import ranges, shares
from widgets.parameters.draft import Draft
from widgets.release import facts
from widgets.release.neighbours import (
    METHOD,
    Change,
    Neighbour,
    changed,
    comparable,
    control_values,
    difference,
    expected,
    measure_changes,
    moved,
    neighbours,
    part_of,
    suggest_change,
)
from widgets.release.underway import SEND_SECONDS, SLOW, Underway
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

PROMPT = 0.08  # seconds after which an estimated point is drawn for an unfinished release


class ReleaseCard(Part):
    """The card of one release: `recipe` is set by the program or by the sliders; `release` and `point` follow.

    If a release cannot be made, the reason is shown and the last valid release remains. When `table` or `measures`
    change, `release` and `point` are None until they are computed again.
    """

    _esm = script("release/release")
    _css = styles("release/release")
    table = traitlets.Instance(Table, allow_none=True)
    measures: traitlets.List = traitlets.List(help="measures, or their settings in a study")
    frontier = traitlets.Instance(Frontier, allow_none=True)
    caps = traitlets.Dict(help="the maximum or minimum that is accepted, by the key of a measure")
    recipe = traitlets.Instance(Recipe, allow_none=True)
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    point = traitlets.Instance(Point, allow_none=True)
    making = traitlets.Bool(False, help="whether a release is being made")
    expected = traitlets.Instance(Neighbour, None, allow_none=True, help="the estimated point of an unfinished release")
    kept: traitlets.List = traitlets.List(help="the recipe to add to the study; set again on every request")

    def __init__(
        self,
        table: Any = None,
        measures: Sequence[Measure | Mapping[str, Any]] | None = None,
        recipe: Recipe | None = None,
        **traits: Any,
    ) -> None:
        measured = default_measures() if measures is None else list(measures)
        self.keeps: Callable[[], Store] | None = None  # the store of random releases
        self._own = False  # the recipe is being changed by this card
        self._requested: Recipe | None = None  # the recipe of the sliders
        self._ask: Any = None  # the number of the last request
        self._redraw = False  # controls are sent again with the point
        self._reason = ""  # why the requested release is impossible
        self._held: tuple[Recipe | None, Any, dict[str, Any]] = (
            None,
            None,
            {},
        )  # the last choices for one part of a recipe
        self._alternatives: list[Neighbour] = []
        self._change: Change | None = None
        self._underway = Underway(lambda text: self.send_message("doing", text=text))
        super().__init__(table=table_from_input(table), measures=measured, recipe=recipe, **traits)
        self._maker, self._seeker = Worker(self._failed), Worker(partial(self.wrong, "asked"))
        self.observe(self._changed, ["table", "measures", "recipe"])
        self.observe(lambda _: self._send_point(), ["frontier", "caps"])
        self._changed({"name": "recipe"})

    @traitlets.validate("measures")
    def _measures(self, proposal: Mapping[str, Any]) -> list[Measure]:
        return [one if isinstance(one, Measure) else variant("measure", one) for one in proposal["value"]]

    def about(self) -> str:
        return str(self.point.recipe) if self.point else self._reason or "no release yet"

    @property
    def reason(self) -> str:
        """The reason why the requested release is impossible; empty otherwise."""
        return self._reason

    # --- computing the release

    def _changed(self, event: Mapping[str, Any]) -> None:
        """Compute the release again for another table, other measures, or a recipe set by the program."""
        if self._own:
            return
        if event["name"] == "recipe" or self._requested is None:
            self._requested = self.recipe
        if self._requested is None or self.table is None:
            self._seeker.forget()
            self._maker.forget()
            self._reason, self.making = "", False
            self._set(self._requested, None, None)
            self.show()
            return
        if event["name"] != "recipe":  # the release, or its point, is out of date
            self.making = True
            self._set(self.recipe, None, None)
        self._make(self._requested, outside=True)
        if self._waits():
            self._send_point()

    def _make(self, recipe: Recipe, outside: bool = False) -> None:
        """Compute release and point in the background; a newer recipe replaces an older one."""
        table, measures = self.table, list(self.measures)
        self._requested, self._redraw = recipe, self._redraw or outside
        if table is None:
            raise BadInput("there is no table yet; choose data and quasi-identifiers first")
        store = self.keeps() if recipe.method.draws and self.keeps is not None else None

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            try:
                recipe.method.check(table)
                with cancellable(cancel, Throttle(lambda words: call_soon(self._underway.show_progress, words))):
                    release = recipe.release(table, store)
                    point = point_of(recipe, release, measures)
            except (BadInput, Unsatisfiable, Undefined) as error:
                call_soon(self._refused, with_controls(error))
            else:
                call_soon(self._computed, recipe, release, point)

        self._seeker.forget()
        self.making = True
        self._underway.begin()
        self._maker.start(job)

    def _computed(self, recipe: Recipe, release: Release, point: Point) -> None:
        """Update the chart first; other texts take longer and are cached."""
        self._reason = ""
        self._set(recipe, release, point)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            if not cancel.wait(SEND_SECONDS):
                facts.compute_texts(point, release, list(self.measures))
                call_soon(self._finished)

        self._maker.start(job)

    def _finished(self) -> None:
        self._underway.end()
        self.making = False
        self._send_all()

    def _refused(self, reason: str) -> None:
        """Show why a release is impossible; the last valid release of this table remains."""
        self._reason = reason
        self._underway.end()
        self._set(self.point.recipe if self.point else self._requested, self.release, self.point)
        self.making = False
        self._send_all()

    def _set(self, recipe: Recipe | None, release: Release | None, point: Point | None) -> None:
        self._own = True
        try:
            with self.hold_trait_notifications():
                self.expected = None
                self.recipe, self.point, self.release = (
                    recipe,
                    point,
                    release,
                )  # in this order: the chart is updated first
        finally:
            self._own = False

    def _failed(self, error: BaseException) -> None:
        self._underway.end()
        self.expected, self.making = None, False
        self.wrong("asked", error)
        self.send_message("answered", ask=self._ask)
        if self.point is None:
            self._send_point()

    @property
    def _measured(self) -> bool:
        """Return whether the requested point has been measured."""
        return self.point is not None and self.point.recipe is self._requested

    def _waits(self) -> bool:
        """Return whether a new point is pending."""
        return self.making and (self.point is None or self.expected is not None)

    @property
    def requested(self) -> Recipe | None:
        """The requested recipe, also if its release is not available."""
        return self._requested

    def back(self) -> None:
        """Return to the current release, and cancel newer requests."""
        if self.making and self.point is not None:
            self._cancel_request()

    def _cancel_request(self) -> None:
        self._maker.forget()
        self._underway.end()
        if self.point is not None:
            self._requested = self.point.recipe
            self._set(self.point.recipe, self.release, self.point)
        self.making = False
        self.show()

    def receive_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Cancel the release that is being made."""
        if self.making:
            self._underway.stop()
            self._cancel_request()

    # --- requests of the view

    def receive_move(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Follow a slider or its number field."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            now = part_of(recipe, part)
            value = ranges.one(content.get("value"), type(now), name, self.table)
            ends = ranges.ends(type(now), name, self.table, shares.control_value(now, name))
            beyond = value is not None and not ends.low <= value <= ends.high  # typed: the slider needs other ends
            self._make(wanted := moved(recipe, part, name, value), outside=beyond)
            self.call_later(PROMPT, lambda: self._expect(wanted, part, name))

    def _expect(self, recipe: Recipe, part: int | str, name: str) -> None:
        """Estimate an unfinished point from measured ones."""
        if self._requested is recipe and self.making and not self._measured:
            self.expected = expected(self.frontier, recipe, part, name)
            if self.expected is not None:
                self._send_point()

    def receive_pick(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose an option of a parameter."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            chosen = Draft.from_settings(type(part_of(recipe, part)), part_of(recipe, part).settings())
            chosen.choose(name, [content.get("place")], self.table)
            self._take(recipe, part, name, chosen.values[name])

    def receive_columns(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set typed columns."""
        with self._answering(content):
            recipe, part, name = self._place(content)
            chosen = Draft.from_settings(type(part_of(recipe, part)), part_of(recipe, part).settings())
            chosen.type(name, str(content.get("text", "")), self.table)
            self._take(recipe, part, name, chosen.values[name])

    def _take(self, recipe: Recipe, part: int | str, name: str, values: Sequence[Any]) -> None:
        """Use an option, together with earlier options that were invalid without it."""
        if len(values) > 1:
            raise BadInput(f"{name}: {len(values)} values, but a release has one; enter only one")
        was, where, before = self._held
        self._held = recipe, part, {**(before if was is recipe and where == part else {}), name: values[0]}
        self._make(changed(recipe, part, **self._held[2]), outside=True)

    @contextmanager
    def _answering(self, content: Mapping[str, Any]) -> Iterator[None]:
        """Answer a request of a view, which waits for the answer before its next request; errors are answers, too."""
        self._ask = content.get("ask")
        try:
            yield
        except BadInput:
            self.send_message("answered", ask=self._ask)
            raise

    def receive_model(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose another model with default parameters, for the same method."""
        models, name = catalog("workbench.models", Model), content.get("name")
        if not isinstance(name, str) or name not in models:
            raise BadInput(f"no model is called {safe_repr(name)}; choose from {', '.join(models)}")
        asked = self._requested
        method = asked.method if asked and not asked.baseline and asked.method.supports_models else Mondrian()
        seed = self._requested.seed if self._requested else 0
        self._make(Recipe(method, models[name](), seed), outside=True)

    def receive_select(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose one of the alternatives."""
        gone = "this alternative no longer exists; choose one of those shown"
        recipe = self._alternatives[read_integer(content, "place", 0, len(self._alternatives) - 1, gone)].point.recipe
        if content.get("recipe") != str(recipe):
            raise BadInput(gone)  # the view showed other alternatives
        self.recipe = recipe

    def receive_rest(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """After a pause, compute the joint disclosure of overlapping classes or draws, and the most worthwhile small
        change."""
        point, table, frontier, measures = self.point, self.table, self.frontier, list(self.measures)
        release, prompt = self.release, self._underway.took < SLOW
        if point is None or table is None or release is None or self._requested != point.recipe:
            return  # the requested release is unfinished or impossible

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            if text := facts.joint_disclosure(point, release, measures, frontier):
                call_soon(self._send_pooled, point, text)
            if comparable(frontier, point):
                call_soon(self._send_change, point, measure_changes(point, table, measures) if prompt else None)

        self._seeker.start(job)

    def receive_take(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Make the suggested small change."""
        if self._change is not None and content.get("take") == self._change.step:
            self.recipe = self._change.point.recipe

    def receive_hold(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Add this point to the study."""
        if self.recipe is not None and not self._waits():
            with self.hold_trait_notifications():  # one notification, also for the same recipe
                self.kept = []
                self.kept = [self.recipe]
        self._send_point()

    def _place(self, content: Mapping[str, Any]) -> tuple[Recipe, int | str, str]:
        """Return the recipe of the sliders, and the part and parameter of a message."""
        part, name = content.get("part"), str(content.get("name", ""))
        if self._requested is None:
            raise BadInput("there is no release yet; choose a model")
        if name not in part_of(self._requested, part).parameters():  # type: ignore[arg-type]
            raise BadInput(f"this release's recipe has no parameter {safe_repr(name)}")
        return self._requested, part, name  # type: ignore[return-value]

    # --- content of the view

    def show(self) -> None:
        """Send sliders and figures."""
        self._send_controls()
        self._send_point()

    def _send_all(self) -> None:
        if self._redraw:
            self._send_controls()
        self._send_point()

    def _send_controls(self) -> None:
        """Send a control for every parameter, from its declaration."""
        recipe, parts, self._redraw = self._requested, [], False
        if recipe is not None:
            models = list(recipe.model.parts) if recipe.model else []
            for place, one in [*enumerate(models), (METHOD, recipe.method)]:
                parts.append({"part": place, **Draft.from_settings(type(one), one.settings()).view(self.table)})
        self.send_message(
            "controls",
            ask=self._ask,
            parts=parts,
            models=[
                {"name": name, "about": kind.describe()} for name, kind in catalog("workbench.models", Model).items()
            ],
            model=recipe.model.parts[0].name if recipe and recipe.model else "",
            ready=self.table is not None,
        )

    def _send_point(self) -> None:
        if self.making and self._measured:
            return  # sent with the complete texts
        point, frontier, self._change = self.point, self.frontier, None
        has_alternatives = point is not None and comparable(frontier, point)
        self._alternatives = neighbours(frontier, point) if has_alternatives else []  # type: ignore[arg-type]
        self.send_message(
            "point",
            ask=self._ask,
            waits=self._waits(),
            expected=self.expected.why if self.expected else "",
            asked=str(self._requested) if self._requested else "",
            doing=self._underway.text,
            stopped=self._underway.stopped,
            reason=self._reason,
            values=control_values(self._requested) if self._requested else {},
            **facts.card_content(point, self.release, self.measures, frontier, self.table, self.caps),
            place=frontier.explain(point) if has_alternatives else "",  # type: ignore[union-attr,arg-type]
            alternatives=[
                {"recipe": str(one.point.recipe), "why": one.why, "difference": difference(frontier, point, one.point)}  # type: ignore[arg-type]
                for one in self._alternatives
            ],
            kept=frontier is not None and any(one.recipe == self.recipe for one in frontier.measured),
        )

    def _send_pooled(self, about_point: Point, text: str) -> None:
        if about_point is self.point:
            self.send_message("pooled", text=text)

    def _send_change(self, about_point: Point, changes: list[Change] | None) -> None:
        if about_point is self.point and self.frontier is not None:
            self._change, text = suggest_change(self.frontier, about_point, changes, self._underway.took)
            self.send_message("change", text=text, take=self._change.step if self._change else "")
