"""Groups made by hand: put together, renamed and taken apart; where they cannot be, what is wrong and a way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from widgets.base.part import whole
from widgets.hierarchies import forms, grouping
from widgets.hierarchies.built import Built
from widgets.hierarchies.repairs import Fix, Problem
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Builder, Columns, Groups
from workbench.data.hierarchies.hierarchy import Hierarchy, Misfit
from workbench.data.table import Table
from workbench.studies.study import Study

Content = Mapping[str, Any]


class ByHand(Built):
    """What is typed or grouped for each column, until it is the column's hierarchy."""

    def __init__(
        self, table: Table | None, hierarchies: Mapping[str, Any] | None, study: Study | None, **traits: Any
    ) -> None:
        self._drafts: dict[tuple[str, str], dict[str, Any]] = {}  # column and form -> what was typed
        self._tabs: dict[str, str] = {}
        self._said: dict[str, Problem] = {}  # what was wrong with the last grouping of a column
        self._notes: dict[str, list[str]] = {}
        self._stamp: dict[str, Any] = {}  # which view sent the last draft, and the how manieth of its it was
        super().__init__(table, hierarchies, study, **traits)

    def unfitting(self, column: Column, builder: Builder) -> None:
        """It stays in its form, to be mended there."""
        tab = "import" if isinstance(builder, Columns) else forms.tab_of(builder, column)
        self._tabs[column.name] = tab
        self._drafts[column.name, tab] = forms.filled(tab, column, builder)

    def elsewhere(self, name: str) -> None:
        """What was typed for the column is about another state."""
        self._forget(name)

    def _forget(self, name: str) -> None:
        self._drafts = {key: form for key, form in self._drafts.items() if key[0] != name}
        for kept in (self._tabs, self._said, self._notes):
            kept.pop(name, None)
        self._stamp = {}

    def _named(self, content: Content) -> Column:
        name = str(content.get("column"))
        if self.table is None or name not in self.table.columns:
            raise BadInput(f"there is no column {name!r} in the table now")
        return self.table.columns[name]

    def _tab(self, column: Column) -> str:
        chosen = self._tabs.get(column.name, "")
        if chosen in forms.tabs(column):
            return chosen
        found = forms.tab_of(self.builder(column.name), column)
        said = self.hierarchies.get(column.name)
        inline = isinstance(said, Mapping) and "csv" not in said
        return found if inline or found != "import" else "groups"  # of a file elsewhere the groups are what is edited

    def _set(self, name: str, builder: Builder | str | None, notes: Sequence[str] = ()) -> None:
        """Commit: all of it or nothing."""
        self._said.pop(name, None)
        self._notes[name] = list(notes)
        try:
            self.commit(name, builder.to_dict() if isinstance(builder, Builder) else builder)
        except BadInput as error:
            assert self.table is not None
            self._said[name] = Problem(self._tab(self.table.columns[name]), str(error))
        self.refresh()

    # --- what the views ask for

    def hear_group(self, content: Content, _: list[memoryview]) -> None:
        """Put what was selected on a level into a group of that name, new or not."""
        column, level = self._named(content), whole(content, "level", 1)
        label = str(content.get("label", "")).strip()
        self._drafts[column.name, "groups"] = {"level": level, "name": label}
        if not label:
            raise BadInput("Type a name for the group.")
        self._group(column, level, self._values(column, level, content), label)

    def _values(self, column: Column, level: int, content: Content) -> list[str]:
        """The values of what was selected on a level."""
        hierarchy = column.hierarchy or Hierarchy(column.labels)
        if not 1 <= level <= len(hierarchy.levels) + 1:
            raise BadInput(f"there is no level {level}; the next one is {len(hierarchy.levels) + 1}")
        there, chosen = grouping.members(hierarchy, level), content.get("members")
        if not chosen or not isinstance(chosen, list) or any(str(label) not in there for label in chosen):
            raise BadInput("Select the values that belong together first.")
        return [value for label in chosen for value in there[str(label)]]

    def _group(self, column: Column, level: int, values: list[str], label: str) -> None:
        counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
        levels = grouping.levels_of(column.hierarchy, column.kind == "text")
        new, notes = grouping.grouped(levels, level, values, label, counts)
        self._try_levels(column, new, notes, lambda error: self._group_fixes(column, level, values, label, error))

    def _group_fixes(self, column: Column, level: int, values: list[str], label: str, error: Misfit) -> Sequence[Fix]:
        if error.what == "lone" and label in error.values:
            other = f"{label} (group)"
            return (
                Fix(f"Take {label!r} into it", lambda: self._group(column, level, [*values, label], label)),
                Fix(f"Call it {other!r}", lambda: self._group(column, level, values, other)),
            )
        if error.what == "split" and error.label == label:
            more = len(error.values)
            text = "Take the value between them too" if more == 1 else f"Take the {more} values between them too"
            return (Fix(text, lambda: self._group(column, level, [*values, *error.values], label)),)
        return ()

    def _try_levels(
        self,
        column: Column,
        levels: Sequence[grouping.Level],
        notes: Sequence[str] = (),
        fixes: Callable[[Misfit], Sequence[Fix]] = lambda error: (),
    ) -> None:
        """Use these groups; where they cannot be, say so with a way out."""
        builder = Groups(tuple(levels))
        try:
            builder(forms.bare(column))
        except Misfit as error:
            found = list(fixes(error))
            if error.what == "split":
                rows = grouping.untangled(grouping.rows_of(levels, column.labels), column)
                apart = grouping.from_rows(rows)
                found.append(Fix("Give the parts names of their own", lambda: self._try_levels(column, apart, notes)))
            self._said[column.name] = Problem("groups", str(error), tuple(found))
            self.refresh()
            return
        self._drafts[column.name, "groups"] = {**self._drafts.get((column.name, "groups"), {"level": 1}), "name": ""}
        self._tabs[column.name] = "groups"
        self._stamp = {}
        self._set(column.name, builder, notes)

    def hear_ungroup(self, content: Content, _: list[memoryview]) -> None:
        """Take what was selected out of its groups."""
        column = self._named(content)
        level = _level_of(content, column)
        values = self._values(column, level, content)
        self._try_levels(column, grouping.ungrouped(grouping.levels_of(column.hierarchy, True), level, values))

    def hear_rename(self, content: Content, _: list[memoryview]) -> None:
        column = self._named(content)
        level = _level_of(content, column)
        label, to = str(content.get("label", "")), str(content.get("to", "")).strip()
        if not to:
            raise BadInput("Type a name for the group.")
        levels = grouping.levels_of(column.hierarchy, column.kind == "text")
        held = list(levels[level - 1].get(label, ()))
        if held and to != label and to in levels[level - 1]:
            merge = Fix(f"Merge it with {to!r}", lambda: self._group(column, level, held, to))
            self._said[column.name] = Problem("groups", f"There is a group {to!r} already.", (merge,))
            self.refresh()
            return
        self._try_levels(column, grouping.renamed(levels, level, label, to))

    def hear_drop_level(self, content: Content, _: list[memoryview]) -> None:
        column = self._named(content)
        level = _level_of(content, column)
        levels = grouping.levels_of(column.hierarchy, column.kind == "text")
        self._try_levels(column, grouping.without_level(levels, level))


def _level_of(content: Content, column: Column) -> int:
    """One of the levels that a column has."""
    levels = len(column.hierarchy.levels) if column.hierarchy else 0
    return whole(content, "level", 1, levels, f"column {column.name!r} has {levels} levels; choose one of them")
