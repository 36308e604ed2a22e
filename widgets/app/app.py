"""The workbench: the parts put together around one study. A part changes the study, the study changes the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import ipywidgets

from widgets.app.boxes import below, framed
from widgets.app.parts import LATER, PARTS, STEPS, WorkbenchParts
from widgets.base.given import begin, proposed, renamed, used
from widgets.base.host import under_voila
from widgets.base.part import Part
from widgets.base.turns import Turn, turns_here
from widgets.release.release import PROMPT
from widgets.session.keeping import Keeper, kept
from widgets.session.points import Points
from widgets.session.replacing import replaces
from widgets.session.saving import Saving
from widgets.session.session import COMPARED, POINTS, TABLE, Session, differ, fitting
from widgets.session.storing import Storing
from widgets.workloads.naming import followed
from workbench.base.errors import BadInput
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.studies.study import ROLES, Study, ranges_from_recipe

OWN = (*PARTS, "session", "_points", "_saving", "_storing", "_waiting", "_recommended", "_resting", "_dimming")
REST = 0.4  # seconds on a release until it is chosen


class Workbench(WorkbenchParts, ipywidgets.VBox):
    """The workbench: `Workbench(frame, path, study or "adult")` as the last line of a cell.

    The study is saved in the file `keep` as you work (by default next to the notebook, with the name of the data;
    `False`: nowhere), and opened again with the workbench. Measured points are in the folder `store`.
    """

    def __init__(
        self,
        given: Any = "adult",
        *,
        keep: str | PathLike[str] | bool | None = None,
        store: str | PathLike[str] | None = None,
    ) -> None:
        replaces(self)
        study, handed, file = begin(given)
        study, keeper, note = kept(study, handed, file, keep)
        self._quiet, self._unseen = False, True
        self._turns = turns_here()
        self._recommended: Recipe | None = None  # as long as nothing is chosen
        self._resting: Turn | None = None  # until what is under the hand is chosen
        self._dimming: Turn | None = None  # until what shows the last release is dimmed
        self._waiting: Study | None = None  # whose data are being read, or asked for
        self._word = note  # said until something is changed
        self.session = Session(study, self._changed, self._follow_history)
        self._make_parts(study, handed, keeper is None and under_voila())
        self._saving = Saving(keeper, self.top)
        self._storing = Storing(store, lambda: self._saving.keeper)
        self.card.keeps, self.preview.kept = lambda: self.store, lambda: self._storing.lasting
        shown = (self.chart, self.card, self.preview, self.top)
        self._points = Points(self.session, lambda: self.store, shown, self._quietly, self._measured, self._join_study)
        left = ipywidgets.VBox([getattr(self, name) for name in STEPS]).add_class("wb-steps")
        middle = ipywidgets.VBox([framed(self.chart), self.preview]).add_class("wb-middle")
        main = ipywidgets.Box([left, middle, framed(self.card)]).add_class("wb-main")
        super().__init__([self.top, main, framed(self.disclosure), *(getattr(self, name) for name in LATER)])
        self.add_class("wb-app")
        self._listen()
        self.top.state(name=study.name, note=note, kept=self._saving.where(), undo=False, redo=False)
        self._data_arrived()
        self._without_data(self.data.trouble)

    def _ipython_display_(self) -> None:
        self.chart.still.beside(self)

    @property
    def store(self) -> Store:
        """The store of measured points."""
        return self._storing.store

    @property
    def _keeper(self) -> Keeper | None:
        return self._saving.keeper

    def close(self) -> None:
        """End all work, and remove threads, temporary folders and tables; running a cell again does so as well."""
        if self.closed:
            return
        self._choose()
        for turn in (self._resting, self._dimming):
            if turn is not None:
                turn.cancel()
        self._saving.close()
        self._points.forget()
        self._storing.close()
        everything = below(self)
        self.children = ()
        for name in OWN:  # who still holds the workbench holds no data
            self.__dict__.pop(name, None)
        for one in everything:
            one.close()
            one.layout.close()
        super().close()
        self.layout.close()

    @property
    def closed(self) -> bool:
        """Return whether the workbench was closed."""
        return "session" not in self.__dict__

    def __getattr__(self, name: str) -> Any:
        if name in OWN:
            raise BadInput("this workbench was closed: its cell was run again, or something called close()")
        raise AttributeError(name)

    def __repr__(self) -> str:
        if self.closed:
            return "<Workbench, closed>"
        made = str(self.card.point.recipe) if self.card.point is not None else "none yet"
        data = self._data_line(self.session.study)
        return f"<Workbench {self.session.study.name!r}, {data}; {len(self._points):,} points; release: {made}>"

    # --- from the parts to the study

    def _listen(self) -> None:
        """Each part's choices change the study."""
        self.data.observe(lambda _: self._data_arrived(), ["base", "data"])
        self.data.observe(lambda event: self._without_data(event.new), "trouble")
        self.roles.observe(lambda _: self._change(self.roles, **self._roles_chosen()), ["roles", "levels"])
        self.hierarchies.observe(
            lambda _: self._change(self.hierarchies, **self._levels_chosen()),
            ["hierarchies", "released_levels", "regions"],
        )
        self.workloads.observe(lambda event: self._asked_of_it(event.new), "workloads")
        for name in ("recipes", "measures", "axes", "seed"):
            self.recipes.observe(lambda event: self._change(self.recipes, **{event.name: _frozen(event.new)}), name)
        self.scenario.observe(lambda event: self._change(self.scenario, **event.new), "used")
        for name in ("axes", "intervals"):
            self.chart.observe(lambda event: self._change(self.chart, **{event.name: _frozen(event.new)}), name)
        self.chart.observe(lambda event: self._change(self.chart, merge=True, caps=dict(event.new)), "caps")
        self.chart.observe(lambda event: self._selected(event.new), "selected")
        self.card.observe(lambda _: self._points.mark(), ["point", "expected"])
        self.card.observe(lambda event: None if event.new else self._rested(), "making")
        self.card.observe(lambda event: self._making(event.new), "making")
        self.card.observe(lambda event: None if event.new else self._released(), "release")
        self.card.observe(lambda event: self._keep(event.new), "kept")
        self.card.observe(lambda event: setattr(self.query_errors, "frontier", event.new), "frontier")
        self.chart.observe(lambda event: setattr(self.query_errors, "selected", event.new), "selected")
        self.query_errors.observe(lambda event: self._cut(event.new), "cut")
        self.preview.observe(lambda event: self._leave_out(event.new), "dropped")
        self.lattice.observe(lambda event: setattr(self.card, "recipe", event.new), "chosen")

    def _change(self, part: Part, merge: bool = False, **fields: Any) -> None:
        """The next study, or what is wrong with it, said at the part that asked; its choices then go back."""
        if self._quiet:
            return
        before = self.session.study
        self._waiting, self._word = None, ""

        def change() -> None:
            wanted = dict(fields)
            if "quasi" in wanted:
                after = proposed(before.with_(**wanted), before.quasi, self.session.base)
                wanted["hierarchies"] = used(after)
            self.session.change(merge, **wanted)

        if not part.guarded("", change):
            self._follow(self.session.study)

    def _roles_chosen(self) -> dict[str, Any]:
        chosen = {role: tuple(self.roles.roles.get(role, ())) for role in ROLES}
        return {**chosen, "levels": dict(self.roles.levels)}

    def _levels_chosen(self) -> dict[str, Any]:
        before = self.session.study
        waiting = {name: levels for name, levels in before.released_levels.items() if name not in before.quasi}
        released = {**waiting, **self.hierarchies.released_levels}
        part = self.hierarchies
        return {"hierarchies": dict(part.hierarchies), "released_levels": released, "regions": dict(part.regions)}

    def _asked_of_it(self, workloads: dict[str, Any]) -> None:
        """Other workloads; what names one that is called otherwise, or is gone, follows."""
        part, study = self.workloads, self.session.study
        if not self._quiet and not part.guarded("name", lambda: self._change(part, **followed(study, workloads))):
            self._follow(study)

    def _keep(self, recipes: list[Recipe]) -> None:
        """A point from under the slider joins the study."""
        self._join_study([ranges_from_recipe(recipe) for recipe in recipes])

    def _join_study(self, new: list[dict[str, Any]]) -> None:
        """Recipes that the study has not yet."""
        there = self.session.study.recipes
        if added := [ranges for ranges in new if ranges not in there]:
            self._change(self.card, recipes=(*there, *added))

    def _cut(self, classes: list[int]) -> None:
        """The classes that a query cuts are selected, in the table of the same release."""
        if self.disclosure.release is self.query_errors.release:
            self.disclosure.selected = classes

    def _leave_out(self, names: list[str]) -> None:
        """Neutral columns that would tell too much are in no release any more."""
        if names:
            there = self.session.study.dropped
            self._change(self.preview, dropped=(*there, *(name for name in names if name not in there)))

    def _data_arrived(self) -> None:
        """Other data, or the same with other options: roles and hierarchies stay where the columns are there."""
        base = self.data.base
        if self._quiet or base is None:
            return
        if self._waiting is None and self.session.base is base and self.session.study.data == self.data.data:
            return  # both traits have changed, and the first has said so

        def take() -> None:
            study = self._waiting or self.session.study
            first = self._waiting is not None or (self.session.table is None and not self.session.has(study))
            after, unfit = fitting(study.of(dict(self.data.data)), base)
            after = proposed(after, tuple(n for n in after.quasi if n not in unfit), base)
            self.session.read(after, base)
            self._waiting = None
            if unfit:
                self._word = f"The values have changed; hierarchies are proposed again for {', '.join(unfit)}"
            if first:
                self.session.begin(after)
            else:
                after = renamed(self.session.study, after)
                self.session.change(**{name: getattr(after, name) for name in ("name", "intervals", *TABLE)})

        self.data.guarded("", take)

    def _without_data(self, trouble: str) -> None:
        """Keep the present study if the data of a new one cannot be read, and ask the user."""
        if not trouble or (self._waiting is None and self.session.table is not None):
            return
        self._waiting = self._waiting or self.session.study
        self._word = (
            f"The data of {self._waiting.name!r} are not there: choose them in Data to continue with the study."
        )
        self.top.state(note=self._word, data="no data", busy=[0, 0, False])
        self.data.unfolded = True

    # --- from the study to the parts

    def _changed(self, before: Study, after: Study) -> None:
        """The study is another: the parts follow, the file is written, points are measured."""
        if self._unseen or differ(before, after, COMPARED):
            self._points.outdate()
        self._saving.soon(after)  # its file is named before results are stored next to it
        chosen = after.choice() or self._recommended
        if chosen is not None and (self._unseen or differ(before, after, ("chosen", "seed"))):
            self.card.recipe = chosen
        self._follow(after, self._unseen or differ(before, after, TABLE))
        self._unseen = False
        if differ(before, after, POINTS) or self.frontier is None:
            self._points.measure()
        elif differ(before, after, ("axes", "intervals")):
            self._points.show_as_asked()
        self.top.fresh = self.top.fresh and after.to_dict() == before.to_dict()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Traits set here are not taken for choices."""
        was, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = was

    def _follow(self, study: Study, table_too: bool = True) -> None:
        with self._quietly():
            if table_too:
                self._show_table(study)
            self._show_choices(study)
            files = study.parted(self._keeper.path).files if self._keeper is not None else {}
            self.preview.study = study.with_(files=files) if files else study
        note = "; ".join(filter(None, (self._word, *self.session.notes)))
        self.top.state(name=study.name, data=self._data_line(study), note=note)

    def _follow_history(self) -> None:
        history = self.session.history
        self.top.state(undo=history.can_undo, redo=history.can_redo)

    def _data_line(self, study: Study) -> str:
        table, origin = self.session.table, next(iter(study.data.values()), "no data")
        records = str(table.sampled or f"{table.records:,} records") if table else "no quasi-identifier chosen yet"
        return f"{origin}: {records}"

    # --- the release

    def _selected(self, place: int) -> None:
        recipe = self._points.at(place)
        if not self._quiet and recipe is not None:
            self.card.recipe = recipe

    def _measured(self) -> None:
        """Choose a first release."""
        if self.session.study.chosen or self.card.asked not in (None, self._recommended):
            return
        best = self._points.best()
        if best is not None:
            self._recommended = self.card.recipe = best

    def _rested(self) -> None:
        """Another release is under the hand: chosen, when the hand has rested on it."""
        if self._resting is not None:
            self._resting.cancel()
        self._resting = self.card.later(REST, self._choose)

    def _choose(self) -> None:
        """The study remembers what was chosen; what is merely recommended is nobody's choice."""
        point, study = self.card.point, self.session.study
        if point is not None and not self.card.making and point.recipe != (study.choice() or self._recommended):
            self._change(self.card, chosen=ranges_from_recipe(point.recipe))

    def _step(self, step: Callable[[], None]) -> None:
        """Undo or redo, of what the hand has just done first."""
        self.card.back()
        self._choose()
        step()

    def _making(self, begins: bool) -> None:
        """Dim the parts that show the previous release if the next takes long, so that nothing is drawn twice."""
        if self._dimming is not None:
            self._dimming.cancel()
        if begins and self.card.release is not None:
            self._dimming = self.card.later(PROMPT, self._released)
        else:
            self._released()

    def _released(self) -> None:
        """The release is another, or there is none; with it goes the recipe that made it, not the one asked for."""
        recipe = self.card.point.recipe if self.card.point is not None else None
        with self._quietly():
            for part in (self.disclosure, self.query_errors, self.learnt, self.original, self.lattice):
                part.pending = self.card.making
            self.disclosure.model = recipe.model if recipe else None
            self.disclosure.release = self.query_errors.release = self.original.release = self.card.release
            self.learnt.release = self.scenario.release = self.card.release
            self.lattice.recipe = recipe
            with self.preview.hold_trait_notifications():
                self.preview.recipe, self.preview.release = recipe, self.card.release

    # --- the line above

    def _asked(self, what: str, value: Any) -> None:
        calls: dict[str, Callable[[], Any]] = {
            "undo": lambda: self._step(self.session.undo),
            "redo": lambda: self._step(self.session.redo),
            "cancel": self._points.cancel,
            "again": self._points.measure,
            "rename": lambda: self._change(self.top, name=value),
            "open": lambda: self._open(self._read(value, confined=True)),
            "recall": lambda: self._open(self._read(value, confined=not self.data.paths)) if self.top.fresh else None,
            "theirs": lambda: self._open(self._saving.theirs() or self.session.study),
            "mine": lambda: self._saving.now(over=True),
        }
        calls[what]()
        if what not in ("cancel", "mine"):
            self.top.fine("")

    def _read(self, text: str, confined: bool) -> Study:
        """Parse a study; its paths are relative to the present study, and an unknown one may read only that folder."""
        return Study.from_yaml(text, self.session.study.folder, confined=confined)

    def _open(self, study: Study) -> None:
        """A study from a file or from what the tab remembers; its data are read if they are not there."""
        self.top.fresh = False
        if self.session.has(study):
            self.session.begin(study)
        else:
            self._waiting, self._word = study, ""
            self.data.folder = study.folder
            self.data.read(study.data)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
