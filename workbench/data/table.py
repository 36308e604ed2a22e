"""The microdata as integer codes with roles and hierarchies: the only input of methods."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from workbench.base import progress as underway
from workbench.base.errors import BadInput
from workbench.data import settings
from workbench.data.cells import Cells, locate
from workbench.data.column import Column, pad_rows
from workbench.data.engines import Engine
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.population import Population
from workbench.data.published_runs import THRESHOLD, columns_with_regions
from workbench.data.reading.encoder import read_columns
from workbench.data.reading.opening import open_source
from workbench.data.records import (
    Sampled,
    arrange,
    ascending,
    complete,
    decode,
    fingerprint,
    sample,
    select_records,
    without_missing,
)
from workbench.data.roles import assign, column_names, notes_of_roles, only_these, require_columns, require_sound
from workbench.data.sensitive import Sensitive
from workbench.data.wording import PLAIN, Wording
from workbench.redaction.controlled_rounding import BY_ITSELF, Rounding

T = TypeVar("T")
Hierarchies = Mapping[str, "Hierarchy | Callable[[Column], Hierarchy]"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The microdata: codes of every column but the identifiers, with roles and hierarchies.

    Tables are immutable: methods such as `with_roles` return a changed copy.
    """

    columns: dict[str, Column]
    engine: Engine
    roles: dict[str, str]
    levels: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missing_texts: tuple[str, ...] = ()  # texts that were read as missing, other than empty cells
    wording: Wording = PLAIN  # titles of columns and records on pages
    level_ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    population_table: Table | None = None  # the population, if it is known
    importance: dict[str, float] = field(default_factory=dict)
    sampled: Sampled | None = None  # the size of the sample, if this is one
    repeats: str = ""  # a note about identifiers with several records
    workloads: dict[str, Any] = field(default_factory=dict)  # by name, plain data for `Workload.named`
    rounding: Rounding = BY_ITSELF  # of published counts
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
        regions: Mapping[str, str] | None = None,
        threshold: int = THRESHOLD,
        **source: Any,
    ) -> Table:
        """Read a table from a path, frame, Arrow table, `Query`, Spark DataFrame, or `spark:` and the name of a table.

        Parameters
        ----------
        quasi, sensitive, identifiers, weight
            Columns by role. All others are neutral: published unchanged, and dropped if empty. `weight` has the
            number of people that a record represents. Identifiers are not read, unless `only` names them.
        hierarchies, levels
            Hierarchies or builders, and for sensitive columns the level that models and measures use (0: the values).
        drop_missing, only, sample
            Drop records with missing values; read those with certain values, one per column; draw so many at random.
        types
            Number, date or text, with a notation if values are ambiguous: `number 1,234.5`, `date dd/mm/yyyy`.
        missing
            Texts that represent a missing value, instead of those found by default (such as NA). Empty cells always do.
        progress
            Called with the number of records that have been read; may raise to stop.
        engine
            Where the records are stored: "memory", "duckdb" (a file), or "spark" (the default for tables in Spark).
        regions, threshold
            See `with_regions`.
        **source
            Options such as `delimiter`: see `workbench.data.reading.opening.open_source`.
        """
        selected, hidden = only or {}, column_names(identifiers)
        given = column_names(quasi), column_names(sensitive), [name for name in hidden if name not in selected]
        roles = partial(assign, quasi=given[0], sensitive=given[1], identifiers=given[2], weight=weight)
        table = cls(**read_columns(data, roles, types, missing, progress, engine, source))
        if selected:
            table = table.only(selected).drop(name for name in hidden if name in selected)
        table = table.complete() if drop_missing else table
        table = table if sample is None else table.sample(sample)
        table = table if regions is None else table.with_regions(regions, threshold)
        return replace(table, levels=dict(levels or {})).with_hierarchies(hierarchies or {})

    from_frame = read  # the same: a frame is one kind of data

    @classmethod
    def without_roles(
        cls,
        data: Any,
        *,
        types: Mapping[str, str] | None = None,
        missing: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        progress: Callable[[int], None] | None = None,
        engine: str | None = None,
        **source: Any,
    ) -> Table:
        """Read all columns that are not empty, without roles; `with_roles` assigns them.

        The parameters are those of `Table.read`.
        """
        return cls(**read_columns(data, None, types, missing, progress, engine, source))

    def with_roles(
        self,
        quasi: Sequence[str],
        sensitive: str | Sequence[str] | None = None,
        levels: Mapping[str, int] | None = None,
        weight: str | Sequence[str] | None = None,
    ) -> Table:
        """Return the table with other roles; unnamed columns become neutral."""
        given = assign(list(self.columns), column_names(quasi), column_names(sensitive), (), weight)
        hidden = {name: role for name, role in self.roles.items() if role == "identifier"}
        kept = {name: level for name, level in self.levels.items() if given[name] == "sensitive"}
        chosen = kept if levels is None else dict(levels)
        return self._changed(self.columns, self.engine, {**hidden, **given}, chosen)._checked()

    def with_hierarchies(self, hierarchies: Hierarchies) -> Table:
        """Return the table with other hierarchies for some columns."""
        bare = {name: replace(self.columns[name], hierarchy=None) for name in self._require(hierarchies)}
        columns, engine = arrange({**self.columns, **bare}, self.engine, hierarchies)
        return self._changed(columns, engine, self.roles, self.levels)._checked()

    def without_hierarchies(self, names: Iterable[str]) -> Table:
        """Return the table without the hierarchies of some columns, whose text is sorted again."""
        table = self.with_hierarchies(dict.fromkeys(known := self._require(names), ascending))
        bare = table.columns | {name: replace(table.columns[name], hierarchy=None) for name in known}
        return replace(table, columns=bare, _memory={}, _locks={})

    def unassigned(self) -> Table:
        """Return the table with all columns neutral."""
        neutral = dict.fromkeys(self.columns, "neutral")
        return replace(self, roles=neutral, levels={}, level_ranges={}, importance={}, _memory={}, _locks={})

    def complete(self) -> Table:
        """Return the records without missing values."""
        columns, engine = without_missing(self.columns, self.engine)
        return replace(self, columns=columns, engine=engine, _memory={}, _locks={})

    def only(self, wanted: Mapping[str, object]) -> Table:
        """Return the records with these values, one per column, without neutral columns that are then empty."""
        columns, engine = select_records(
            self.columns, self.engine, {name: wanted[name] for name in self._require(wanted)}
        )
        kept = replace(self, columns=columns, engine=engine, _memory={}, _locks={})
        return kept.drop(name for name in kept.neutral if not len(columns[name].values))

    def sample(self, records: int, seed: int = 0) -> Table:
        """Draw records at random into memory. Notes and releases report that they are a sample."""
        return sample(self, records, seed)

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without some columns; `table.drop(table.neutral)` keeps those with a role."""
        dropped = set(self._require(names))
        columns = {name: column for name, column in self.columns.items() if name not in dropped}
        roles = {name: role for name, role in self.roles.items() if name not in dropped}
        levels = {name: level for name, level in self.levels.items() if name not in dropped}
        if self.quasi:
            assign(list(columns), [n for n in columns if roles[n] == "quasi"], (), ())
        return self._changed(columns, self.engine.select(list(columns)), roles, levels)

    def with_level_ranges(self, given: settings.Ranges) -> Table:
        """Return the table with a lowest and a highest level at which methods on levels release some columns."""
        self._require(given)
        return replace(self, level_ranges=settings.check_ranges(self.columns, self.quasi, given), _memory={}, _locks={})

    def level_range(self, name: str) -> tuple[int, int]:
        """Return the lowest and the highest level at which a column may be released."""
        return settings.level_range(self.columns[name], self.level_ranges.get(name))

    def with_importance(self, given: Mapping[str, float]) -> Table:
        """Return the table with weights of quasi-identifiers, for losses, searches and Mondrian's widths."""
        return replace(self, importance=settings.check_importance(self.quasi, given), _memory={}, _locks={})

    def with_regions(self, given: Mapping[str, str], threshold: int = THRESHOLD) -> Table:
        """Return the table with published regions: by default nodes for text with a hierarchy, else ranges.

        The ends of ranges are round numbers or values of at least `threshold` records.
        """
        return replace(self, columns=columns_with_regions(self.columns, given, threshold), _memory={}, _locks={})

    @cached_property
    def weights_of_quasi(self) -> np.ndarray:
        """The weight (importance) of each quasi-identifier."""
        return np.array([self.importance.get(name, 1.0) for name in self.quasi])

    def _changed(
        self, columns: dict[str, Column], engine: Engine, roles: dict[str, str], levels: dict[str, int]
    ) -> Table:
        """Return a changed table with the ranges of levels and the weights that are still valid."""
        changed = replace(self, columns=columns, engine=engine, roles=roles, levels=levels, wording=PLAIN)
        sound, weights = (
            settings.valid_ranges(columns, roles, self.level_ranges),
            settings.valid_importance(roles, self.importance),
        )
        return replace(changed, level_ranges=sound, importance=weights, _memory={}, _locks={})

    def with_workloads(self, given: Mapping[str, object]) -> Table:
        """Return the table with workloads by name: texts, {"random": {...}}, {"file": name} or a Workload."""
        return replace(self, workloads=settings.check_workloads(given), _memory={}, _locks={})

    def with_population(self, data: Any, **source: Any) -> Table:
        """Return the table with the population it was drawn from: a table, file or frame with the quasi-identifiers."""
        if not isinstance(data, Table):
            opened = open_source(data, **source)
            types = {name: self.columns[name].kind for name in opened.names if name in self.columns}
            opened.close()
            read = partial(only_these, types, self.quasi)
            data = Table(**read_columns(data, read, types, None, None, None, source))
        require_columns(self.quasi, data.names, "quasi-identifier of the population")
        return replace(self, population_table=data, _memory={}, _locks={})

    @property
    def population(self) -> Population | None:
        """The population of which the records are a sample, for counting the people in classes; None if unknown."""
        given = self.population_table
        return None if given is None else self.remember("population", lambda: Population.from_tables(given, self))

    @property
    def role_notes(self) -> tuple[str, ...]:
        """Notes on the sample and the roles for the analyst; `notes` are about how the data were read."""
        about = self.sampled and f"what follows is about {self.sampled}", self.repeats
        return (*filter(None, about), *notes_of_roles(self.columns, self.roles, self.records))

    def __repr__(self) -> str:
        sensitive = ", ".join(self._in_role("sensitive")) or "none"
        drawn = f", {self.sampled}" if self.sampled else ""
        return f"<Table of {self.records:,} records{drawn}: quasi {', '.join(self.quasi)}; sensitive {sensitive}>"

    @property
    def names(self) -> list[str]:
        """The columns that were read, in the order of the data."""
        return list(self.columns)

    def _in_role(self, role: str) -> tuple[str, ...]:
        return tuple(name for name in self.columns if self.roles[name] == role)

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers: columns that an attacker may know."""
        return self._in_role("quasi")

    @cached_property
    def neutral(self) -> tuple[str, ...]:
        """The neutral columns: published unchanged with the quasi-identifiers, and used by workloads."""
        return self._in_role("neutral")

    @cached_property
    def weight(self) -> str | None:
        """The column with the number of people that a record represents. Never published, and unknown to attackers."""
        return next(iter(self._in_role("weight")), None)

    @property
    def released(self) -> list[str]:
        """The columns that may be released: all that were read except the weight."""
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
        """The code of every record, an array per column. Only for records in memory."""
        return self.engine.codes

    @cached_property
    def model_view(self) -> Engine:
        """The records with every sensitive column at its model level."""
        return self.engine.mapped({name: self.columns[name].node(j - 1) for name, j in self.levels.items() if j})

    @cached_property
    def sensitive(self) -> dict[str, Sensitive]:
        """The sensitive columns at their model levels."""
        level, more = self.levels.get, (self.rounding, self.wording)
        return {n: Sensitive.from_column(self.columns[n], level(n, 0), *more) for n in self._in_role("sensitive")}

    @property
    def frame(self) -> pd.DataFrame:
        """The decoded microdata. For the analyst only."""
        return pd.DataFrame({name: decode(self.columns[name], self.codes[name]) for name in self.columns})

    def sensitive_codes(self, name: str) -> np.ndarray:
        """Return each record's value of a sensitive column at its model level."""
        return self.model_view.codes[name]

    def published(self, name: str) -> pd.Series:
        """Return the published value of each code of a column without generalization.

        A sensitive column has the labels of its model level.
        """
        if self.levels.get(name, 0):
            return pd.Series(self.sensitive[name].labels, dtype=object)
        return decode(self.columns[name], np.arange(self.columns[name].size))

    def cells(self, others: Iterable[str] = ()) -> Cells:
        """Return the distinct codes of quasi-identifiers, sensitive columns and `others`, with their record counts."""
        beside = self._extra(others)

        def counted() -> Cells:
            self.engine.require_combinations_fit([*self.quasi, *self.sensitive, *beside], self.columns)
            return self.model_view.collapse(self.quasi, (*self.sensitive, *beside))

        return self.remember(("cells", beside), counted)

    def _extra(self, others: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in self._require(others) if name not in self.quasi and name not in self.sensitive)

    def cell_of_record(self, others: Iterable[str] = ()) -> np.ndarray:
        """Return the cell of each record."""
        beside = self._extra(others)

        def located() -> np.ndarray:
            found = self.cells(beside)
            codes = [self.model_view.codes[name] for name in (*self.quasi, *found.others)]
            return locate([*found.quasi, *found.others.values()], codes)

        return self.remember(("cell of record", beside), located)

    @cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The left and right edge of each code's interval, quasi-identifiers x codes, padded with zeros."""
        left, right = zip(*(self.columns[name].edges for name in self.quasi), strict=True)
        return pad_rows(left), pad_rows(right)

    @cached_property
    def positions(self) -> np.ndarray:
        """The position of each code, quasi-identifiers x codes, padded with zeros."""
        return pad_rows([self.columns[name].positions for name in self.quasi])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of content, roles and hierarchies, for the store's keys. It is never published."""
        return fingerprint(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, without cached results and their locks."""
        return {**self.__dict__, "_memory": {}, "_locks": {}}

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a cached result that depends on the table only; compute it once across all threads."""
        if key not in self._memory:
            with underway.cancellable_lock(self._locks.setdefault(key, threading.Lock())):
                if key not in self._memory:
                    self._memory[key] = make()
        return self._memory[key]

    def _require(self, names: Iterable[str]) -> list[str]:
        require_columns(known := list(names), self.names, notes=self.notes)
        return known

    def _checked(self) -> Table:
        if not self.records:
            raise BadInput("the table has no records; choose data with at least one")
        if self.quasi:  # otherwise it has no roles yet
            require_sound(self.columns, self.roles, self.levels)
        return self
