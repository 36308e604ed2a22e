"""Settings of a table: roles of columns, weights of quasi-identifiers, ranges of levels, and workloads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base.errors import BadInput, prefix_path, safe_repr, suggest_column
from workbench.base.parameters import RANDOM
from workbench.data.column import Column
from workbench.data.sensitive import require_measurable
from workbench.data.wording import PLAIN, Wording
from workbench.redaction.controlled_rounding import BY_ITSELF, Rounding

if TYPE_CHECKING:
    from workbench.data.records import Sampled
    from workbench.data.table import Table


@dataclass(frozen=True)
class TableSettings:
    """The settings of a table besides roles and hierarchies."""

    level_ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    importance: dict[str, float] = field(default_factory=dict)
    workloads: dict[str, Any] = field(default_factory=dict)  # by name, plain data for `Workload.named`
    wording: Wording = PLAIN  # titles of columns and records on pages
    rounding: Rounding = BY_ITSELF  # of published counts


@dataclass(frozen=True)
class Origin:
    """The origin of a table's records: file, sample and population."""

    missing_texts: tuple[str, ...] = ()  # texts that were read as missing, other than empty cells
    sampled: Sampled | None = None  # the size of the sample, if this is one
    repeats: str = ""  # a note about identifiers with several records
    population: Table | None = None  # the people from whom the records were sampled, if they are known


def check_importance_weight(name: str, given: object) -> float:
    """Return a column's weight. Raise BadInput if it is not a number above 0."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < math.inf:
        raise BadInput(
            f"importance of column {name!r}: must be a number above 0, got {safe_repr(given)}; for example 2 for a "
            "column that counts twice"
        )
    return float(given)


def check_importance(quasi: Sequence[str], given: Mapping[str, object]) -> dict[str, float]:
    """Return the weights that differ from 1. Raise BadInput if a column is not a quasi-identifier."""
    found = {}
    for name, one in given.items():
        with prefix_path(name):
            if name not in quasi:
                near = suggest_column(name, quasi)
                raise BadInput(f"importance: {name!r} is not a quasi-identifier, so it has no loss to weight; {near}")
            found[name] = check_importance_weight(name, one)
    return {name: one for name, one in found.items() if one != 1}


def valid_importance(roles: Mapping[str, str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of columns that are still quasi-identifiers."""
    return {name: one for name, one in weights.items() if roles.get(name) == "quasi"}


def weights_of_quasi(table: Table) -> np.ndarray:
    """Return the weight (importance) of each quasi-identifier."""
    return table.remember(
        "importance", lambda: np.array([table.settings.importance.get(name, 1.0) for name in table.quasi])
    )


# Ranges of levels at which columns may be released: the lowest and the highest (0: the values, top: one node).

Ranges = Mapping[str, Sequence[int]]


def highest_level(column: Column) -> int:
    """Return the level at which everything is one node."""
    return len(column.released_at) - 1


def check_ranges(columns: Mapping[str, Column], quasi: Sequence[str], given: Ranges) -> dict[str, tuple[int, int]]:
    """Return the ranges. Raise BadInput if a column is not a quasi-identifier or a level does not exist."""
    found = {}
    for name, levels in given.items():
        with prefix_path(name):
            if name not in quasi:
                raise BadInput(f"column {name!r} is not a quasi-identifier, so it has no range of levels; remove it")
            top = highest_level(columns[name])
            if not _sound(levels, top):
                raise BadInput(
                    f"column {name!r} cannot be released at levels {_format_levels(levels)}: specify the lowest and "
                    f"the highest level, from 0 (values) to {top} (one node for everything), for example "
                    f"[0, {top}]"
                )
            found[name] = (int(levels[0]), int(levels[1]))
    return found


def level_range(table: Table, name: str) -> tuple[int, int]:
    """Return the lowest and the highest level at which a column may be released; by default all levels."""
    top = highest_level(table.columns[name])
    low, high = table.settings.level_ranges.get(name, (0, top))
    return min(low, top), min(high, top)


