"""How columns are named in queries: found as they are typed, and written so that they are found."""

from __future__ import annotations

import difflib
import unicodedata

from workbench.base.errors import said
from workbench.data.table import Table
from workbench.workloads.tokens import KEYWORDS, PLAIN, in_quotes

SEARCHED = 100  # characters of a name that a like one is searched for


def name_text(name: str) -> str:
    """A column's name as it stands in a query."""
    return name if PLAIN.fullmatch(name) and name.lower() not in KEYWORDS else in_quotes(name, '"')


def column_named(typed: str, table: Table) -> str | None:
    """The column that is called so; else the only one whose name is the same but for the case."""
    if typed in table.columns:
        return typed
    alike = table.remember("columns in any case", lambda: _in_any_case(table)).get(_folded(typed), [])
    return alike[0] if len(alike) == 1 else None


def no_column(typed: str, table: Table) -> str:
    """There is no such column: the nearest name, and the letter that only looks like one of it."""
    near = difflib.get_close_matches(typed, table.names, 1) if len(typed) <= SEARCHED else []
    if not near:
        return f"there is no column {said(typed)}, and the table has none of a like name"
    odd = next((char for char in typed if not char.isascii() and char not in near[0]), "")
    letter = f" ({said(odd)} is {unicodedata.name(odd, f'U+{ord(odd):04X}')})" if odd else ""
    return f"there is no column {said(typed)}{letter}; did you mean {near[0]!r}?"


def _folded(name: str) -> str:
    """A name without its case, in one of the ways in which Unicode writes the same letters."""
    return unicodedata.normalize("NFC", name).casefold()


def _in_any_case(table: Table) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in table.columns:
        found.setdefault(_folded(name), []).append(name)
    return found
