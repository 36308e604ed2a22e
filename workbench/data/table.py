"""The microdata as integer codes with roles and hierarchies: the only input of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput
from workbench.base.result_cache import ResultCache
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.engines import Engine
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.population import Population
from workbench.data.published import THRESHOLD, columns_with_regions
from workbench.data.reading.encoder import read_columns
from workbench.data.reading.opening import open_source
from workbench.data.records import (
    arrange,
    ascending,
    decode,
    sample,
    select_records,
    without_missing,
)
from workbench.data.sensitive import Sensitive
from workbench.data.settings import (
    Origin,
    Ranges,
    TableSettings,
    assign,
    check_importance,
    check_ranges,
    check_workloads,
    column_names,
    only_these,
    require_columns,
    require_sound,
    valid_importance,
    valid_ranges,
)
from workbench.data.wording import PLAIN

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
    settings: TableSettings = field(default_factory=TableSettings)
    origin: Origin = field(default_factory=Origin)
    remember: ResultCache = field(default_factory=ResultCache)  # of results that depend on the table only

    def __post_init__(self) -> None:
        cells = {name: self.columns[name] for name in (*self.quasi, *_in_role(self, "sensitive"))}
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
            See `with_settings`.
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
        table = table if regions is None else table.with_settings(regions=regions, threshold=threshold)
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
        return _checked(_changed(self, self.columns, self.engine, {**hidden, **given}, chosen))

    def with_hierarchies(self, hierarchies: Hierarchies) -> Table:
        """Return the table with other hierarchies for some columns."""
        bare = {name: replace(self.columns[name], hierarchy=None) for name in _require(self, hierarchies)}
        columns, engine = arrange({**self.columns, **bare}, self.engine, hierarchies)
        return _checked(_changed(self, columns, engine, self.roles, self.levels))

    def without_hierarchies(self, names: Iterable[str]) -> Table:
        """Return the table without the hierarchies of some columns, whose text is sorted again."""
        table = self.with_hierarchies(dict.fromkeys(known := _require(self, names), ascending))
        bare = table.columns | {name: replace(table.columns[name], hierarchy=None) for name in known}
        return replace(table, columns=bare, remember=ResultCache())

    def complete(self) -> Table:
        """Return the records without missing values."""
        columns, engine = without_missing(self.columns, self.engine)
        return replace(self, columns=columns, engine=engine, remember=ResultCache())

    def only(self, wanted: Mapping[str, object]) -> Table:
        """Return the records with these values, one per column, without neutral columns that are then empty."""
        columns, engine = select_records(
            self.columns, self.engine, {name: wanted[name] for name in _require(self, wanted)}
        )
        kept = replace(self, columns=columns, engine=engine, remember=ResultCache())
        return kept.drop(name for name in kept.neutral if not len(columns[name].values))

    def sample(self, records: int, seed: int = 0) -> Table:
        """Draw records at random into memory. Notes and releases report that they are a sample."""
        return sample(self, records, seed)

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without some columns; `table.drop(table.neutral)` keeps those with a role."""
        dropped = set(_require(self, names))
        columns = {name: column for name, column in self.columns.items() if name not in dropped}
        roles = {name: role for name, role in self.roles.items() if name not in dropped}
        levels = {name: level for name, level in self.levels.items() if name not in dropped}
        if self.quasi:
            assign(list(columns), [n for n in columns if roles[n] == "quasi"], (), ())
        return _changed(self, columns, self.engine.select(list(columns)), roles, levels)

    def with_settings(
        self,
        *,
        level_ranges: Ranges | None = None,
        importance: Mapping[str, float] | None = None,
        workloads: Mapping[str, object] | None = None,
        regions: Mapping[str, str] | None = None,
        threshold: int = THRESHOLD,
        population: Any = None,
    ) -> Table:
        """Return the table with other settings; omitted ones remain.

        Parameters
        ----------
        level_ranges
            The lowest and the highest level at which methods on levels release some columns.
        importance
            Weights of quasi-identifiers, for losses, searches and Mondrian's widths.
        workloads
            By name: texts, {"random": {...}}, {"file": name} or a Workload.
        regions, threshold
            Published regions: by default nodes for text with a hierarchy, else ranges, whose ends are round numbers or
            values of at least `threshold` records.
        population
            The population from which the records were sampled: a table, file or frame with the quasi-identifiers.
        """
        columns, settings, origin = self.columns, self.settings, self.origin
        if regions is not None:
            columns = columns_with_regions(columns, regions, threshold)
        if level_ranges is not None:
            ranges = check_ranges(
                columns, self.quasi, {name: level_ranges[name] for name in _require(self, level_ranges)}
            )
            settings = replace(settings, level_ranges=ranges)
        if importance is not None:
            settings = replace(settings, importance=check_importance(self.quasi, importance))
        if workloads is not None:
            settings = replace(settings, workloads=check_workloads(workloads))
        if population is not None:
            origin = replace(origin, population=_read_population(self, population))
        return replace(self, columns=columns, settings=settings, origin=origin, remember=ResultCache())

    @property
    def population(self) -> Population | None:
        """The population from which the records were sampled, to count the people of each class; None if unknown."""
        given = self.origin.population
        return None if given is None else self.remember("population", lambda: Population.from_tables(given, self))

    def __repr__(self) -> str:
        sensitive = ", ".join(_in_role(self, "sensitive")) or "none"
        drawn = f", {self.origin.sampled}" if self.origin.sampled else ""
        return f"<Table of {self.records:,} records{drawn}: quasi {', '.join(self.quasi)}; sensitive {sensitive}>"

    @property
    def names(self) -> list[str]:
        """The columns that were read, in the order of the data."""
        return list(self.columns)

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers: columns that an attacker may know."""
        return _in_role(self, "quasi")

    @cached_property
    def neutral(self) -> tuple[str, ...]:
        """The neutral columns: published unchanged with the quasi-identifiers, and used by workloads."""
        return _in_role(self, "neutral")

    @cached_property
    def weight(self) -> str | None:
        """The column with the number of people that a record represents. Never published, and unknown to attackers."""
        return next(iter(_in_role(self, "weight")), None)

    @cached_property
    def records(self) -> int:
        """The number of records."""
        return self.engine.records

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
        level, more = self.levels.get, (self.settings.rounding, self.settings.wording)
        return {n: Sensitive.from_column(self.columns[n], level(n, 0), *more) for n in _in_role(self, "sensitive")}

    @property
    def frame(self) -> pd.DataFrame:
        """The decoded microdata. For the analyst only."""
        return pd.DataFrame({name: decode(self.columns[name], self.codes[name]) for name in self.columns})

    def cells(self, others: Iterable[str] = ()) -> Cells:
        """Return the distinct codes of quasi-identifiers, sensitive columns and `others`, with their record counts."""
        known = {*self.quasi, *self.sensitive}
        beside = tuple(name for name in _require(self, others) if name not in known)

        def counted() -> Cells:
            self.engine.require_combinations_fit([*self.quasi, *self.sensitive, *beside], self.columns)
            return self.model_view.collapse(self.quasi, (*self.sensitive, *beside))

        return self.remember(("cells", beside), counted)


def without_assigned_roles(table: Table) -> Table:
    """Return the table with all columns neutral."""
    neutral = dict.fromkeys(table.columns, "neutral")
    settings = replace(table.settings, level_ranges={}, importance={})
    return replace(table, roles=neutral, levels={}, settings=settings, remember=ResultCache())


def _require(table: Table, names: Iterable[str]) -> list[str]:
    """Return the names; raise BadInput unless they are columns of the table."""
    require_columns(known := list(names), table.names, notes=table.notes)
    return known


def _checked(table: Table) -> Table:
    """Return the table; raise BadInput if it has no records, or columns that do not suit their roles."""
    if not table.records:
        raise BadInput("the table has no records; choose data with at least one")
    if table.quasi:  # otherwise it has no roles yet
        require_sound(table.columns, table.roles, table.levels)
    return table


def _changed(
    table: Table, columns: dict[str, Column], engine: Engine, roles: dict[str, str], levels: dict[str, int]
) -> Table:
    """Return a changed table with the ranges of levels and the weights that are still valid."""
    settings = replace(
        table.settings,
        level_ranges=valid_ranges(columns, roles, table.settings.level_ranges),
        importance=valid_importance(roles, table.settings.importance),
        wording=PLAIN,
    )
    return replace(
        table, columns=columns, engine=engine, roles=roles, levels=levels, settings=settings, remember=ResultCache()
    )


def _read_population(table: Table, data: Any) -> Table:
    """Return the population as a table; raise BadInput if it lacks a quasi-identifier."""
    if not isinstance(data, Table):
        opened = open_source(data)
        types = {name: table.columns[name].kind for name in opened.names if name in table.columns}
        opened.close()
        data = Table(**read_columns(data, partial(only_these, types, table.quasi), types, None, None, None, {}))
    require_columns(table.quasi, data.names, "quasi-identifier of the population")
    return data


def _in_role(table: Table, role: str) -> tuple[str, ...]:
    return tuple(name for name in table.columns if table.roles[name] == role)
