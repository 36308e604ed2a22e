"""Names of columns as people type them, between commas, and as they are written back."""

from __future__ import annotations

import re
from collections.abc import Iterable

TYPED = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?=,|$)|([^,]+)')


def typed_names(text: str) -> tuple[str, ...]:
    """The names in a text; one with a comma stands in double quotes, and a double quote in these is written twice."""
    found = (quoted.replace('""', '"') or bare.strip() for quoted, bare in TYPED.findall(text))
    return tuple(name for name in found if name)


def written_names(names: Iterable[str]) -> str:
    """The text that `typed_names` reads back as these names; lists of them may stand between semicolons."""
    return ", ".join(map(_written, names))


def _written(name: str) -> str:
    plain = typed_names(name) == (name,) and not set(name) & set('";')
    return name if plain else '"' + name.replace('"', '""') + '"'
