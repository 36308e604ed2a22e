"""The hierarchies of a table's columns: proposed, built, grouped by hand, imported, mended; the data at each level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from widgets.base.part import script, styles
from widgets.hierarchies import forms, grouping
from widgets.hierarchies.byhand import ByHand
from widgets.hierarchies.repairs import Fix, Problem, diagnosed
from widgets.session.start import table_of
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.datasets import ADULT_HIERARCHIES
from workbench.data.hierarchies.builders import Builder
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.matching import text_of
from workbench.data.hierarchies.proposal import propose
from workbench.studies.study import BUNDLED, Study

Content = Mapping[str, Any]


class HierarchyEditor(ByHand):
    """Levels above the values of each quasi-identifier and sensitive column.

    `table` comes in and goes out under the hierarchies of `hierarchies`: name -> a builder's settings, "bundled", or
    {"csv": file}; what the last two mean is for `study` to say. `own_history=False` leaves undo and redo to others.
    """

    _esm = script(*(f"hierarchies/{one}" for one in ("cuts", "tree", "groups", "forms", "editor")))
    _css = styles("hierarchies/editor")

    column = traitlets.Unicode("", help="the column being edited").tag(sync=True)

    def __init__(
        self,
        table: Any = None,
        hierarchies: Mapping[str, Any] | None = None,
        study: Study | None = None,
        **traits: Any,
    ) -> None:
        self._fixes: dict[str, Callable[[], Any]] = {}
        super().__init__(table_of(table), hierarchies, study, **traits)

    @traitlets.observe("column")
    def _chosen(self, _: Any) -> None:
        self.refresh()

    # --- what the views draw

    def show(self) -> None:
        """Send the list of columns and everything about the one that is edited."""
        names = self._listed()
        if names and self.column not in names:
            self._ready = False  # it is shown now, not once more
            self.column = names[0]
            self._ready = True
        self._fixes = {}
        self.tell(
            "columns",
            columns=[self._line(name) for name in names],
            column=self.column,
            undo=self.history.can_undo,
            redo=self.history.can_redo,
        )
        if self.table is not None and self.column in self.table.columns:
            self.tell("column", **self._about(self.table.columns[self.column]))

    def _listed(self) -> list[str]:
        table = self.table
        if table is None:
            return []
        roles = ("quasi", "sensitive", "neutral")
        return [name for role in roles for name in table.names if table.roles[name] == role]

    def _line(self, name: str) -> dict[str, Any]:
        assert self.table is not None
        column = self.table.columns[name]
        levels = column.hierarchy.levels if column.hierarchy else ()
        return {
            "name": name,
            "role": self.table.roles[name],
            "sizes": [len(column.values), *(len(level.starts) for level in levels)],
            "there": column.hierarchy is not None,
            "unfit": self._unfit.get(name, ""),
        }

    def _about(self, column: Column) -> dict[str, Any]:
        name, tab = column.name, self._tab(column)
        form, builder, made, problems = self._tried(column, tab)
        active = self.builder(name)
        same = builder is not None and active is not None and builder.to_dict() == active.to_dict()
        used = same or (tab == "groups" and active is not None)
        preview = made if made and not same else None
        offered, why = propose(forms.bare(column))
        return {
            "name": name,
            "type": column.kind,
            "values": len(column.values),
            "tabs": forms.tabs(column),
            "tab": tab,
            "form": form,
            "stamp": self._stamp,
            "state": "wrong" if problems else "used" if used else "draft" if made else "none",
            "there": name in self.hierarchies,
            "drafted": (name, tab) in self._drafts,
            "unfit": self._unfit.get(name, ""),
            "about": forms.about(tab, form, column, made),
            "notes": self._notes.get(name, []),
            "proposal": {"why": why, "what": forms.in_words(offered), "used": _same(offered, active)},
            "bundled": self._bundled(name),
            "histogram": forms.histogram(column) if tab == "intervals" else None,
            "preview": preview is not None,
            "tree": grouping.tree(column, preview or column.hierarchy),
            "problems": [
                self._problem(one) for one in (*problems, *([self._said[name]] if name in self._said else []))
            ],
        }

    def _bundled(self, name: str) -> bool:
        """Whether the data's own hierarchy is there to be had."""
        there = self.study.data.get(BUNDLED) == "adult" and name in ADULT_HIERARCHIES
        return there and self.hierarchies.get(name) != BUNDLED

    def _tried(
        self, column: Column, tab: str
    ) -> tuple[dict[str, Any], Builder | None, Hierarchy | None, tuple[Problem, ...]]:
        """The form of a tab, and the hierarchy that it makes or what is wrong with it."""
        drafted = self._drafts.get((column.name, tab))
        form = drafted if drafted is not None else forms.filled(tab, column, self.builder(column.name))
        if tab == "groups":
            return form, None, None, ()
        try:
            builder = forms.read(tab, form)
            if drafted is not None:
                forms.checked(builder, column)
            return form, builder, builder(forms.bare(column)), ()
        except BadInput as error:
            if drafted is None and column.name not in self._unfit:  # an empty form is nobody's mistake
                return form, None, None, ()
            problem = diagnosed(tab, form, column, error)
            fixes = tuple(Fix(one.text, self._mended(column.name, tab, one)) for one in problem.fixes)
            return form, None, None, (Problem(problem.field, problem.text, fixes),)

    def _mended(self, name: str, tab: str, fix: Fix) -> Callable[[], None]:
        return lambda: self._use(name, tab, fix.call())

    def _problem(self, problem: Problem) -> dict[str, Any]:
        """As a view draws it; a fix is called by its text, which stays the same as long as the problem does."""
        self._fixes |= {fix.text: fix.call for fix in problem.fixes}
        return {"field": problem.field, "text": problem.text, "fixes": [fix.text for fix in problem.fixes]}

    # --- what the views ask for

    def hear_choose(self, content: Content, _: list[memoryview]) -> None:
        self.column = self._named(content).name

    def hear_tab(self, content: Content, _: list[memoryview]) -> None:
        column = self._named(content)
        self._tabs[column.name] = _tab_of(content, column)
        self._said.pop(column.name, None)
        self.refresh()

    def hear_draft(self, content: Content, _: list[memoryview]) -> None:
        """What is being typed: kept, tried and shown, not used yet."""
        column = self._named(content)
        tab = _tab_of(content, column)
        self._keep(column, tab, content)
        if self._said.pop(column.name, None) or tab != "groups":  # half a name for a group changes no picture
            self.refresh()

    def hear_use(self, content: Content, _: list[memoryview]) -> None:
        """What was typed is meant, if there is nothing wrong with it."""
        column = self._named(content)
        tab = _tab_of(content, column)
        form = self._keep(column, tab, content)
        self._use(column.name, tab, form)

    def _keep(self, column: Column, tab: str, content: Content) -> dict[str, Any]:
        stamp = content.get("stamp")
        kept = forms.typed(tab, column, content.get("form"))
        self._tabs[column.name] = tab
        self._drafts[column.name, tab] = kept
        self._stamp = dict(stamp) if isinstance(stamp, Mapping) else {}
        return kept

    def _use(self, name: str, tab: str, form: dict[str, Any]) -> None:
        """Make the form's hierarchy the column's; where it cannot be, its draft says why and the last one stays."""
        assert self.table is not None
        self._drafts[name, tab] = form
        _, builder, made, problems = self._tried(self.table.columns[name], tab)
        if builder is None or made is None or problems:
            self.refresh()
            return
        self._set(name, builder)

    def hear_discard(self, content: Content, _: list[memoryview]) -> None:
        """Forget what was typed; the form shows what is in use again."""
        self._forget(self._named(content).name)
        self.refresh()

    def hear_propose(self, content: Content, _: list[memoryview]) -> None:
        column = self._named(content)
        builder, why = propose(forms.bare(column))
        if builder is None:
            raise BadInput(f"nothing is proposed for {column.name!r}: {why}")
        self._forget(column.name)
        self._set(column.name, builder)

    def hear_bundled(self, content: Content, _: list[memoryview]) -> None:
        name = self._named(content).name
        self._forget(name)
        self._set(name, BUNDLED)

    def hear_remove(self, content: Content, _: list[memoryview]) -> None:
        name = self._named(content).name
        self._forget(name)
        self._unfit.pop(name, None)
        self._set(name, None)

    def hear_file(self, content: Content, buffers: list[memoryview]) -> None:
        """A hierarchy file that was chosen: checked at once, used if it fits."""
        column, source = self._named(content), str(content.get("name", ""))
        if not buffers:
            raise BadInput("the file did not arrive; choose it again")
        form = {"text": text_of(bytes(buffers[0]), source), "source": source}
        self._tabs[column.name] = "import"
        self._stamp = {}
        self._use(column.name, "import", form)

    def hear_fix(self, content: Content, _: list[memoryview]) -> None:
        call = self._fixes.get(str(content.get("fix")))
        if call is None:
            raise BadInput("that fix belongs to something that has changed meanwhile")
        self._stamp = {}
        call()

    def hear_undo(self, content: Content, _: list[memoryview]) -> None:
        self._see(self.go(self.history.undo, self.history.redo))

    def hear_redo(self, content: Content, _: list[memoryview]) -> None:
        self._see(self.go(self.history.redo, self.history.undo))

    def _see(self, changed: list[str]) -> None:
        """Show the column that undo or redo has changed."""
        self._stamp = {}
        here = [name for name in changed if self.table is not None and name in self.table.columns]
        if here and self.column not in here:
            self.column = here[0]


def _tab_of(content: Content, column: Column) -> str:
    tab = str(content.get("tab"))
    if tab not in forms.tabs(column):
        raise BadInput(f"column {column.name!r} has no form {tab!r}; there are {', '.join(forms.tabs(column))}")
    return tab


def _same(offered: Builder | None, active: Builder | None) -> bool:
    return offered is not None and active is not None and offered.to_dict() == active.to_dict()
