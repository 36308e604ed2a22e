"""Lists of column names as text, separated by commas."""

from __future__ import annotations

import re
from collections.abc import Iterable

TYPED = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?=,|$)|([^,]+)')


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names in a text; names with commas are in double quotes, in which a double quote is doubled."""
    found = (quoted.replace('""', '"') or bare.strip() for quoted, bare in TYPED.findall(text))
    return tuple(name for name in found if name)


def format_names(names: Iterable[str]) -> str:
    """Format names so that `parse_names` reads them back; the result contains no bare semicolon."""
    return ", ".join(map(_written, names))


def _written(name: str) -> str:
    plain = parse_names(name) == (name,) and not set(name) & set('";')
    return name if plain else '"' + name.replace('"', '""') + '"'
