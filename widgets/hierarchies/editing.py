"""The state of the hierarchy editor: a table with its hierarchies, and a draft for each column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from widgets.hierarchies import forms, grouping
from widgets.hierarchies.forms import Form
from widgets.hierarchies.repairs import FieldProblem, Remedy, diagnose
from workbench.base.errors import BadInput
from workbench.base.result_cache import ResultCache
from workbench.data import settings
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Builder, Columns, Groups
from workbench.data.hierarchies.hierarchy import Hierarchy, Misfit
from workbench.data.hierarchies.proposal import levels_of, recover
from workbench.data.published import columns_with_regions, require_levels
from workbench.data.table import Table
from workbench.studies.study import Study, hierarchy_builder

Specs = Mapping[str, Any]  # column -> a builder's settings, "bundled", or {"csv": file}
Tried = tuple[Form, Builder | None, Hierarchy | None, tuple[FieldProblem, ...]]
LISTED = ("quasi", "sensitive", "neutral")


@dataclass(frozen=True, repr=False, eq=False)
class Editing:
    """An immutable state of the editor: each step returns the next state, or raises BadInput.

    `study` resolves "bundled" and {"csv": file}.
    """

    study: Study
    table: Table | None = None
    hierarchies: Specs = field(default_factory=dict)
    released_levels: Mapping[str, list[int]] = field(default_factory=dict)  # column -> minimum and maximum
    regions: Mapping[str, str] = field(default_factory=dict)  # column -> the published regions, if chosen
    column: str = ""
    tabs: Mapping[str, str] = field(default_factory=dict)  # column -> the open form
    drafts: Mapping[tuple[str, str], Form] = field(default_factory=dict)  # column and form -> the typed text
    wrong: Mapping[str, FieldProblem] = field(default_factory=dict)  # column -> the error of its last step
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)  # columns whose hierarchy does not fit the data, and why
    stamp: Mapping[str, Any] = field(default_factory=dict)  # the view that sent the last draft, and its number there
    _builders: dict[str, tuple[Any, Builder]] = field(default_factory=dict)  # cached by setting

    @property
    def columns(self) -> list[str]:
        """The columns that may have a hierarchy, quasi-identifiers first."""
        table = self.table
        return [n for role in LISTED for n in table.names if table.roles[n] == role] if table is not None else []

    def column_named(self, name: object) -> Column:
        """Return a column of the table."""
        if self.table is None or str(name) not in self.table.columns:
            raise BadInput(f"the table has no column {str(name)!r}")
        return self.table.columns[str(name)]

    def builder(self, name: str) -> Builder | None:
        """Return the builder of a column's hierarchy."""
        if name not in self.hierarchies:
            return None
        setting = (self.hierarchies[name], self.study.data, self.study.folder)
        if name not in self._builders or self._builders[name][0] != setting:
            self._builders[name] = (setting, hierarchy_builder(self.study, name, setting[0]))
        return self._builders[name][1]

    def tab(self, column: Column) -> str:
        """Return the open form of a column."""
        if self.tabs.get(column.name) in forms.tabs(column):
            return self.tabs[column.name]
        found, spec = forms.tab_of(self.builder(column.name), column), self.hierarchies.get(column.name)
        inline = isinstance(spec, Mapping) and "csv" not in spec
        return found if inline or found != "import" else "groups"  # for a file on disk, its groups are edited

    def preview(self, column: Column, tab: str) -> Tried:
        """Return the form of a tab, and its hierarchy or its problems."""
        draft = self.drafts.get((column.name, tab))
        form = draft if draft is not None else forms.fill_form(tab, column, self.builder(column.name))
        if tab == "groups":
            return form, None, None, ()
        try:
            builder = forms.read_form(tab, form)
            if draft is not None:
                forms.check(builder, column)
            return form, builder, builder(forms.without_hierarchy(column)), ()
        except BadInput as error:
            untouched = draft is None and column.name not in self.unfit  # an empty form is not an error yet
            return form, None, None, () if untouched else (diagnose(tab, form, column, error),)

    def refusals(self, column: Column) -> list[FieldProblem]:
        """Return the error of the last step on a column."""
        return [self.wrong[column.name]] if column.name in self.wrong else []

    def fixes(self, column: Column) -> dict[str, Callable[[Editing], Editing]]:
        """Return the fixes for all problems of a column, by the text of their buttons."""
        problems = (*self.preview(column, self.tab(column))[3], *self.refusals(column))
        return {fix.text: fix.step for problem in problems for fix in problem.fixes}

    # --- the table and its hierarchies

    def with_column(self, name: str) -> Editing:
        """Edit another column; the first one if there is none of that name."""
        names = self.columns
        name = names[0] if names and name not in names else name
        return self if name == self.column else replace(self, column=name)

    def with_table(self, table: Table | None) -> Editing:
        """Use another table: it gets the known hierarchies of its columns, and its own hierarchies become known."""
        if table is None or table is self.table:
            return self if table is self.table else replace(self, table=None)
        now, specs, new = replace(self, table=table, unfit={}), dict(self.hierarchies), dict[str, Hierarchy]()
        for name, column in table.columns.items():
            builder = made = None
            try:
                builder = self.builder(name)
                made = builder(forms.without_hierarchy(column)) if builder is not None else None
            except BadInput as error:
                now = now._with_misfit(column, builder, error)
                del specs[name]
            if made is not None and column.hierarchy is None:
                new[name] = made
            elif column.hierarchy is not None and not _same(column.hierarchy, made):
                specs[name] = recover(column).to_dict()
        new_specs = [name for name in changed(self.hierarchies, specs) if name not in now.unfit]
        now = replace(now._without_drafts(new_specs), table=_apply_hierarchies(table, new), hierarchies=specs)
        return now._with_valid_levels({**self.released_levels, **table.settings.level_ranges}).with_column(self.column)

    def with_released_levels(self, given: settings.Ranges) -> Editing:
        """Set the levels at which columns may be released."""
        ranges = {str(name): [*levels] for name, levels in given.items()}
        if ranges == self.released_levels:
            return self
        table = None if self.table is None else self.table.with_settings(level_ranges=ranges)
        return replace(self, table=table, released_levels=ranges)

    def with_regions(self, given: Mapping[str, str]) -> Editing:
        """Set the published regions of columns; the others have the default."""
        regions, table = {str(name): str(shown) for name, shown in given.items()}, self.table
        names = [name for name in changed(self.regions, regions) if table is not None and name in table.columns]
        if table is not None and names:
            columns = {name: table.columns[name] for name in names}
            chosen = {name: regions[name] for name in names if name in regions}
            require_levels(columns, chosen)
            columns = table.columns | columns_with_regions(columns, chosen, self.study.smallest)
            table = replace(table, columns=columns, remember=ResultCache())
        return replace(self, table=table, regions=regions)

    def _with_valid_regions(self) -> Editing:
        """Keep the published regions that the hierarchies still allow."""
        assert self.table is not None
        columns = self.table.columns
        lost = [
            n for n, shown in self.regions.items() if shown == "nodes" and n in columns and not columns[n].has_levels
        ]
        return self.with_regions(_without(self.regions, lost)) if lost else self

    def _with_valid_levels(self, wanted: settings.Ranges) -> Editing:
        """Keep the released levels that are valid for the hierarchies of the table."""
        assert self.table is not None
        return self.with_released_levels(settings.valid_ranges(self.table.columns, self.table.roles, wanted))

    def _with_misfit(self, column: Column, builder: Builder | None, error: BadInput) -> Editing:
        """Keep a builder that does not fit the new data in its form, with the error."""
        now = replace(self, unfit={**self.unfit, column.name: str(error)})
        if builder is None:
            return now
        tab = "import" if isinstance(builder, Columns) else forms.tab_of(builder, column)
        return now.with_draft(column, tab, forms.fill_form(tab, column, builder))

    def with_hierarchies(self, hierarchies: Specs, here: str = "") -> Editing:
        """Set the hierarchies, all or none; drafts of columns that changed elsewhere than `here` are discarded."""
        given = {str(name): spec for name, spec in hierarchies.items()}
        names, table = changed(self.hierarchies, given), self.table
        if not names:
            return self
        now = replace(self._without_drafts(name for name in names if name != here), hierarchies=given)
        if table is not None:
            there = [name for name in names if name in table.columns]
            made = {n: b(forms.without_hierarchy(table.columns[n])) for n in there if (b := now.builder(n)) is not None}
            new = {n: one for n, one in made.items() if not _same(table.columns[n].hierarchy, one)}
            gone = [n for n in there if n not in given and table.columns[n].hierarchy is not None]
            now = replace(now, table=_apply_hierarchies(table, new, gone))
        now = replace(now, unfit=_without(self.unfit, names))
        return now if table is None else now._with_valid_levels(self.released_levels)._with_valid_regions()

    def with_study(self, table: Table | None, hierarchies: Specs, study: Study) -> Editing:
        """Follow a study, whose table has its hierarchies already."""
        now = self._without_drafts(changed(self.hierarchies, hierarchies))
        released = {name: [*levels] for name, levels in (table.settings.level_ranges if table else {}).items()}
        now = replace(now, study=study, table=table, hierarchies=dict(hierarchies), released_levels=released, unfit={})
        return replace(now, regions=dict(study.regions)).with_column(self.column)

    # --- drafts

    def with_draft(self, column: Column, tab: str, form: Form, stamp: Mapping[str, Any] | None = None) -> Editing:
        """Store a draft and try it, without using it."""
        drafts = {**self.drafts, (column.name, tab): form}
        return replace(self.with_tab(column, tab), drafts=drafts, stamp=self.stamp if stamp is None else stamp)

    def with_tab(self, column: Column, tab: str) -> Editing:
        """Open another form of the column."""
        tabs = {**self.tabs, column.name: tab}
        return replace(self, tabs=tabs, wrong=_without(self.wrong, [column.name]))

    def without_draft(self, column: Column) -> Editing:
        """Discard the draft; the form shows the hierarchy in use."""
        return self._without_drafts([column.name])

    def _without_drafts(self, names: Iterable[str]) -> Editing:
        gone = set(names)
        if not gone:
            return self
        tabs, wrong, notes = (_without(one, gone) for one in (self.tabs, self.wrong, self.notes))
        drafts = {key: form for key, form in self.drafts.items() if key[0] not in gone}
        return replace(self, drafts=drafts, tabs=tabs, wrong=wrong, notes=notes, stamp={})

    def use(self, column: Column, tab: str, form: Form) -> Editing:
        """Use the hierarchy of a form; if it is invalid, keep the draft with its error and the last valid hierarchy."""
        now = self.with_draft(column, tab, form)
        _, builder, made, _ = now.preview(column, tab)
        return now.commit(column, builder.to_dict()) if builder is not None and made is not None else now

    def commit(self, column: Column, spec: Any, notes: Sequence[str] = ()) -> Editing:
        """Set or remove the hierarchy of a column; if that is invalid, store the error."""
        name = column.name
        wrong, unfit = _without(self.wrong, [name]), _without(self.unfit, [name])
        now = replace(self, wrong=wrong, unfit=unfit, notes={**self.notes, name: notes})
        others = {n: one for n, one in self.hierarchies.items() if n != name}
        try:
            return now.with_hierarchies(others if spec is None else {**others, name: spec}, here=name)
        except BadInput as error:
            return now._with_problem(column, FieldProblem(now.tab(column), str(error)))

    def _with_problem(self, column: Column, problem: FieldProblem) -> Editing:
        return replace(self, wrong={**self.wrong, column.name: problem})

    # --- manual groups

    def group(self, column: Column, level: int, values: Sequence[str], label: str) -> Editing:
        """Put values into a group, which is new or exists."""
        counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
        new, notes = grouping.group_values(_levels(column), level, values, label, counts)
        now = self.with_draft(column, "groups", {"level": level, "name": label})
        return now.with_levels(column, new, notes, lambda error: _ways_out(column, level, values, label, error))

    def rename_group(self, column: Column, level: int, label: str, to: str) -> Editing:
        """Rename a group, unless the name is taken."""
        levels = _levels(column)
        held = levels[level - 1].get(label, ())
        if held and to != label and to in levels[level - 1]:
            merge = Remedy(f"Merge it with {to!r}", lambda now: now.group(column, level, held, to))
            return self._with_problem(column, FieldProblem("groups", f"There is a group {to!r} already.", (merge,)))
        return self.with_levels(column, grouping.rename_group(levels, level, label, to))

    def with_levels(
        self,
        column: Column,
        levels: Sequence[grouping.Level],
        notes: Sequence[str] = (),
        ways_out: Callable[[Misfit], Iterable[Remedy]] = lambda error: (),
    ) -> Editing:
        """Use these groups; if they are invalid, store the error with its fixes."""
        builder = Groups(tuple(levels))
        try:
            builder(forms.without_hierarchy(column))
        except Misfit as error:
            fixes = [*ways_out(error)]
            if error.what == "split":
                rows = grouping.separate_parts(grouping.rows_of(levels, column.labels), column)
                separate = grouping.from_rows(rows)
                fixes.append(
                    Remedy("Give each part its own name", lambda now: now.with_levels(column, separate, notes))
                )
            return self._with_problem(column, FieldProblem("groups", str(error), tuple(fixes)))
        draft = {**self.drafts.get((column.name, "groups"), {"level": 1}), "name": ""}
        return self.with_draft(column, "groups", draft, stamp={}).commit(column, builder.to_dict(), notes)