def valid_ranges(columns: Mapping[str, Column], roles: Mapping[str, str], ranges: Ranges) -> dict[str, tuple[int, int]]:
    """Return the ranges that are still valid with other roles or hierarchies."""
    of_quasi = {name: levels for name, levels in ranges.items() if roles.get(name) == "quasi"}
    return {
        name: (levels[0], levels[1])
        for name, levels in of_quasi.items()
        if _sound(levels, highest_level(columns[name]))
    }


def _sound(levels: object, top: int) -> bool:
    pair = isinstance(levels, Sequence) and not isinstance(levels, str) and len(levels) == 2
    if not pair or any(isinstance(level, bool) or not isinstance(level, Integral) for level in levels):  # type: ignore[attr-defined]
        return False
    return 0 <= levels[0] <= levels[1] <= top  # type: ignore[index]


def _format_levels(levels: object) -> str:
    return str(list(levels)) if isinstance(levels, tuple | list) and len(levels) <= 4 else safe_repr(levels)


# Workloads as plain data of a study, by name; queries are created when a table is used.

FORMS = "write a list of queries, {random: {count: 1000}} or {file: NAME}"


def check_workloads(given: Mapping[str, object]) -> dict[str, Any]:
    """Return workloads by name. Raise BadInput for invalid ones. Column names are checked when a table is used."""
    if not isinstance(given, Mapping):
        raise BadInput(f"workloads: must be a mapping from names to queries, got {safe_repr(given)}")
    found = {}
    for name, spec in given.items():
        with prefix_path(name):
            if not isinstance(name, str) or not name.strip():
                raise BadInput(f"workloads: the name of a workload must be a text, got {safe_repr(name)}")
            if name == RANDOM:
                raise BadInput(f"workloads: the name {RANDOM!r} is reserved for random queries; choose another name")
            found[name] = plain_workload(spec, f"workload {name!r}")
    return found


def plain_workload(given: object, what: str = "a workload") -> Any:
    """Return the plain data of a workload. Raise BadInput if it is invalid."""
    spec = getattr(given, "spec", given)
    if isinstance(spec, (list, tuple)) and spec:
        for number, text in enumerate(spec):
            with prefix_path(number):
                if not isinstance(text, str):
                    raise BadInput(f"{what}: query {number + 1} is {safe_repr(text)}; {FORMS}, each query in quotes")
        return [*spec]
    if isinstance(spec, Mapping) and len(spec) == 1:
        (kind, about), *_ = spec.items()
        if kind == "random" and isinstance(about, Mapping):
            return {kind: dict(about)}
        if kind == "file" and isinstance(about, str):
            return {kind: about}
    raise BadInput(f"{what}: must be a workload, got {safe_repr(spec)}; {FORMS}")


# Roles of columns, and lists of column names.

NEARLY_ALL, HALF = 0.9, 0.5
DENSE = 2  # record numbers skip at most every second number
NOTHING = "all values are missing, left out"  # a note about an empty column


def assign(
    names: Sequence[str],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    identifiers: Sequence[str],
    weight: str | Sequence[str] | None = None,
) -> dict[str, str]:
    """Return the role of every column. Raise BadInput for unknown columns and for columns with two roles."""
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifiers, "weight": column_names(weight)}
    if len(given["weight"]) > 1:
        raise BadInput(f"there are {len(given['weight'])} weight columns; choose at most one")
    roles: dict[str, str] = {}
    for role, chosen in given.items():
        require_columns(chosen, names, role)
        for name in chosen:
            if name in roles:
                raise BadInput(f"column {name!r} has two roles, {roles[name]} and {role}; choose one")
            roles[name] = role
    if not quasi:
        raise BadInput("no quasi-identifier was chosen; choose at least one")
    return {name: roles.get(name, "neutral") for name in names}


