"""The roles of the columns, their unique records, and a proposal."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Worker
from widgets.roles.column_rows import column_row, level_sizes, singled_row, smallest_rows
from widgets.roles.matrix import NOTHING, matrix
from workbench.base.errors import BadInput, safe_repr, suggest_column
from workbench.data.column import Column
from workbench.data.hierarchies.builders import from_dict
from workbench.data.sensitive import MANY_VALUES
from workbench.data.settings import check_weight, column_names, unfit_as_weight
from workbench.data.table import Table
from workbench.data.uniqueness import Survey, count_unique, is_nearly_unique, repeats, survey
from workbench.methods import Keep
from workbench.studies.proposal import KEYS, MANY_LABELS, hierarchy_of, level_of, restrict_advice
from workbench.studies.proposed_roles import Advice, propose_roles

OUT = ("identifiers", "dropped", "weight")  # roles of columns that are not published
WORST = 8  # number of shown combinations of each size
Roles = dict[str, list[str]]


class Stopped(Exception):
    """The count was cancelled."""


class RolePicker(Part):
    """Choose the role of every column of `base`; `table` is the data in those roles, None without a quasi-identifier.

    Hierarchies come with the columns of `base`, or as `hierarchies`, which take what `Table.with_hierarchies` takes.
    """

    _esm = script("roles/roles")
    _css = styles("roles/roles", "roles/matrix")
    base = traitlets.Instance(Table, allow_none=True, help="all columns without roles")
    hierarchies = traitlets.Dict(help="builders or hierarchies of some columns, for the levels of sensitive ones")
    drop_missing = traitlets.Bool(False, help="whether records with missing values are dropped")
    roles = traitlets.Dict(help="names of the columns: quasi, sensitive, identifiers, dropped, weight").tag(sync=True)
    levels = traitlets.Dict(help="the level of a sensitive column in models; 0: its values").tag(sync=True)
    table = traitlets.Instance(Table, allow_none=True, help="the data in these roles")

    def __init__(self, table: Any = None, **traits: Any) -> None:
        self._counter, self._uniqueness_worker = Worker(self._count_failed), Worker(self._alone_failed)
        self._kept: tuple[tuple[Any, ...], Table] | None = None  # the last prepared table and its key
        self._last: tuple[tuple[Any, ...], Table] | None = None  # the last table in roles and its key
        self._survey: Survey | None = None
        self._advice: dict[str, Advice] = {}
        self._surveyed: tuple[Any, ...] = ()
        self._before: tuple[Roles, dict[str, int]] | None = None
        self._alone: dict[str, Any] = {}
        self._between = NOTHING
        self._state: tuple[Any, ...] = ()  # the inputs of `table`
        base = table_from_input(table)
        given = {key: _in_role(base, role) for role, key in KEYS.items()}
        traits = {"base": base, "roles": given, "levels": dict(base.levels) if base else {}, **traits}
        super().__init__(**traits)
        self.observe(lambda _: self._other_base(), "base")
        self.observe(lambda _: self._refresh(), ["roles", "levels"])
        self.observe(lambda _: self._refresh(), ["hierarchies", "drop_missing"])
        self.observe(lambda _: self.show(), ["hierarchies", "drop_missing"])
        self._refresh()

    def about(self) -> str:
        return ", ".join(f"{len(names)} {role}" for role, key in KEYS.items() if (names := self.roles.get(key)))

    # --- roles and the table

    @traitlets.validate("roles")
    def _valid_roles(self, proposal: Any) -> Roles:
        """Return the columns of each role in the order of the data; each has one role."""
        given = {key: list(column_names(proposal.value.get(key))) for key in KEYS.values()}
        every = [name for names in given.values() for name in names]
        twice = sorted({name for name in every if every.count(name) > 1})
        if twice:
            raise traitlets.TraitError(f"column {twice[0]!r} has two roles; choose one")
        if self.base is None:
            return given
        unknown = [name for name in every if name not in self.base.columns]
        if unknown:
            raise traitlets.TraitError(
                f"the data have no column {unknown[0]!r}; " + suggest_column(unknown[0], self.base.names)
            )
        return self._in_order(given)

    def _in_order(self, roles: Mapping[str, Sequence[str]]) -> Roles:
        """Return the names of each role in the order of the data."""
        there = self.base.names if self.base else ()
        return {key: [name for name in there if name in names] for key, names in roles.items()}

    def _other_base(self) -> None:
        """Keep the roles of existing columns, and drop those that are no longer valid."""
        there = self.base.columns if self.base else {}
        kept = {key: [name for name in names if name in there] for key, names in self.roles.items()}
        if self.base is not None:
            fits = [name for name in kept["sensitive"] if not self._unfit(kept, name, self.levels.get(name, 0))]
            kept["sensitive"] = fits
            weights = [name for name in kept["weight"] if unfit_as_weight(self._prepared(kept).columns[name])]
            kept["weight"], kept["dropped"] = [n for n in kept["weight"] if n not in weights], kept["dropped"] + weights
        self._before = None
        if kept == self.roles:
            self._refresh()
        else:
            self.roles = kept
        self.show()

    def _refresh(self) -> None:
        """Build the table in the current roles, and count its unique records."""
        made: Table | None = None
        state: tuple[Any, ...] = ()

        def make() -> None:
            nonlocal made, state
            under = self._prepared(self.roles) if self.base is not None else None
            state = (under, repr(self.roles), repr(self._used(self.roles, self.levels)))
            made = self.table if state == self._state else self._made(self.roles, self.levels)

        if self.guarded("", make):
            self.fine("")
        if state == self._state and state:
            return
        self._state, self.table = state, made
        self._count()
        self._count_alone()

    def _prepared(self, roles: Mapping[str, Sequence[str]]) -> Table:
        """Return the remaining records and columns with their hierarchies."""
        assert self.base is not None
        out = (*roles["identifiers"], *roles["dropped"])
        key = (self.base, out, self.drop_missing, tuple(self.hierarchies.items()))
        if self._kept is None or self._kept[0] != key:
            table = self.base.drop(out)
            if self.drop_missing:
                table = table.complete()
            there = {name: one for name, one in self.hierarchies.items() if name in table.columns}
            self._kept = key, table.with_hierarchies(there) if there else table
        return self._kept[1]

    def _made(self, roles: Roles, levels: Mapping[str, int]) -> Table | None:
        if self.base is None or not roles["quasi"]:
            return None
        prepared, used = self._prepared(roles), self._used(roles, levels)
        key = (prepared, repr(roles), repr(used))
        if self._last is None or self._last[0] != key:  # built once, although it is checked before it is chosen
            self._last = key, prepared.with_roles(roles["quasi"], roles["sensitive"], used, roles["weight"])
        return self._last[1]

    def _used(self, roles: Roles, levels: Mapping[str, int]) -> dict[str, int]:
        return {name: level for name, level in levels.items() if name in roles["sensitive"] and level}

    def _unfit(self, roles: Roles, name: str, level: int) -> str:
        """Explain why a column cannot be sensitive at this level; empty if it can."""
        sizes = level_sizes(self._prepared(roles).columns[name])
        if not 0 <= level < len(sizes):
            return f"{name} has no level {level}; its hierarchy has {len(sizes) - 1}"
        where = f" at level {level}" if level else ""
        if sizes[level] < 2:
            return f"{name} has only one value{where}: there is nothing to protect; make it neutral"
        if sizes[level] <= MANY_VALUES:
            return ""
        many = f"{name} has {sizes[level]:,} values{where}, more than {MANY_VALUES:,}, too many to measure"
        if any(1 < size <= MANY_VALUES for size in sizes):
            return f"{many}: choose the level to measure at"
        return f"{many}: add a hierarchy with a coarser level first, or drop the column"

    # --- requests of the view

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the role of some columns."""
        names, role = content.get("columns"), str(content.get("role"))
        if self.base is None or role not in (*KEYS, "neutral") or not names or not isinstance(names, list):
            raise BadInput("there is no such column or role; choose again")
        self._adopt(self._moved([self._column_name(name) for name in names], role), dict(self.levels), names)

    def receive_level(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Make a column sensitive at a level of its hierarchy."""
        name, level = self._column_name(content.get("name")), read_integer(content, "level", 0)
        self._adopt(self._moved([name], "sensitive"), {**self.levels, name: level}, [name])

    def receive_propose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Use the proposed roles; sensitive columns that the user has chosen are the only ones."""
        if not self._advice:
            raise BadInput("the columns are still being counted; wait a moment")
        assert self.base is not None
        columns, chosen = self.base.columns, self.roles["sensitive"]
        given = {
            name: restrict_advice(columns[name], one, bool(chosen), False).role for name, one in self._advice.items()
        }
        given |= dict.fromkeys(chosen, "sensitive")
        if "quasi" not in given.values():
            raise BadInput("no column identifies records: choose a quasi-identifier that attackers may know")
        before, levels = (self.roles, dict(self.levels)), dict(self.levels)
        for name, role in given.items():
            if role == "sensitive" and name not in chosen:
                given[name], levels = self._measurable(name, levels)
        wanted = {key: [name for name, one in given.items() if one == role] for role, key in KEYS.items()}
        self._adopt(self._in_order(wanted), levels, list(given))
        self._before = before
        self.send_message("proposed", back=True)

    def _measurable(self, name: str, levels: dict[str, int]) -> tuple[str, dict[str, int]]:
        """Return the role of a proposed sensitive column and its level; it is dropped if no level is coarse enough."""
        assert self.base is not None
        column = self.base.columns[name]
        if column.size <= MANY_LABELS:
            return "sensitive", levels
        if name not in self.hierarchies:
            given, _ = hierarchy_of(column)
            if given is None:
                return ("sensitive" if column.size <= MANY_VALUES else "dropped"), levels
            self.hierarchies = {**self.hierarchies, name: from_dict(given)}
            return "sensitive", {**levels, name: level_of(column, given)}
        sizes = level_sizes(self._prepared({**self.roles, "identifiers": [], "dropped": []}).columns[name])
        level = next((i for i, size in enumerate(sizes) if 1 < size <= MANY_VALUES), 0)
        return ("sensitive", {**levels, name: level}) if level else ("dropped", levels)

    def receive_back(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Restore the roles before the proposal."""
        if self._before:
            (roles, levels), self._before = self._before, None
            self._put(roles, levels)
        self.send_message("proposed", back=False)

    def _moved(self, names: Sequence[str], role: str) -> Roles:
        moved = {key: [name for name in self.roles[key] if name not in names] for key in KEYS.values()}
        if role in KEYS:
            moved[KEYS[role]] += names
        return self._in_order(moved)

    def _column_name(self, name: Any) -> str:
        if self.base is None or not isinstance(name, str) or name not in self.base.columns:
            raise BadInput(f"the data have no column {safe_repr(name)}; choose again")
        return name

    def _adopt(self, roles: Roles, levels: dict[str, int], changed: Sequence[str]) -> None:
        """Use these roles if they are valid; otherwise raise BadInput for the first invalid column."""
        if self.roles["quasi"] and not roles["quasi"]:
            raise BadInput("at least one quasi-identifier must stay; make another column one first")
        for name in roles["sensitive"]:
            why = self._unfit(roles, name, levels.get(name, 0))
            if why and name in changed:
                self.send_message("offer", name=name)
            if why:
                raise BadInput(why)
        if len(roles["weight"]) > 1:
            one = next(iter(self.roles["weight"]), roles["weight"][0])
            raise BadInput(f"{one} is already the weight; change its role first")
        for name in roles["weight"]:
            check_weight(self._prepared(roles).columns[name])
        self._made(roles, levels)
        self._before = None
        self.send_message("proposed", back=False)
        self._put(roles, levels)

    def _put(self, roles: Roles, levels: Mapping[str, int]) -> None:
        """Set both traits together, so that observers of one find the other."""
        with self.hold_trait_notifications():
            self.roles = roles
            self.levels = self._used(roles, levels)

    # --- counts

    def _count(self) -> None:
        """Count unique records again if the records or the combined columns have changed."""
        base, drop = self.base, self.drop_missing
        if base is None:
            self._survey, self._advice, self._surveyed = None, {}, ()
            return
        names = {name for name, one in base.columns.items() if is_nearly_unique(one)}
        out = (names - set(self.roles["quasi"])) | {n for key in OUT for n in self.roles[key]}
        if (base, drop, out) == self._surveyed:
            return
        if self._surveyed[:2] != (base, drop):
            self._survey, self._advice = None, {}
        self._surveyed = (base, drop, out)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            def progress(done: int, total: int) -> None:
                if cancel.is_set():
                    raise Stopped
                call_soon(self._counting, done, total)

            try:
                table = base.remember(("complete",), base.complete) if drop else base
                found = survey(table, out, progress)
                advice = propose_roles(table, survey(table, names, progress))  # independent of the chosen roles
            except Stopped:
                return
            call_soon(self._counted, found, advice)

        self._counter.start(job)

    def _counting(self, done: int, total: int) -> None:
        self.send_message("counting", done=done, total=total)

    def _counted(self, found: Survey, advice: dict[str, Advice]) -> None:
        self._survey, self._advice = found, advice
        self._show_survey()

    def _count_failed(self, error: BaseException) -> None:
        self._surveyed = ()
        self.wrong("survey", error)

    def _count_alone(self) -> None:
        """Count the records that are unique on the quasi-identifiers, and on those with the neutral columns."""
        if self.table is None:
            self._uniqueness_worker.forget()
            self._send_alone({})
            self._send_dependencies(NOTHING)
            return
        table = self.table
        repeated = repeats(self.base, self.roles["identifiers"]) if self.base else ""

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            found = count_unique(table, table.quasi)
            side_information = Keep()(table).side_information_risk().sentence if table.neutral else ""
            sets = smallest_rows(table, WORST)
            call_soon(
                self._send_alone,
                {**singled_row(found), "beside": side_information, "repeats": repeated, "smallest": sets},
            )
            call_soon(self._send_dependencies, matrix(table))

        self._uniqueness_worker.start(job)

    def _send_alone(self, found: dict[str, Any]) -> None:
        self._alone = found
        self.send_message("alone", **found)

    def _send_dependencies(self, found: dict[str, Any]) -> None:
        self._between = found
        self.send_message("between", **found)

    def _alone_failed(self, error: BaseException) -> None:
        self.wrong("alone", error)

    # --- content of the view

    def show(self) -> None:
        columns = self.base.columns.values() if self.base else ()
        records = self.base.records if self.base else 0
        under: dict[str, Column] = {}
        if self.base is not None:
            self.guarded("", lambda: under.update(self._prepared(self.roles).columns))
        self.send_message(
            "columns",
            records=records,
            most=MANY_VALUES,
            columns=[column_row(one, under.get(one.name, one)) for one in columns],
        )
        self.send_message("alone", **self._alone)
        self.send_message("between", **self._between)
        self.send_message("proposed", back=self._before is not None)
        self._show_survey()

    def _show_survey(self) -> None:
        found = self._survey
        self.send_message(
            "survey",
            counted=found is not None,
            pairs=[singled_row(one) for one in found.pairs[:WORST]] if found else [],
            triples=[singled_row(one) for one in found.triples[:WORST]] if found else [],
            notes=found.notes if found else [],
            advice={name: {"role": one.role, "reason": one.reason} for name, one in self._advice.items()},
        )


def _in_role(table: Table | None, role: str) -> list[str]:
    return [name for name in table.names if table.roles[name] == role] if table else []
