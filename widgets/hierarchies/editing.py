"""What is being edited: a table under its hierarchies, and what was typed for each column until it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from widgets.hierarchies import forms, grouping
from widgets.hierarchies.forms import Form
from widgets.hierarchies.repairs import FieldProblem, Fix, diagnosed
from workbench.base.errors import BadInput
from workbench.data import level_ranges
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Builder, Columns, Groups
from workbench.data.hierarchies.hierarchy import Hierarchy, Misfit
from workbench.data.hierarchies.recovery import levels_of, recover
from workbench.data.published_runs import columns_with_regions, require_levels
from workbench.data.table import Table
from workbench.studies.study import Study

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
    released_levels: Mapping[str, list[int]] = field(default_factory=dict)  # column -> the lowest, the highest
    regions: Mapping[str, str] = field(
        default_factory=dict
    )  # column -> what releases show of it, where that was chosen
    column: str = ""
    tabs: Mapping[str, str] = field(default_factory=dict)  # column -> the form that is open
    drafts: Mapping[tuple[str, str], Form] = field(default_factory=dict)  # column and form -> what was typed
    wrong: Mapping[str, FieldProblem] = field(default_factory=dict)  # column -> why its last step could not be done
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)  # columns whose hierarchy does not fit the data, and why
    stamp: Mapping[str, Any] = field(default_factory=dict)  # the view that sent the last draft, and its number there
    _builders: dict[str, tuple[Any, Builder]] = field(default_factory=dict)  # made once for each setting

    @property
    def columns(self) -> list[str]:
        """The columns that may have a hierarchy, quasi-identifiers first."""
        table = self.table
        return [n for role in LISTED for n in table.names if table.roles[n] == role] if table is not None else []

    def named(self, name: object) -> Column:
        """A column of the table."""
        if self.table is None or str(name) not in self.table.columns:
            raise BadInput(f"there is no column {str(name)!r} in the table now")
        return self.table.columns[str(name)]

    def builder(self, name: str) -> Builder | None:
        """Return the builder of a column's hierarchy."""
        if name not in self.hierarchies:
            return None
        setting = (self.hierarchies[name], self.study.data, self.study.folder)
        if name not in self._builders or self._builders[name][0] != setting:
            self._builders[name] = (setting, self.study.builder(name, setting[0]))
        return self._builders[name][1]

    def tab(self, column: Column) -> str:
        """The form that is open for a column."""
        if self.tabs.get(column.name) in forms.tabs(column):
            return self.tabs[column.name]
        found, spec = forms.tab_of(self.builder(column.name), column), self.hierarchies.get(column.name)
        inline = isinstance(spec, Mapping) and "csv" not in spec
        return found if inline or found != "import" else "groups"  # of a file elsewhere the groups are what is edited

    def tried(self, column: Column, tab: str) -> Tried:
        """The form of a tab, and the hierarchy that it makes or what is wrong with it."""
        draft = self.drafts.get((column.name, tab))
        form = draft if draft is not None else forms.filled(tab, column, self.builder(column.name))
        if tab == "groups":
            return form, None, None, ()
        try:
            builder = forms.read(tab, form)
            if draft is not None:
                forms.checked(builder, column)
            return form, builder, builder(forms.bare(column)), ()
        except BadInput as error:
            untouched = draft is None and column.name not in self.unfit  # an empty form is nobody's mistake
            return form, None, None, () if untouched else (diagnosed(tab, form, column, error),)

    def refusals(self, column: Column) -> list[FieldProblem]:
        """Why the last step on a column could not be done."""
        return [self.wrong[column.name]] if column.name in self.wrong else []

    def fixes(self, column: Column) -> dict[str, Callable[[Editing], Editing]]:
        """The ways out of everything that is wrong with a column, by what their buttons say."""
        problems = (*self.tried(column, self.tab(column))[3], *self.refusals(column))
        return {fix.text: fix.step for problem in problems for fix in problem.fixes}

    # --- a table and its hierarchies: one follows the other

    def at(self, name: str) -> Editing:
        """Another column is edited; the first one, where there is none of that name."""
        names = self.columns
        name = names[0] if names and name not in names else name
        return self if name == self.column else replace(self, column=name)

    def with_table(self, table: Table | None) -> Editing:
        """A table that comes gets the hierarchies that are known for its columns; those that it has are learnt."""
        if table is None or table is self.table:
            return self if table is self.table else replace(self, table=None)
        now, specs, new = replace(self, table=table, unfit={}), dict(self.hierarchies), dict[str, Hierarchy]()
        for name, column in table.columns.items():
            builder = made = None
            try:
                builder = self.builder(name)
                made = builder(forms.bare(column)) if builder is not None else None
            except BadInput as error:
                now = now._unfitting(column, builder, error)
                del specs[name]
            if made is not None and column.hierarchy is None:
                new[name] = made
            elif column.hierarchy is not None and not _same(column.hierarchy, made):
                specs[name] = recover(column).to_dict()
        learnt = [name for name in changed(self.hierarchies, specs) if name not in now.unfit]
        now = replace(now._forgetting(learnt), table=_under(table, new), hierarchies=specs)
        return now._ranged({**self.released_levels, **table.level_ranges}).at(self.column)

    def with_released_levels(self, given: level_ranges.Ranges) -> Editing:
        """Other levels that columns may be released at."""
        ranges = {str(name): [*levels] for name, levels in given.items()}
        if ranges == self.released_levels:
            return self
        table = None if self.table is None else self.table.with_level_ranges(ranges)
        return replace(self, table=table, released_levels=ranges)

    def with_regions(self, given: Mapping[str, str]) -> Editing:
        """Another choice of what releases show of columns; those without one show what is the default."""
        regions, table = {str(name): str(shown) for name, shown in given.items()}, self.table
        names = [name for name in changed(self.regions, regions) if table is not None and name in table.columns]
        if table is not None and names:
            columns = {name: table.columns[name] for name in names}
            chosen = {name: regions[name] for name in names if name in regions}
            require_levels(columns, chosen)
            columns = table.columns | columns_with_regions(columns, chosen, self.study.smallest)
            table = replace(table, columns=columns, _memory={}, _locks={})
        return replace(self, table=table, regions=regions)

    def _showing(self) -> Editing:
        """The choices of what releases show that the hierarchies still allow."""
        assert self.table is not None
        columns = self.table.columns
        lost = [
            n for n, shown in self.regions.items() if shown == "nodes" and n in columns and not columns[n].has_levels
        ]
        return self.with_regions(_without(self.regions, lost)) if lost else self

    def _ranged(self, wanted: level_ranges.Ranges) -> Editing:
        """The levels to be released at that are sound under the hierarchies of the table."""
        assert self.table is not None
        return self.with_released_levels(level_ranges.kept(self.table.columns, self.table.roles, wanted))

    def _unfitting(self, column: Column, builder: Builder | None, error: BadInput) -> Editing:
        """Keep a builder that does not fit the new data in its form, with the error."""
        now = replace(self, unfit={**self.unfit, column.name: str(error)})
        if builder is None:
            return now
        tab = "import" if isinstance(builder, Columns) else forms.tab_of(builder, column)
        return now.drafted(column, tab, forms.filled(tab, column, builder))

    def with_hierarchies(self, hierarchies: Specs, here: str = "") -> Editing:
        """Other hierarchies, all built or none; what was typed for a column is gone if it was not changed `here`."""
        given = {str(name): spec for name, spec in hierarchies.items()}
        names, table = changed(self.hierarchies, given), self.table
        if not names:
            return self
        now = replace(self._forgetting(name for name in names if name != here), hierarchies=given)
        if table is not None:
            there = [name for name in names if name in table.columns]
            made = {n: b(forms.bare(table.columns[n])) for n in there if (b := now.builder(n)) is not None}
            new = {n: one for n, one in made.items() if not _same(table.columns[n].hierarchy, one)}
            gone = [n for n in there if n not in given and table.columns[n].hierarchy is not None]
            now = replace(now, table=_under(table, new, gone))
        now = replace(now, unfit=_without(self.unfit, names))
        return now if table is None else now._ranged(self.released_levels)._showing()

    def followed(self, table: Table | None, hierarchies: Specs, study: Study) -> Editing:
        """Another state from outside: a table that has these hierarchies already."""
        now = self._forgetting(changed(self.hierarchies, hierarchies))
        released = {name: [*levels] for name, levels in (table.level_ranges if table else {}).items()}
        now = replace(now, study=study, table=table, hierarchies=dict(hierarchies), released_levels=released, unfit={})
        return replace(now, regions=dict(study.regions)).at(self.column)

    # --- what is typed

    def drafted(self, column: Column, tab: str, form: Form, stamp: Mapping[str, Any] | None = None) -> Editing:
        """Store a draft and try it, without using it."""
        drafts = {**self.drafts, (column.name, tab): form}
        return replace(self.turned_to(column, tab), drafts=drafts, stamp=self.stamp if stamp is None else stamp)

    def turned_to(self, column: Column, tab: str) -> Editing:
        """Another form of the column."""
        tabs = {**self.tabs, column.name: tab}
        return replace(self, tabs=tabs, wrong=_without(self.wrong, [column.name]))

    def discarded(self, column: Column) -> Editing:
        """Discard the draft; the form shows the hierarchy in use."""
        return self._forgetting([column.name])

    def _forgetting(self, names: Iterable[str]) -> Editing:
        gone = set(names)
        if not gone:
            return self
        tabs, wrong, notes = (_without(one, gone) for one in (self.tabs, self.wrong, self.notes))
        drafts = {key: form for key, form in self.drafts.items() if key[0] not in gone}
        return replace(self, drafts=drafts, tabs=tabs, wrong=wrong, notes=notes, stamp={})

    def used(self, column: Column, tab: str, form: Form) -> Editing:
        """The form's hierarchy is the column's; where it cannot be, its draft says why and the last one stays."""
        now = self.drafted(column, tab, form)
        _, builder, made, _ = now.tried(column, tab)
        return now.committed(column, builder.to_dict()) if builder is not None and made is not None else now

    def committed(self, column: Column, spec: Any, notes: Sequence[str] = ()) -> Editing:
        """Another hierarchy for a column, or none; where it cannot be, why not."""
        name = column.name
        wrong, unfit = _without(self.wrong, [name]), _without(self.unfit, [name])
        now = replace(self, wrong=wrong, unfit=unfit, notes={**self.notes, name: notes})
        others = {n: one for n, one in self.hierarchies.items() if n != name}
        try:
            return now.with_hierarchies(others if spec is None else {**others, name: spec}, here=name)
        except BadInput as error:
            return now._refused(column, FieldProblem(now.tab(column), str(error)))

    def _refused(self, column: Column, problem: FieldProblem) -> Editing:
        return replace(self, wrong={**self.wrong, column.name: problem})

    # --- groups made by hand

    def grouped(self, column: Column, level: int, values: Sequence[str], label: str) -> Editing:
        """The values are in a group of that name, new or not."""
        counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
        new, notes = grouping.grouped(_levels(column), level, values, label, counts)
        now = self.drafted(column, "groups", {"level": level, "name": label})
        return now.levelled(column, new, notes, lambda error: _ways_out(column, level, values, label, error))

    def renamed(self, column: Column, level: int, label: str, to: str) -> Editing:
        """A group is called something else, unless another is called so."""
        levels = _levels(column)
        held = levels[level - 1].get(label, ())
        if held and to != label and to in levels[level - 1]:
            merge = Fix(f"Merge it with {to!r}", lambda now: now.grouped(column, level, held, to))
            return self._refused(column, FieldProblem("groups", f"There is a group {to!r} already.", (merge,)))
        return self.levelled(column, grouping.renamed(levels, level, label, to))

    def levelled(
        self,
        column: Column,
        levels: Sequence[grouping.Level],
        notes: Sequence[str] = (),
        ways_out: Callable[[Misfit], Iterable[Fix]] = lambda error: (),
    ) -> Editing:
        """These groups are used; where they cannot be, why not and the ways out."""
        builder = Groups(tuple(levels))
        try:
            builder(forms.bare(column))
        except Misfit as error:
            fixes = [*ways_out(error)]
            if error.what == "split":
                rows = grouping.untangled(grouping.rows_of(levels, column.labels), column)
                apart = grouping.from_rows(rows)
                fixes.append(Fix("Give the parts names of their own", lambda now: now.levelled(column, apart, notes)))
            return self._refused(column, FieldProblem("groups", str(error), tuple(fixes)))
        draft = {**self.drafts.get((column.name, "groups"), {"level": 1}), "name": ""}
        return self.drafted(column, "groups", draft, stamp={}).committed(column, builder.to_dict(), notes)