def changed(before: Specs, after: Specs) -> list[str]:
    """Return the columns with different hierarchies."""
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _ways_out(column: Column, level: int, values: Sequence[str], label: str, error: Misfit) -> Iterable[Remedy]:
    if error.what == "lone" and label in error.values:
        other = f"{label} (group)"
        yield Remedy(f"Add {label!r} to the group", lambda now: now.group(column, level, [*values, label], label))
        yield Remedy(f"Name it {other!r}", lambda now: now.group(column, level, values, other))
    if error.what == "split" and error.label == label:
        text = "the value" if len(error.values) == 1 else f"the {len(error.values)} values"
        every = [*values, *error.values]
        yield Remedy(f"Add {text} between them", lambda now: now.group(column, level, every, label))


def _levels(column: Column) -> list[grouping.Level]:
    return levels_of(column.hierarchy, column.kind == "text")


def _without(these: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    gone = set(names)
    return {name: one for name, one in these.items() if name not in gone}


def _same(one: Hierarchy | None, other: Hierarchy | None) -> bool:
    return one is not None and other is not None and one.spec() == other.spec()


def _apply_hierarchies(table: Table, new: Mapping[str, Hierarchy], gone: Sequence[str] = ()) -> Table:
    """Return the table with other hierarchies."""
    table = table.without_hierarchies(gone) if gone else table
    return table.with_hierarchies({name: _as_builder(made) for name, made in new.items()}) if new else table


def _as_builder(hierarchy: Hierarchy) -> Callable[[Column], Hierarchy]:
    return lambda column: hierarchy
