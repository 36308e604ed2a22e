"""Roles of columns, and lists of column names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import BadInput, safe_repr, suggest_column
from workbench.data.column import Column
from workbench.data.sensitive import require_measurable

if TYPE_CHECKING:
    from workbench.data.table import Table

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