def changed(before: Specs, after: Specs) -> list[str]:
    """The columns whose hierarchy is another."""
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _ways_out(column: Column, level: int, values: Sequence[str], label: str, error: Misfit) -> Iterable[Fix]:
    if error.what == "lone" and label in error.values:
        other = f"{label} (group)"
        yield Fix(f"Take {label!r} into it", lambda now: now.grouped(column, level, [*values, label], label))
        yield Fix(f"Call it {other!r}", lambda now: now.grouped(column, level, values, other))
    if error.what == "split" and error.label == label:
        text = "the value" if len(error.values) == 1 else f"the {len(error.values)} values"
        every = [*values, *error.values]
        yield Fix(f"Take {text} between them too", lambda now: now.grouped(column, level, every, label))


def _levels(column: Column) -> list[grouping.Level]:
    return levels_of(column.hierarchy, column.kind == "text")


def _without(these: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    gone = set(names)
    return {name: one for name, one in these.items() if name not in gone}


def _same(one: Hierarchy | None, other: Hierarchy | None) -> bool:
    return one is not None and other is not None and one.spec() == other.spec()


def _under(table: Table, new: Mapping[str, Hierarchy], gone: Sequence[str] = ()) -> Table:
    """The table under other hierarchies."""
    table = table.without_hierarchies(gone) if gone else table
    return table.with_hierarchies({name: _given(made) for name, made in new.items()}) if new else table


def _given(hierarchy: Hierarchy) -> Callable[[Column], Hierarchy]:
    return lambda column: hierarchy
