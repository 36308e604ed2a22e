"""Which columns are in which role, and how columns are named: one, several, or a list as people type it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.base.errors import BadInput, columns_meant, said

TYPED = re.compile(r'\s*"([^"]+)"\s*(?=,|$)|([^,]+)')


def assign(
    names: Sequence[str], quasi: Sequence[str], sensitive: Sequence[str], identifiers: Sequence[str]
) -> dict[str, str]:
    """The role of every column; complains about unknown columns and columns in two roles."""
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifiers}
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


def require_columns(wanted: Iterable[str], names: Sequence[str], role: str = "") -> None:
    """Raise BadInput for the first that is no column of the data."""
    for name in wanted:
        if not isinstance(name, str) or name not in names:
            wanted_as = f" (wanted as {role})" if role else ""
            raise BadInput(f"the data has no column {said(name)}{wanted_as}; {columns_meant(name, names)}")


def column_names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Columns given in a call: none, one by its name, or several."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    if not isinstance(given, Iterable):
        raise BadInput(f"columns are given by name, one or a list of them, not as {said(given)}")
    return tuple(given)


def typed_names(text: str) -> tuple[str, ...]:
    """Names as people type them, by commas; a name with a comma stands in double quotes."""
    found = (quoted or bare.strip() for quoted, bare in TYPED.findall(text))
    return tuple(name for name in found if name)
