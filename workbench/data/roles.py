"""Which columns are in which role, and how columns are named: one, several, or a list as people type it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import BadInput, columns_meant, said

if TYPE_CHECKING:
    from workbench.data.column import Column

NEARLY_ALL = 0.9
NOTHING = "nothing but missing values, left out"  # what the notes of a table say of a column


def assign(
    names: Sequence[str],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    identifiers: Sequence[str],
    weight: str | Sequence[str] | None = None,
) -> dict[str, str]:
    """The role of every column; complains about unknown columns and columns in two roles."""
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifiers, "weight": column_names(weight)}
    if len(given["weight"]) > 1:
        raise BadInput(f"{len(given['weight'])} columns were named as weights; name one, or none")
    roles: dict[str, str] = {}
    for role, chosen in given.items():
        require_columns(chosen, names, role)
        for name in chosen:
            if name in roles:
                raise BadInput(f"column {name!r} is {roles[name]} and {role}; give it one role")
            roles[name] = role
    if not quasi:
        raise BadInput("no quasi-identifier was chosen; choose at least one")
    return {name: roles.get(name, "neutral") for name in names}


def only_these(known: Iterable[str], required: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Roles of other data's columns that read those known here, and no other; complains where a required one lacks."""
    require_columns(required, names, "quasi-identifier of the population")
    return {name: "neutral" if name in known else "identifier" for name in names}


def notes_of_roles(columns: Mapping[str, Column], roles: Mapping[str, str], records: int) -> Iterator[str]:
    """Which columns that are released differ in (nearly) every record."""
    for role in ("quasi", "neutral"):
        for name, column in columns.items():
            if roles[name] == role and _nearly_identifies(column, role, records):
                yield f"column {name!r} ({role}) is different in (nearly) every record; is it an identifier?"


def _nearly_identifies(column: Column, role: str, records: int) -> bool:
    """Whether it differs in nearly every record; neutral fractions do so as readings, not as numbers of people."""
    measured = column.values.dtype.kind == "f" and role == "neutral"
    return len(column.values) >= NEARLY_ALL * records > 1 and not measured


def unfit_as_weight(column: Column) -> str:
    """Why a column cannot say how many people each record stands for; nothing if it can."""
    if column.kind != "number":
        return f"it is a column of {'dates' if column.kind == 'date' else 'text'}"
    if column.missing:
        return f"it is missing in {column.missing:,} records"
    if column.values[0] < 0:
        return "it is below 0 in some record"
    return "" if column.values[-1] > 0 else "it is 0 in every record"


def check_weight(column: Column) -> None:
    """Raise BadInput where a column cannot say how many people each record stands for."""
    if wrong := unfit_as_weight(column):
        raise BadInput(
            f"weight {column.name!r}: {wrong}; a weight says how many people each record stands for, as a number that "
            "is 0 or above: correct the column, or give it another role"
        )


def require_columns(wanted: Iterable[str], names: Sequence[str], role: str = "", notes: Sequence[str] = ()) -> None:
    """Raise BadInput for the first that is no column of the data."""
    for name in wanted:
        if not isinstance(name, str) or name not in names:
            raise BadInput(lacking(name, names, role, notes))


def lacking(name: object, names: Sequence[str], role: str = "", notes: Sequence[str] = ()) -> str:
    """That there is no such column, and which may be meant; or that it is there and empty, as the notes say."""
    if f"{name}: {NOTHING}" in notes:
        return f"column {said(name)} has nothing but missing values; leave it out"
    return f"the data have no column {said(name)}{f' (wanted as {role})' if role else ''}; {columns_meant(name, names)}"


def column_names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Columns given in a call: none, one by its name, or several."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    if not isinstance(given, Iterable):
        raise BadInput(f"columns are given by name, one or a list of them, not as {said(given)}")
    return tuple(given)
