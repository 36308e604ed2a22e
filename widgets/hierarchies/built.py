"""A table and the hierarchies that it is under: either may be set, the other follows; all of a change or nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets

from widgets.base.history import History
from widgets.base.part import Part
from widgets.hierarchies import forms
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Builder
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.table import Table
from workbench.studies.study import Study

Specs = dict[str, Any]


class Built(Part):
    """`table` comes in and goes out under `hierarchies`: name -> a builder's settings, "bundled", or {"csv": file}.

    What the last two mean is for `study` to say.
    """

    table = traitlets.Instance(Table, allow_none=True)
    hierarchies = traitlets.Dict(help="name -> builder's settings, 'bundled' or {'csv': file}; holds values: no sync")
    study = traitlets.Instance(Study)
    own_history = traitlets.Bool(True, help="whether undo and redo are this editor's own").tag(sync=True)

    def __init__(
        self, table: Table | None, hierarchies: Mapping[str, Any] | None, study: Study | None, **traits: Any
    ) -> None:
        self._rebuilt: Table | None = None  # what other hierarchies make of the table, until the table is it
        self._learnt: Specs | None = None  # the hierarchies of a table that comes, until they are taken over
        self._unfit: dict[str, str] = {}  # columns whose hierarchy does not fit the data that came, and why
        self._builders: dict[str, tuple[Any, Builder]] = {}
        self._going_back = False
        self.history: History[Specs] = History({})
        super().__init__(study=study or Study(), **traits)
        self.hierarchies = dict(hierarchies or {})
        self.table = table
        self.history = History(self.hierarchies)
        self._ready = True

    def unfitting(self, column: Column, builder: Builder) -> None:
        """A hierarchy that was known for this column does not fit the data that came."""

    def elsewhere(self, name: str) -> None:
        """The hierarchy of this column has been changed, but not here."""

    def refresh(self) -> None:
        """Show everything: at once, or when a message has been dealt with, once however much it changed."""
        if not self._ready:
            return
        if self._hearing:
            self._stale = True
        else:
            self.show()

    def _answer(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self._hearing, self._stale = True, False
        try:
            super()._answer(content, buffers)
        finally:
            self._hearing = False
        if self._stale:
            self.guarded("", self.show)

    def follow(self, table: Table | None, hierarchies: Mapping[str, Any], study: Study) -> None:
        """Another state from outside, shown once: a table that has these hierarchies already."""
        ready, self._ready = self._ready, False
        try:
            self.study = study
            if table is not self.table:
                self.table = None  # these hierarchies are about the next one
            self.hierarchies = dict(hierarchies)
            self._unfit, self._rebuilt = {}, table
            self.table = table
        finally:
            self._ready = ready
        self.refresh()

    def commit(self, name: str, spec: Any) -> None:
        """Another hierarchy for a column, or none; where it cannot be, everything stays as it is."""
        others = {n: one for n, one in self.hierarchies.items() if n != name}
        self._own = name
        try:
            self.hierarchies = others if spec is None else {**others, name: spec}
        finally:
            self._own = ""

    def builder(self, name: str) -> Builder | None:
        """What makes the hierarchy that a column has."""
        return self._builder(name, self.hierarchies[name]) if name in self.hierarchies else None

    def go(self, step: Callable[[], Specs], back: Callable[[], Specs]) -> list[str]:
        """To another state of the history, and which columns it changed; one that no longer fits is not gone to."""
        if not self.own_history:
            return []
        before, after = self.hierarchies, step()
        self._going_back = True
        try:
            self.hierarchies = after
        except BadInput:
            back()
            raise
        finally:
            self._going_back = False
        return _changed(before, after)

    # --- one follows the other

    _own = ""  # the column that is changed here
    _ready = _hearing = _stale = False

    @traitlets.validate("hierarchies")
    def _buildable(self, proposal: Any) -> Specs:
        given = {str(name): spec for name, spec in proposal.value.items()}
        if self._learnt is None:
            self._rebuilt = self._under(given)
        return given

    @traitlets.observe("hierarchies")
    def _hierarchies_changed(self, change: Any) -> None:
        old = change.old if isinstance(change.old, dict) else {}
        names = _changed(old, change.new)
        for name in names:
            if name != self._own and name not in self._unfit:
                self.elsewhere(name)
        if self._learnt is not None:
            self.history.replace(change.new)
            return
        for name in names:
            self._unfit.pop(name, None)
        self.table = self._rebuilt
        if not self._going_back:
            (self.history.push if self.own_history else self.history.replace)(change.new)
        self.refresh()

    def _under(self, given: Specs) -> Table | None:
        """The table under these hierarchies; what it has already is not built again."""
        table = self.table
        if table is None:
            return None
        changed = [name for name in _changed(self.hierarchies, given) if name in table.columns]
        made = {name: self._builder(name, given[name])(_bare(table, name)) for name in changed if name in given}
        new = {name: one for name, one in made.items() if not _same(table.columns[name].hierarchy, one)}
        gone = [name for name in changed if name not in given and table.columns[name].hierarchy is not None]
        return _quietly(table, new, gone)

    @traitlets.validate("table")
    def _adopted(self, proposal: Any) -> Table | None:
        """A table that comes gets the hierarchies that are known for its columns; those that it has are learnt."""
        table: Table | None = proposal.value
        if table is None or table is self.table or table is self._rebuilt:
            return table
        specs, new = dict(self.hierarchies), dict[str, Hierarchy]()
        self._unfit = {}
        for name, column in table.columns.items():
            made = self._fitting(column, specs)
            if made is not None and column.hierarchy is None:
                new[name] = made
            elif column.hierarchy is not None and not _same(column.hierarchy, made):
                specs[name] = forms.recovered(column).to_dict()
        self._learnt = specs
        return _quietly(table, new)

    def _fitting(self, column: Column, specs: Specs) -> Hierarchy | None:
        """The hierarchy known for a column; one that does not fit is taken out, and said."""
        name = column.name
        if name not in specs:
            return None
        builder = None
        try:
            builder = self._builder(name, specs[name])
            return builder(forms.bare(column))
        except BadInput as error:
            del specs[name]
            self._unfit[name] = str(error)
            if builder is not None:
                self.unfitting(column, builder)
            return None

    @traitlets.observe("table")
    def _table_changed(self, _: Any) -> None:
        if self._learnt is not None:
            try:
                self.hierarchies = self._learnt
            finally:
                self._learnt = None
        self._rebuilt = None
        self.refresh()

    def _builder(self, name: str, spec: Any) -> Builder:
        asked = (spec, self.study.data, self.study.folder)
        known = self._builders.get(name)
        if known is None or known[0] != asked:
            self._builders[name] = known = (asked, self.study.builder(name, spec))
        return known[1]


def _changed(before: Specs, after: Specs) -> list[str]:
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _bare(table: Table, name: str) -> Column:
    return forms.bare(table.columns[name])


def _same(one: Hierarchy | None, other: Hierarchy | None) -> bool:
    return one is not None and other is not None and one.spec() == other.spec()


def _quietly(table: Table, new: Mapping[str, Hierarchy], gone: Sequence[str] = ()) -> Table:
    """The table under other hierarchies; what it warns of is about roles, and was said when they were chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = table.without_hierarchies(gone) if gone else table
        return table.with_hierarchies({name: _given(made) for name, made in new.items()}) if new else table


def _given(hierarchy: Hierarchy) -> Callable[[Column], Hierarchy]:
    return lambda column: hierarchy
