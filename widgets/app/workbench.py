"""The workbench: all parts around one study. A part changes the study, and the study updates the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import ipywidgets

from widgets.app.boxes import below, framed
from widgets.app.parts import FOLDED_PARTS, PARTS, STEPS, WorkbenchParts
from widgets.base.host import under_voila
from widgets.base.inputs import propose_hierarchies, rename_after_data, study_from_input, used_hierarchies
from widgets.base.kernel_thread import ScheduledCall, current_kernel_thread
from widgets.base.part import Part
from widgets.release.release import PROMPT
from widgets.session.autosave import Autosave
from widgets.session.point_store import PointStore
from widgets.session.points import Points
from widgets.session.rerun import close_previous_run
from widgets.session.session import COMPARED, POINTS, TABLE, Session, differ, fit_to_data
from widgets.session.study_file import StudyFile, open_study_file
from widgets.workloads.naming import update_references
from workbench.base.errors import BadInput
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.studies.study import ROLES, Study, chosen_recipe, ranges_from_recipe, with_data, with_hierarchy_files

OWN = (*PARTS, "session", "_points", "_autosave", "_point_store", "_waiting", "_recommended", "_resting", "_dimming")
CHOICE_DELAY = 0.4  # seconds on a release until it is chosen


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
        close_previous_run(self)
        study, data, path = study_from_input(given)
        study, file, note = open_study_file(study, data, path, keep)
        self._quiet, self._unseen = False, True
        self._kernel_thread = current_kernel_thread()
        self._recommended: Recipe | None = None  # shown until a release is chosen
        self._resting: ScheduledCall | None = None  # until the release on the sliders is chosen
        self._dimming: ScheduledCall | None = None  # until views of the previous release are dimmed
        self._waiting: Study | None = None  # its data are being read or are missing
        self._note = note  # shown until the next change
        self.session = Session(study, self._changed, self._follow_history)
        self._create_parts(study, data, file is None and under_voila())
        self._autosave = Autosave(file, self.top)
        self._point_store = PointStore(store, lambda: self._autosave.file)
        self.card.keeps, self.preview.kept = lambda: self.store, lambda: self._point_store.permanent_folder
        shown = (self.chart, self.card, self.preview, self.top)
        self._points = Points(self.session, lambda: self.store, shown, self._quietly, self._measured, self._add_recipes)
        left = ipywidgets.VBox([getattr(self, name) for name in STEPS]).add_class("wb-steps")
        middle = ipywidgets.VBox([framed(self.chart), self.preview]).add_class("wb-middle")
        main = ipywidgets.Box([left, middle, framed(self.card)]).add_class("wb-main")
        super().__init__([self.top, main, framed(self.disclosure), *(getattr(self, name) for name in FOLDED_PARTS)])
        self.add_class("wb-app")
        self._listen()
        self.top.state(name=study.name, note=note, kept=self._autosave.describe_place(), undo=False, redo=False)
        self._data_arrived()
        self._without_data(self.data.trouble)

    def _ipython_display_(self) -> None:
        self.chart.saved_picture.display(self)

    @property
    def store(self) -> Store:
        """The store of measured points."""
        return self._point_store.store

    @property
    def _file(self) -> StudyFile | None:
        return self._autosave.file

    def close(self) -> None:
        """End all work and remove threads, temporary folders and tables; running the cell again does the same."""
        if self.closed:
            return
        self._choose()
        for turn in (self._resting, self._dimming):
            if turn is not None:
                turn.cancel()
        self._autosave.close()
        self._points.forget()
        self._point_store.close()
        everything = below(self)
        self.children = ()
        for name in OWN:  # a reference to a closed workbench must not keep the data in memory
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
        release = str(self.card.point.recipe) if self.card.point is not None else "none yet"
        data = self._data_line(self.session.study)
        return f"<Workbench {self.session.study.name!r}, {data}; {len(self._points):,} points; release: {release}>"

    # --- from the parts to the study

    def _listen(self) -> None:
        """Let the choices of each part change the study."""
        self.data.observe(lambda _: self._data_arrived(), ["base", "data"])
        self.data.observe(lambda event: self._without_data(event.new), "trouble")
        self.roles.observe(lambda _: self._change(self.roles, **self._roles_chosen()), ["roles", "levels"])
        self.hierarchies.observe(
            lambda _: self._change(self.hierarchies, **self._levels_chosen()),
            ["hierarchies", "released_levels", "regions"],
        )
        self.workloads.observe(lambda event: self._set_workloads(event.new), "workloads")
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
        self.card.observe(lambda event: self._keep_points(event.new), "kept")
        self.card.observe(lambda event: setattr(self.query_errors, "frontier", event.new), "frontier")
        self.chart.observe(lambda event: setattr(self.query_errors, "selected", event.new), "selected")
        self.query_errors.observe(lambda event: self._select_cut_classes(event.new), "cut")
        self.preview.observe(lambda event: self._drop(event.new), "dropped")
        self.lattice.observe(lambda event: setattr(self.card, "recipe", event.new), "chosen")

    def _change(self, part: Part, merge: bool = False, **fields: Any) -> None:
        """Change the study; an error is shown at the part, whose choices are then reset."""
        if self._quiet:
            return
        before = self.session.study
        self._waiting, self._note = None, ""

        def change() -> None:
            wanted = dict(fields)
            if "quasi" in wanted:
                after = propose_hierarchies(before.with_(**wanted), before.quasi, self.session.base)
                wanted["hierarchies"] = used_hierarchies(after)
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

    def _set_workloads(self, workloads: dict[str, Any]) -> None:
        """Change the workloads; references to renamed or removed ones are updated."""
        part, study = self.workloads, self.session.study
        if not self._quiet and not part.guarded(
            "name", lambda: self._change(part, **update_references(study, workloads))
        ):
            self._follow(study)

    def _keep_points(self, recipes: list[Recipe]) -> None:
        """Add points from the sliders to the study."""
        self._add_recipes([ranges_from_recipe(recipe) for recipe in recipes])

    def _add_recipes(self, new: list[dict[str, Any]]) -> None:
        """Add recipes to the study, without duplicates."""
        current = self.session.study.recipes
        if added := [ranges for ranges in new if ranges not in current]:
            self._change(self.card, recipes=(*current, *added))

    def _select_cut_classes(self, classes: list[int]) -> None:
        """Select the classes that a query matches in part, if the table shows the same release."""
        if self.disclosure.release is self.query_errors.release:
            self.disclosure.selected = classes

    def _drop(self, names: list[str]) -> None:
        """Drop neutral columns that would disclose too much."""
        if names:
            dropped = self.session.study.dropped
            self._change(self.preview, dropped=(*dropped, *(name for name in names if name not in dropped)))

    def _data_arrived(self) -> None:
        """Use other data, or other options of the same data; roles and hierarchies of existing columns remain."""
        base = self.data.base
        if self._quiet or base is None:
            return
        if self._waiting is None and self.session.base is base and self.session.study.data == self.data.data:
            return  # both traits changed, and this change was handled with the first

        def use_data() -> None:
            study = self._waiting or self.session.study
            first = self._waiting is not None or (self.session.table is None and not self.session.has(study))
            after, unfit = fit_to_data(with_data(study, dict(self.data.data)), base)
            after = propose_hierarchies(after, tuple(n for n in after.quasi if n not in unfit), base)
            self.session.store_data(after, base)
            self._waiting = None
            if unfit:
                self._note = f"The values have changed; hierarchies are proposed again for {', '.join(unfit)}"
            if first:
                self.session.begin(after)
            else:
                after = rename_after_data(self.session.study, after)
                self.session.change(**{name: getattr(after, name) for name in ("name", "intervals", *TABLE)})

        self.data.guarded("", use_data)

    def _without_data(self, trouble: str) -> None:
        """Ask the user for the data of a new study if they cannot be read; until then the current study remains."""
        if not trouble or (self._waiting is None and self.session.table is not None):
            return
        self._waiting = self._waiting or self.session.study
        self._note = (
            f"The data of {self._waiting.name!r} were not found: choose them in Data to continue with the study."
        )
        self.top.state(note=self._note, data="no data", busy=[0, 0, False])
        self.data.unfolded = True

    # --- from the study to the parts

    def _changed(self, before: Study, after: Study) -> None:
        """Update the parts after a change of the study, save its file, and measure points."""
        if self._unseen or differ(before, after, COMPARED):
            self._points.outdate()
        self._autosave.schedule(after)  # first, since results are stored next to its file
        chosen = chosen_recipe(after) or self._recommended
        if chosen is not None and (self._unseen or differ(before, after, ("chosen", "seed"))):
            self.card.recipe = chosen
        self._follow(after, self._unseen or differ(before, after, TABLE))
        self._unseen = False
        if differ(before, after, POINTS) or self.frontier is None:
            self._points.measure()
        elif differ(before, after, ("axes", "intervals")):
            self._points.update_display()
        self.top.fresh = self.top.fresh and after.to_dict() == before.to_dict()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set traits without treating the changes as choices of the user."""
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
            files = with_hierarchy_files(study, self._file.path).files if self._file is not None else {}
            self.preview.study = study.with_(files=files) if files else study
        note = "; ".join(filter(None, (self._note, *self.session.notes)))
        self.top.state(name=study.name, data=self._data_line(study), note=note)

    def _follow_history(self) -> None:
        history = self.session.history
        self.top.state(undo=history.can_undo, redo=history.can_redo)

    def _data_line(self, study: Study) -> str:
        table, origin = self.session.table, next(iter(study.data.values()), "no data")
        records = (
            str(table.origin.sampled or f"{table.records:,} records") if table else "no quasi-identifier chosen yet"
        )
        return f"{origin}: {records}"

    # --- the release

    def _selected(self, place: int) -> None:
        recipe = self._points.recipe_at(place)
        if not self._quiet and recipe is not None:
            self.card.recipe = recipe

    def _measured(self) -> None:
        """Choose a first release."""
        if self.session.study.chosen or self.card.requested not in (None, self._recommended):
            return
        best = self._points.best()
        if best is not None:
            self._recommended = self.card.recipe = best

    def _rested(self) -> None:
        """Choose the release on the sliders after a pause."""
        if self._resting is not None:
            self._resting.cancel()
        self._resting = self.card.call_later(CHOICE_DELAY, self._choose)

    def _choose(self) -> None:
        """Store the chosen release in the study, unless it is only recommended."""
        point, study = self.card.point, self.session.study
        if point is not None and not self.card.making and point.recipe != (chosen_recipe(study) or self._recommended):
            self._change(self.card, chosen=ranges_from_recipe(point.recipe))

    def _step(self, step: Callable[[], None]) -> None:
        """Undo or redo; a choice that is still pending is stored first."""
        self.card.back()
        self._choose()
        step()

    def _making(self, begins: bool) -> None:
        """Dim the parts that show the previous release if the next takes long, so that nothing is drawn twice."""
        if self._dimming is not None:
            self._dimming.cancel()
        if begins and self.card.release is not None:
            self._dimming = self.card.call_later(PROMPT, self._released)
        else:
            self._released()

    def _released(self) -> None:
        """Pass the release to the parts that show it, with its own recipe rather than the requested one."""
        recipe = self.card.point.recipe if self.card.point is not None else None
        with self._quietly():
            for part in (self.disclosure, self.query_errors, self.explanation, self.original, self.lattice):
                part.pending = self.card.making
            self.disclosure.model = recipe.model if recipe else None
            self.disclosure.release = self.query_errors.release = self.original.release = self.card.release
            self.explanation.release = self.scenario.release = self.card.release
            self.lattice.recipe = recipe
            with self.preview.hold_trait_notifications():
                self.preview.recipe, self.preview.release = recipe, self.card.release

    # --- the top bar

    def _handle_request(self, what: str, value: Any) -> None:
        calls: dict[str, Callable[[], Any]] = {
            "undo": lambda: self._step(self.session.undo),
            "redo": lambda: self._step(self.session.redo),
            "cancel": self._points.cancel,
            "again": self._points.measure,
            "rename": lambda: self._change(self.top, name=value),
            "open": lambda: self._open(self._read(value, confined=True)),
            "recall": lambda: self._open(self._read(value, confined=not self.data.paths)) if self.top.fresh else None,
            "theirs": lambda: self._open(self._autosave.load_saved() or self.session.study),
            "mine": lambda: self._autosave.save(over=True),
        }
        calls[what]()
        if what not in ("cancel", "mine"):
            self.top.fine("")

    def _read(self, text: str, confined: bool) -> Study:
        """Parse a study; its paths are relative to the present study, and an unknown one may read only that folder."""
        return Study.from_yaml(text, self.session.study.folder, confined=confined)

    def _open(self, study: Study) -> None:
        """Open a study from a file or from the browser's tab; its data are read if necessary."""
        self.top.fresh = False
        if self.session.has(study):
            self.session.begin(study)
        else:
            self._waiting, self._note = study, ""
            self.data.folder = study.folder
            self.data.read(study.data)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
