"""The hierarchy editor: proposed, generated, grouped or imported hierarchies, and the data at each level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import traitlets

from widgets.base.history import History
from widgets.base.inputs import table_from_input
from widgets.base.part import Part, read_integer, script, styles
from widgets.hierarchies import forms, grouping
from widgets.hierarchies.editing import Editing, Specs, changed
from widgets.hierarchies.regions import shown_regions
from workbench.base.errors import BadInput
from workbench.data import settings
from workbench.data.column import Column
from workbench.data.datasets import ADULT_HIERARCHIES
from workbench.data.hierarchies.builders import Builder
from workbench.data.hierarchies.hierarchy import Hierarchy, text_of
from workbench.data.hierarchies.proposal import Proposal, levels_of, propose, similar_groups
from workbench.data.published import default_regions
from workbench.data.settings import level_range
from workbench.data.table import Table
from workbench.studies.study import BUNDLED, Study

Content = Mapping[str, Any]
# the state for undo: hierarchies, released levels, and regions
Chosen = tuple[Specs, Mapping[str, list[int]], Mapping[str, str]]
TRAITS = ("table", "hierarchies", "released_levels", "regions", "column")


class HierarchyEditor(Part):
    """Edit the hierarchies of quasi-identifiers and sensitive columns.

    `table` always has the hierarchies of `hierarchies`: name -> a builder's settings, "bundled", or {"csv": file};
    `study` resolves the last two. With `own_history=False` the editor has no undo and redo of its own. A message
    creates the next state (`Editing`); then the traits and the views are updated.
    """

    _esm = script("hierarchies/editor")
    _css = styles("hierarchies/editor")

    table = traitlets.Instance(Table, allow_none=True)
    hierarchies = traitlets.Dict(help="name -> builder's settings, 'bundled' or {'csv': file}; holds values: no sync")
    released_levels = traitlets.Dict(help="name -> the minimum and maximum level of releases")
    regions = traitlets.Dict(help="name -> the published regions: nodes, ranges, or exact ranges")
    column = traitlets.Unicode("", help="the column being edited").tag(sync=True)
    own_history = traitlets.Bool(True, help="whether this editor has its own undo and redo").tag(sync=True)

    def __init__(
        self,
        table: Any = None,
        hierarchies: Mapping[str, Any] | None = None,
        study: Study | None = None,
        **traits: Any,
    ) -> None:
        now = Editing(study or Study()).with_hierarchies(hierarchies or {}).with_table(table_from_input(table))
        self._now = self._shown = now  # the current state, and the one in traits and views
        self.history: History[Chosen] = History(_chosen(now))
        given = {name: getattr(now, name) for name in TRAITS}
        super().__init__(**{**given, **traits})

    def follow(self, table: Table | None, hierarchies: Mapping[str, Any], study: Study) -> None:
        """Follow a study, whose table has its hierarchies already."""
        self._now = self._now.with_study(table, hierarchies, study)
        self._send_all()

    @traitlets.validate(*TRAITS)
    def _validate(self, proposal: Any) -> Any:
        """Set one trait and update the others, or raise without any change."""
        name, now = proposal["trait"].name, self._now
        if name == "column":
            self._now = now.with_column(proposal.value)
        elif name == "hierarchies":
            self._now = now.with_hierarchies(proposal.value)
        elif name == "released_levels":
            self._now = now.with_released_levels(proposal.value)
        elif name == "regions":
            self._now = now.with_regions(proposal.value)
        else:
            self._now = now.with_table(proposal.value)
            self._remember(self.history.replace)  # not a step of the user
        return getattr(self._now, name)

    @traitlets.observe(*TRAITS)
    def _send_all(self, _: Any = None) -> None:
        """Update all traits for a new state, then the views, unless an observer has changed it again."""
        now = self._now
        if now is self._shown:
            return
        self._shown = now
        self._remember(self.history.push if self.own_history else self.history.replace)
        with self.hold_trait_notifications():
            self.hierarchies, self.table, self.column = dict(now.hierarchies), now.table, now.column
            self.released_levels, self.regions = dict(now.released_levels), dict(now.regions)
        if now is self._now:
            self.show()

    def _remember(self, how: Callable[[Chosen], None]) -> None:
        if _chosen(self._now) != self.history.state:
            how(_chosen(self._now))

    def _answer(self, content: Content, buffers: list[memoryview]) -> None:
        super()._answer(content, buffers)
        self.guarded("", self._send_all)

    # --- content of the views

    def show(self) -> None:
        """Send the list of columns and everything about the one that is edited."""
        now = self._now
        self.send_message(
            "columns",
            columns=[_line(now, name) for name in now.columns],
            column=now.column,
            undo=self.history.can_undo,
            redo=self.history.can_redo,
        )
        if now.table is not None and now.column in now.table.columns:
            self.send_message("column", **_about(now, now.table.columns[now.column]))

    # --- requests of the views

    def receive_choose(self, content: Content, _: list[memoryview]) -> None:
        self._now = self._now.with_column(self._column(content).name)

    def receive_tab(self, content: Content, _: list[memoryview]) -> None:
        column = self._column(content)
        self._now = self._now.with_tab(column, _tab_of(content, column))

    def receive_draft(self, content: Content, _: list[memoryview]) -> None:
        """Store, try and show a draft, without using it."""
        before, column = self._now, self._column(content)
        self._now = self._drafted(content, column)
        if self._now.tab(column) == "groups" and column.name not in before.wrong:
            self._shown = self._now  # a half-typed name needs no update

    def receive_use(self, content: Content, _: list[memoryview]) -> None:
        """Use the draft if it is valid."""
        column, tab = self._column(content), str(content.get("tab"))
        now = self._drafted(content, column)
        self._now = now.use(column, tab, now.drafts[column.name, tab])

    def _drafted(self, content: Content, column: Column) -> Editing:
        tab, stamp = _tab_of(content, column), content.get("stamp")
        form = forms.parse_form(tab, column, content.get("form"))
        return self._now.with_draft(column, tab, form, dict(stamp) if isinstance(stamp, Mapping) else {})

    def receive_discard(self, content: Content, _: list[memoryview]) -> None:
        """Discard the draft; the form shows the current hierarchy."""
        self._now = self._now.without_draft(self._column(content))

    def receive_propose(self, content: Content, _: list[memoryview]) -> None:
        column = self._column(content)
        builder, why = _proposal(self._now, column)
        if builder is None:
            raise BadInput(f"nothing is proposed for {column.name!r}: {why}")
        self._commit(column, builder.to_dict())

    def receive_bundled(self, content: Content, _: list[memoryview]) -> None:
        self._commit(self._column(content), BUNDLED)

    def receive_remove(self, content: Content, _: list[memoryview]) -> None:
        self._commit(self._column(content), None)

    def _commit(self, column: Column, spec: Any) -> None:
        self._now = self._now.without_draft(column).commit(column, spec)

    def receive_file(self, content: Content, buffers: list[memoryview]) -> None:
        """Check a hierarchy file, and use it if it fits."""
        column, source = self._column(content), str(content.get("name", ""))
        if not buffers:
            raise BadInput("the file did not arrive; choose it again")
        form = {"text": text_of(bytes(buffers[0]), source), "source": source}
        self._now = self._now.with_draft(column, "import", form, {}).use(column, "import", form)

    def receive_fix(self, content: Content, _: list[memoryview]) -> None:
        """Apply a fix, which is identified by its text."""
        step = self._now.fixes(self._now.column_named(self._now.column)).get(str(content.get("fix")))
        if step is None:
            raise BadInput("this fix no longer applies")
        self._now = step(replace(self._now, stamp={}))

    def receive_group(self, content: Content, _: list[memoryview]) -> None:
        """Put the selected values of a level into a group, which is new or exists."""
        column, level = self._column(content), read_integer(content, "level", 1)
        label = _name_of(content, "label")
        self._now = self._now.group(column, level, _values(column, level, content), label)

    def receive_ungroup(self, content: Content, _: list[memoryview]) -> None:
        """Take the selected values out of their groups."""
        column = self._column(content)
        level = _level_of(content, column)
        levels = levels_of(column.hierarchy, True)
        self._now = self._now.with_levels(column, grouping.ungroup(levels, level, _values(column, level, content)))

    def receive_rename(self, content: Content, _: list[memoryview]) -> None:
        column = self._column(content)
        level, to = _level_of(content, column), _name_of(content, "to")
        self._now = self._now.rename_group(column, level, str(content.get("label", "")), to)

    def receive_drop_level(self, content: Content, _: list[memoryview]) -> None:
        column = self._column(content)
        levels = levels_of(column.hierarchy, column.kind == "text")
        self._now = self._now.with_levels(column, grouping.without_level(levels, _level_of(content, column)))

    def receive_released(self, content: Content, _: list[memoryview]) -> None:
        """Set the minimum and maximum level of a column in releases; the full range is not stored."""
        column, table = self._column(content), self._now.table
        assert table is not None
        top = settings.highest_level(column)
        words = f"choose levels from 0 to {top}"
        levels = [read_integer(content, end, 0, top, words) for end in ("low", "high")]
        others = {name: given for name, given in self._now.released_levels.items() if name != column.name}
        wanted = others if levels == [0, top] else {**others, column.name: levels}
        self._now = self._now.with_released_levels(wanted)

    def receive_regions(self, content: Content, _: list[memoryview]) -> None:
        """Set the published regions of a column; the default is not stored."""
        column, shown = self._column(content), str(content.get("shown"))
        chosen = {name: one for name, one in self._now.regions.items() if name != column.name}
        if shown != default_regions(column):
            chosen[column.name] = shown
        self._now = self._now.with_regions(chosen)

    def receive_undo(self, content: Content, _: list[memoryview]) -> None:
        self._go(self.history.undo, self.history.redo)

    def receive_redo(self, content: Content, _: list[memoryview]) -> None:
        self._go(self.history.redo, self.history.undo)

    def _go(self, step: Callable[[], Chosen], back: Callable[[], Chosen]) -> None:
        """Go to another state of the history, and to a column that it changes, if the state fits the data."""
        if not self.own_history:
            return
        before = self._now
        try:
            hierarchies, released, regions = step()
            now = before.with_hierarchies(hierarchies).with_released_levels(released).with_regions(regions)
        except BadInput:
            back()
            raise
        parts = (
            (getattr(one, name) for one in (before, now)) for name in ("hierarchies", "released_levels", "regions")
        )
        others = [name for was, becomes in parts for name in changed(was, becomes)]
        here = [name for name in others if name in now.columns]
        self._now = now.with_column(here[0]) if here and now.column not in here else now

    def _column(self, content: Content) -> Column:
        return self._now.column_named(content.get("column"))


def _chosen(now: Editing) -> Chosen:
    return now.hierarchies, now.released_levels, now.regions


def _line(now: Editing, name: str) -> dict[str, Any]:
    """Return the entry of a column in the list."""
    assert now.table is not None
    column = now.table.columns[name]
    levels = column.hierarchy.levels if column.hierarchy else ()
    return {
        "name": name,
        "role": now.table.roles[name],
        "sizes": [len(column.values), *(len(level.starts) for level in levels)],
        "there": column.hierarchy is not None,
        "unfit": now.unfit.get(name, ""),
    }


def _about(now: Editing, column: Column) -> dict[str, Any]:
    """Return the content of the edited column."""
    name, tab = column.name, now.tab(column)
    form, builder, made, wrong = now.preview(column, tab)
    active = now.builder(name)
    same = _same(builder, active)
    used = same or (tab == "groups" and active is not None)
    preview = made if made and not same else None
    offered, why = _proposal(now, column)
    bundled = now.study.data.get(BUNDLED) == "adult" and name in ADULT_HIERARCHIES
    return {
        "name": name,
        "type": column.kind,
        "values": len(column.values),
        "tabs": forms.tabs(column),
        "tab": tab,
        "form": form,
        "stamp": now.stamp,
        "state": "wrong" if wrong else "used" if used else "draft" if made else "none",
        "there": name in now.hierarchies,
        "drafted": (name, tab) in now.drafts,
        "unfit": now.unfit.get(name, ""),
        "about": forms.about(tab, form, column, made),
        "notes": now.notes.get(name, []),
        "proposal": {"why": why, "what": forms.describe_proposal(offered), "used": _same(offered, active)},
        "bundled": bundled and now.hierarchies.get(name) != BUNDLED,
        "histogram": forms.histogram(column) if tab == "intervals" else None,
        "preview": preview is not None,
        "released": _released(now.table, column) if now.table and now.table.roles[name] == "quasi" else None,
        "regions": shown_regions(now.table, column) if now.table and now.table.roles[name] == "quasi" else None,
        "tree": grouping.tree(column, preview or column.hierarchy),
        "problems": [
            {"field": one.field, "text": one.text, "fixes": [fix.text for fix in one.fixes]}
            for one in (*wrong, *now.refusals(column))
        ],
    }


def _proposal(now: Editing, column: Column) -> Proposal:
    """Propose a hierarchy by the values of a column, or by co-occurring values."""
    builder, why = propose(forms.without_hierarchy(column))
    if builder is not None or now.table is None or now.table.roles[column.name] == "sensitive":
        return builder, why
    table, name = now.table, column.name
    others = [other for other in table.quasi if other != name]
    plain = table.remember("without hierarchies", lambda: table.without_hierarchies(table.names))
    if groups := similar_groups(plain, name, others):
        return groups, f"{len(column.values)} values, grouped by similar values of the other quasi-identifiers."
    return None, why


def _released(table: Table, column: Column) -> dict[str, Any]:
    """Return the possible levels of a column in releases, their numbers of groups, and the chosen range."""
    sizes = [len(np.unique(node)) for node in column.released_at]
    low, high = level_range(table, column.name)
    return {"sizes": sizes, "levels": len(column.hierarchy.levels) if column.hierarchy else 0, "low": low, "high": high}


def _tab_of(content: Content, column: Column) -> str:
    tab = str(content.get("tab"))
    if tab not in forms.tabs(column):
        raise BadInput(f"column {column.name!r} has no form {tab!r}; choose from {', '.join(forms.tabs(column))}")
    return tab


def _level_of(content: Content, column: Column) -> int:
    """Return the level of a message."""
    levels = len(column.hierarchy.levels) if column.hierarchy else 0
    return read_integer(content, "level", 1, levels, f"column {column.name!r} has {levels} levels; choose one of them")


def _name_of(content: Content, field: str) -> str:
    name = str(content.get(field, "")).strip()
    if not name:
        raise BadInput("Type a name for the group.")
    return name


def _values(column: Column, level: int, content: Content) -> list[str]:
    """Return the values of the selected groups of a level."""
    hierarchy = column.hierarchy or Hierarchy(column.labels)
    if not 1 <= level <= len(hierarchy.levels) + 1:
        raise BadInput(f"there is no level {level}; the next one is {len(hierarchy.levels) + 1}")
    there, selected = grouping.members(hierarchy, level), content.get("members")
    if not selected or not isinstance(selected, list) or any(str(label) not in there for label in selected):
        raise BadInput("Select the values that belong together first.")
    return [value for label in selected for value in there[str(label)]]


def _same(one: Builder | None, other: Builder | None) -> bool:
    return one is not None and other is not None and one.to_dict() == other.to_dict()
