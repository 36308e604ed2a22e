"""Parsing and formatting of column names.

Commas separate names, and semicolons separate several choices of columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.base.column_text import format_names, parse_names
from workbench.base.errors import BadInput
from workbench.base.variants import Variant
from workbench.data.table import Table

Names = tuple[str, ...] | None
_ONE = re.compile(r'(?:"[^"]*"|[^;])+')


def values(text: str, kind: type[Variant], name: str, table: Table | None = None) -> list[Names]:
    """Parse typed columns, without duplicates; empty text is None."""
    found = dict.fromkeys(names for one in _ONE.findall(text) if (names := parse_names(one)))
    for names in found:
        try:
            kind.check_value(name, names, table)
        except BadInput as error:
            raise BadInput(str(error).removeprefix(f"{kind.name}: ")) from None
    return list(found) or [None]


def written(given: Sequence[Names]) -> str:
    """Format values as text."""
    return "; ".join(format_names(names) for names in given if names is not None)
