"""The microdata as integer codes with roles and hierarchies: the only thing that methods read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from workbench.base import progress as underway
from workbench.base.errors import BadInput
from workbench.data import importance as weighing
from workbench.data import level_ranges as ranges
from workbench.data import workload_specs
from workbench.data.cells import Cells, locate
from workbench.data.coding import arrange, ascending, complete, decode, only_those, without_missing
from workbench.data.column import Column, padded
from workbench.data.engines import Engine, memory_limit
from workbench.data.fingerprint import fingerprint
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.population import Population
from workbench.data.reading.encoder import encode
from workbench.data.reading.opening import open_source, require_options
from workbench.data.roles import assign, column_names, notes_of_roles, only_these, require_columns
from workbench.data.samples import Sampled, sample
from workbench.data.sensitive import MANY_VALUES as MANY_VALUES
from workbench.data.sensitive import Sensitive
from workbench.data.soundness import require_sound
from workbench.data.wording import PLAIN, Wording

T = TypeVar("T")
Hierarchies = Mapping[str, "Hierarchy | Callable[[Column], Hierarchy]"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Codes of every column but the identifiers, in an engine; hierarchies sit in the columns.

    `levels` names, for a sensitive column, the level of its hierarchy that models and measures see (0: its values).
    `level_ranges` names, for a quasi-identifier, the lowest and the highest level that methods on levels release it at;
    `importance` how many times it counts where a loss is put together or made small, if not once.
    """

    columns: dict[str, Column]
    engine: Engine
    roles: dict[str, str]
    levels: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    wording: Wording = PLAIN  # what pages call its columns and records
    level_ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    drawn_from: Table | None = None  # the population that the records are of, where it is known
    importance: dict[str, float] = field(default_factory=dict)
    sampled: Sampled | None = None  # of how many records these were drawn at random, where they were
    workloads: dict[str, Any] = field(default_factory=dict)  # by name, plain data of which `Workload.named` makes each
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _locks: dict[Hashable, threading.Lock] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        cells = {name: self.columns[name] for name in (*self.quasi, *self._in_role("sensitive"))}
        object.__setattr__(self, "engine", self.engine.for_cells(cells, self.levels))

    @classmethod
    def read(
        cls,
        data: Any,
        quasi: Sequence[str] = (),
        sensitive: str | Sequence[str] | None = None,
        identifiers: Sequence[str] = (),
        hierarchies: Hierarchies | None = None,
        *,
        levels: Mapping[str, int] | None = None,
        drop_missing: bool = False,
        only: Mapping[str, object] | None = None,
        types: Mapping[str, str] | None = None,
        missing: Sequence[str] | None = None,
        weight: str | Sequence[str] | None = None,
        progress: Callable[[int], None] | None = None,
        engine: str | None = None,
        sample: int | None = None,
        **source: Any,
    ) -> Table:
        """A table from a path, frame, Arrow table, query or Spark; what `source` may say is in `data.reading.source`.

        Columns without another role are neutral: published unchanged; those that hold nothing are left out.
        The column `weight` says how many people a record stands for; it is in no release.
        `engine="duckdb"` keeps the records in a file of DuckDB's, not in memory; those of Spark stay there by default.
        Identifiers are never read, unless `only` asks for one of their values. `sample` is as in `table.sample`.
        """
        asked, hidden = only or {}, column_names(identifiers)

        def roles_of(names: list[str]) -> dict[str, str]:
            apart = [name for name in hidden if name not in asked]
            return assign(names, column_names(quasi), column_names(sensitive), apart, weight)

        table = cls._coded(data, roles_of, types, missing, progress, engine, source)
        if asked:
            table = table.only(asked).drop(name for name in hidden if name in asked)
        table = table.complete() if drop_missing else table
        table = table if sample is None else table.sample(sample)
        return replace(table, levels=dict(levels or {})).with_hierarchies(hierarchies or {})

    from_frame = read  # a frame is data like any other

    @classmethod
    def bare(
        cls,
        data: Any,
        *,
        types: Mapping[str, str] | None = None,
        missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        progress: Callable[[int], None] | None = None,
        engine: str | None = None,
        **source: Any,
    ) -> Table:
        """Every column of the data that holds anything, all neutral yet; `with_roles` gives them roles."""
        return cls._coded(data, None, types, missing, progress, engine, source)

    @classmethod
    def _coded(
        cls,
        data: Any,
        roles_of: Callable[[list[str]], dict[str, str]] | None,
        types: Mapping[str, str] | None,
        missing: Sequence[str] | Mapping[str, Sequence[str]] | None,
        progress: Callable[[int], None] | None,
        engine: str | None,
        source: Mapping[str, Any],
    ) -> Table:
        require_options(source)
        opened = open_source(data, **{"memory_limit": engine and memory_limit(engine), **source})
        with closing(opened):  # no copy of the source stays on the disk, however this ends
            roles = roles_of(opened.names) if roles_of else dict.fromkeys(opened.names, "neutral")
            kept = [name for name in opened.names if roles[name] != "identifier"]
            neutral = [name for name in kept if roles[name] == "neutral"]
            columns, coded = encode(
                opened, kept, missing=missing, types=types, progress=progress, empty=neutral, engine=engine
            )
        if not columns:
            raise BadInput(f"{opened.where}: there is nothing but missing values in any column")
        roles = {name: role for name, role in roles.items() if name in columns or role == "identifier"}
        return cls(columns, coded, roles, {}, tuple(opened.notes))

    def with_roles(
        self,
        quasi: Sequence[str],
        sensitive: str | Sequence[str] | None = None,
        levels: Mapping[str, int] | None = None,
        weight: str | Sequence[str] | None = None,
    ) -> Table:
        """The same microdata in other roles; columns that are not named become neutral."""
        given = assign(list(self.columns), column_names(quasi), column_names(sensitive), (), weight)
        hidden = {name: role for name, role in self.roles.items() if role == "identifier"}
        kept = {name: level for name, level in self.levels.items() if given[name] == "sensitive"}
        chosen = dict(kept if levels is None else levels)
        return self._changed(self.columns, self.engine, {**hidden, **given}, chosen)._checked()

    def with_hierarchies(self, hierarchies: Hierarchies) -> Table:
        """The same microdata under other hierarchies for some columns."""
        bare = {name: replace(self.columns[name], hierarchy=None) for name in self._known(hierarchies)}
        columns, engine = arrange({**self.columns, **bare}, self.engine, hierarchies)
        return self._changed(columns, engine, self.roles, self.levels)._checked()

    def without_hierarchies(self, names: Iterable[str]) -> Table:
        """The same microdata with no hierarchy on some columns; their text is in alphabetical order again."""
        known = self._known(names)
        bare = {name: replace(self.columns[name], hierarchy=None) for name in known}
        columns, engine = arrange({**self.columns, **bare}, self.engine, dict.fromkeys(known, ascending))
        columns |= {name: replace(columns[name], hierarchy=None) for name in known}
        return self._changed(columns, engine, self.roles, self.levels)._checked()

    def unassigned(self) -> Table:
        """The same microdata with every column neutral."""
        neutral = dict.fromkeys(self.columns, "neutral")
        return replace(self, roles=neutral, levels={}, level_ranges={}, importance={}, _memory={}, _locks={})

    def complete(self) -> Table:
        """The records with no missing value in any column."""
        columns, engine = without_missing(self.columns, self.engine)
        return replace(self, columns=columns, engine=engine, _memory={}, _locks={})

    def only(self, wanted: Mapping[str, object]) -> Table:
        """The records with these values, one a column; neutral columns that then hold nothing are left out."""
        columns, engine = only_those(self.columns, self.engine, {name: wanted[name] for name in self._known(wanted)})
        kept = replace(self, columns=columns, engine=engine, _memory={}, _locks={})
        return kept.drop(name for name in kept.neutral if not len(columns[name].values))

    def sample(self, records: int, seed: int = 0) -> Table:
        """So many of the records, drawn at random into memory; what is made of them says that they are a sample."""
        return sample(self, records, seed)

    def drop(self, names: Iterable[str]) -> Table:
        """The same microdata without some columns; `table.drop(table.neutral)` leaves what has a role."""
        gone = set(self._known(names))
        columns = {name: column for name, column in self.columns.items() if name not in gone}
        roles = {name: role for name, role in self.roles.items() if name not in gone}
        levels = {name: level for name, level in self.levels.items() if name not in gone}
        if self.quasi:
            assign(list(columns), [n for n in columns if roles[n] == "quasi"], (), ())
        return self._changed(columns, self.engine.select(list(columns)), roles, levels)

    def with_level_ranges(self, given: ranges.Ranges) -> Table:
        """The same microdata; methods on levels release these columns between two levels (as in `released_at`)."""
        self._known(given)
        found = ranges.checked(self.columns, self.quasi, given)
        return replace(self, level_ranges=found, _memory={}, _locks={})

    def level_range(self, name: str) -> tuple[int, int]:
        """The lowest and the highest level that a column may be released at."""
        return ranges.within(self.columns[name], self.level_ranges.get(name))

    def with_importance(self, given: Mapping[str, float]) -> Table:
        """The same microdata, where some quasi-identifiers count more than once, or less: in losses that are averages
        over them, in what searches make small, in Mondrian's widths."""
        return replace(self, importance=weighing.checked(self.quasi, given), _memory={}, _locks={})

    @cached_property
    def weights_of_quasi(self) -> np.ndarray:
        """How many times each quasi-identifier counts."""
        return np.array([self.importance.get(name, 1.0) for name in self.quasi])

    def _changed(
        self, columns: dict[str, Column], engine: Engine, roles: dict[str, str], levels: dict[str, int]
    ) -> Table:
        """The same microdata otherwise, with the ranges of levels and the weights that are still sound."""
        changed = replace(self, columns=columns, engine=engine, roles=roles, levels=levels, wording=PLAIN)
        sound, weights = ranges.kept(columns, roles, self.level_ranges), weighing.kept(roles, self.importance)
        return replace(changed, level_ranges=sound, importance=weights, _memory={}, _locks={})

    def with_workloads(self, given: Mapping[str, object]) -> Table:
        """The same microdata with queries by name: texts, {"random": {...}}, {"file": a name} or a Workload."""
        return replace(self, workloads=workload_specs.checked(given), _memory={}, _locks={})

    def with_population(self, data: Any, **source: Any) -> Table:
        """The same microdata with the people it was drawn from: a table, file or frame with the quasi-identifiers."""
        if not isinstance(data, Table):
            opened = open_source(data, **source)
            types = {name: self.columns[name].kind for name in opened.names if name in self.columns}
            opened.close()
            read = partial(only_these, types, self.quasi)
            data = Table._coded(data, read, types, None, None, None, source)
        require_columns(self.quasi, data.names, "quasi-identifier of the population")
        return replace(self, drawn_from=data, _memory={}, _locks={})

    @property
    def population(self) -> Population | None:
        """The people that the records were drawn from, as they fit classes; None where they are not known."""
        given = self.drawn_from
        return None if given is None else self.remember("population", lambda: Population.of(given, self))

    @property
    def role_notes(self) -> tuple[str, ...]:
        """What the analyst should know of a sample and of the roles; `notes` are of how the data were read."""
        found = notes_of_roles(self.columns, self.roles, self.records) if self.quasi else []
        return (*(["what follows is about " + str(self.sampled)] if self.sampled else []), *found)

    def __repr__(self) -> str:
        sensitive = ", ".join(self._in_role("sensitive")) or "none"
        drawn = f", {self.sampled}" if self.sampled else ""
        return f"<Table of {self.records:,} records{drawn}: quasi {', '.join(self.quasi)}; sensitive {sensitive}>"

    @property
    def names(self) -> list[str]:
        """The columns that were read, in their order in the data."""
        return list(self.columns)

    def _in_role(self, role: str) -> tuple[str, ...]:
        return tuple(name for name in self.columns if self.roles[name] == role)

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers: what an adversary may know."""
        return self._in_role("quasi")

    @cached_property
    def neutral(self) -> tuple[str, ...]:
        """The neutral columns: published unchanged beside the quasi-identifiers, used by workloads."""
        return self._in_role("neutral")

    @cached_property
    def weight(self) -> str | None:
        """The column that says how many people a record stands for; it is in no release, and nobody knows it."""
        return next(iter(self._in_role("weight")), None)

    @property
    def released(self) -> list[str]:
        """The columns that a release may have: all that were read but the weight."""
        return [name for name in self.columns if name != self.weight]

    @cached_property
    def records(self) -> int:
        """The number of records."""
        return self.engine.records

    @cached_property
    def incomplete(self) -> int:
        """The number of records with a missing value."""
        return self.records - complete(self.columns, self.engine)

    @property
    def codes(self) -> dict[str, np.ndarray]:
        """The code of every record, one array a column; only where the records are in memory."""
        return self.engine.codes

    @cached_property
    def seen(self) -> Engine:
        """The records with every sensitive column at the level that models see."""
        return self.engine.mapped({name: self.columns[name].node(j - 1) for name, j in self.levels.items() if j})

    @cached_property
    def sensitive(self) -> dict[str, Sensitive]:
        """The sensitive columns as models see them."""
        return {name: Sensitive.of(self.columns[name], self.levels.get(name, 0)) for name in self._in_role("sensitive")}

    @property
    def frame(self) -> pd.DataFrame:
        """The microdata itself, decoded: for the analyst's eyes only."""
        return pd.DataFrame({name: decode(self.columns[name], self.codes[name]) for name in self.columns})

    def sensitive_codes(self, name: str) -> np.ndarray:
        """Each record's value of a sensitive column, at the level that models see."""
        return self.seen.codes[name]

    def published(self, name: str) -> pd.Series:
        """What each code of a column is published as where a release does not generalize it: a sensitive column that
        is seen at a level above its values as the labels of that level."""
        if self.levels.get(name, 0):
            return pd.Series(self.sensitive[name].labels, dtype=object)
        return decode(self.columns[name], np.arange(self.columns[name].size))

    def cells(self, others: Iterable[str] = ()) -> Cells:
        """Distinct codes of the quasi-identifiers, the sensitive columns and `others`, with their records."""
        beside = self._beside(others)

        def counted() -> Cells:
            self.engine.require_few([*self.quasi, *self.sensitive, *beside], self.columns)
            return self.seen.collapse(self.quasi, (*self.sensitive, *beside))

        return self.remember(("cells", beside), counted)

    def _beside(self, others: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in self._known(others) if name not in self.quasi and name not in self.sensitive)

    def cell_of_record(self, others: Iterable[str] = ()) -> np.ndarray:
        """The cell that each record belongs to."""
        beside = self._beside(others)

        def located() -> np.ndarray:
            found = self.cells(beside)
            codes = [self.seen.codes[name] for name in (*self.quasi, *found.others)]
            return locate([*found.quasi, *found.others.values()], codes)

        return self.remember(("cell of record", beside), located)

    @cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and right edge of what every code covers, quasi-identifiers x codes (short axes are padded)."""
        left, right = zip(*(self.columns[name].edges for name in self.quasi), strict=True)
        return padded(left), padded(right)

    @cached_property
    def positions(self) -> np.ndarray:
        """Where every code lies, quasi-identifiers x codes (short axes are padded)."""
        return padded([self.columns[name].positions for name in self.quasi])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of content, roles and hierarchies, for the store's keys; it never leaves the analyst's hands."""
        return fingerprint(self)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: all but what was computed once, and who computes it."""
        return {**self.__dict__, "_memory": {}, "_locks": {}}

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What depends on the table alone is computed once, whichever thread asks first."""
        if key not in self._memory:
            with underway.holding(self._locks.setdefault(key, threading.Lock())):
                if key not in self._memory:
                    self._memory[key] = make()
        return self._memory[key]

    def _known(self, names: Iterable[str]) -> list[str]:
        require_columns(known := list(names), self.names, notes=self.notes)
        return known

    def _checked(self) -> Table:
        if not self.records:
            raise BadInput("the table has no records; give data with at least one")
        if self.quasi:  # else it has no roles yet
            require_sound(self.columns, self.roles, self.levels)
        return self