def only_these(known: Iterable[str], required: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return roles that read the known columns only. Raise BadInput if a required one is missing."""
    require_columns(required, names, "quasi-identifier of the population")
    return {name: "neutral" if name in known else "identifier" for name in names}


def role_notes(table: Table) -> tuple[str, ...]:
    """Return notes for the analyst on the sample and the roles; `Table.notes` are about how the data were read."""
    about = table.origin.sampled and f"what follows is about {table.origin.sampled}", table.origin.repeats
    return (*filter(None, about), *_notes_of_roles(table))


def _notes_of_roles(table: Table) -> Iterator[str]:
    """Yield a note for each released column that differs in nearly every record; none without quasi-identifiers."""
    for role in ("quasi", "neutral") if table.quasi else ():
        for name, column in table.columns.items():
            if table.roles[name] == role and _nearly_identifies(column, role, table.records):
                yield f"column {name!r} ({role}) is different in (nearly) every record; is it an identifier?"


def released_columns(table: Table) -> list[str]:
    """Return the columns that may be released: all that were read except the weight."""
    return [name for name in table.names if name != table.weight]


def _nearly_identifies(column: Column, role: str, records: int) -> bool:
    """Return whether the column differs in nearly every record, and is not a measurement or an amount."""
    measured = column.values.dtype.kind == "f"
    if role == "quasi":  # published as ranges, whereas neutral amounts are published exactly
        measured = column.kind == "number" and not counts_records(column)
    return len(column.values) >= NEARLY_ALL * records > 1 and not measured


def counts_records(column: Column) -> bool:
    """Return whether these are consecutive whole numbers, most of them unique, as in a record number."""
    records, distinct = int(column.totals.sum()), len(column.values)
    if column.values.dtype.kind != "i" or distinct <= HALF * records or records < 2:
        return False
    return int(column.values[-1]) - int(column.values[0]) < DENSE * distinct


def unfit_as_weight(column: Column) -> str:
    """Return why a column cannot be a weight; empty if it can."""
    if column.kind != "number":
        return f"it is a column of {'dates' if column.kind == 'date' else 'text'}"
    if column.missing:
        return f"it is missing in {column.missing:,} records"
    if column.values[0] < 0:
        return "it is below 0 in some record"
    return "" if column.values[-1] > 0 else "it is 0 in every record"


def check_weight(column: Column) -> None:
    """Raise BadInput if a column cannot be a weight."""
    if wrong := unfit_as_weight(column):
        raise BadInput(
            f"weight {column.name!r}: {wrong}; a weight is the number of people that each record represents, 0 or "
            "more: correct the column, or choose another role"
        )


def require_columns(wanted: Iterable[str], names: Sequence[str], role: str = "", notes: Sequence[str] = ()) -> None:
    """Raise BadInput for the first name that is not a column."""
    for name in wanted:
        if not isinstance(name, str) or name not in names:
            raise BadInput(lacking(name, names, role, notes))


def lacking(name: object, names: Sequence[str], role: str = "", notes: Sequence[str] = ()) -> str:
    """Return the message for a missing column: unknown (with a suggestion), or empty according to the notes."""
    if f"{name}: {NOTHING}" in notes:
        return f"all values of column {safe_repr(name)} are missing; leave it out"
    purpose = f" (as {role})" if role else ""
    return f"the data have no column {safe_repr(name)}{purpose}; {suggest_column(name, names)}"


def column_names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return a tuple of names for a call's argument: None, a name, or several names."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    if not isinstance(given, Iterable):
        raise BadInput(f"columns must be a name or a list of names, got {safe_repr(given)}")
    return tuple(given)


# Check whether columns can have their roles.


def require_sound(columns: Mapping[str, Column], roles: Mapping[str, str], levels: Mapping[str, int]) -> None:
    """Raise BadInput if a column with a level is not sensitive, or if a column cannot have its role."""
    sensitive = [name for name in columns if roles[name] == "sensitive"]
    for name in levels:
        if name not in sensitive:
            available = ", ".join(sensitive) or "none"
            raise BadInput(f"levels: {name!r} is not a sensitive column; the sensitive columns are: {available}")
    for name in sensitive:
        require_measurable(columns[name], levels.get(name, 0))
    for name in columns:
        if roles[name] == "weight":
            check_weight(columns[name])
