"""Names of columns in queries: how they are found and how they are written."""

from __future__ import annotations

import difflib
import unicodedata

from workbench.base.errors import safe_repr
from workbench.data.table import Table
from workbench.queries.tokens import KEYWORDS, PLAIN, in_quotes

SEARCHED = 100  # maximum length of a name for which a similar one is suggested


def name_text(name: str) -> str:
    """Return a column's name as it is written in a query."""
    return name if PLAIN.fullmatch(name) and name.lower() not in KEYWORDS else in_quotes(name, '"')


def column_named(typed: str, table: Table) -> str | None:
    """Return the column with this name; otherwise the only one whose name differs only in case."""
    if typed in table.columns:
        return typed
    matches = table.remember("columns in any case", lambda: _in_any_case(table)).get(_folded(typed), [])
    return matches[0] if len(matches) == 1 else None


def no_column(typed: str, table: Table) -> str:
    """Return the message for an unknown column, with the nearest name and any look-alike letter."""
    near = difflib.get_close_matches(typed, table.names, 1) if len(typed) <= SEARCHED else []
    if not near:
        return f"there is no column {safe_repr(typed)}, and the table has none with a similar name"
    odd = next((char for char in typed if not char.isascii() and char not in near[0]), "")
    letter = f" ({safe_repr(odd)} is {unicodedata.name(odd, f'U+{ord(odd):04X}')})" if odd else ""
    return f"there is no column {safe_repr(typed)}{letter}; did you mean {near[0]!r}?"


def _folded(name: str) -> str:
    """Return a name without its case, in a normal form of Unicode."""
    return unicodedata.normalize("NFC", name).casefold()


def _in_any_case(table: Table) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in table.columns:
        found.setdefault(_folded(name), []).append(name)
    return found
