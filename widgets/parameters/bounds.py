"""Parsing and formatting of column bounds such as `age: 17..99`."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base import column_text
from workbench.base.errors import BadInput
from workbench.base.variants import Variant
from workbench.data.table import Table

LISTED = "the minimum and maximum of each column, such as age: 17..99, hours: 0..80"


def values(text: str, kind: type[Variant], name: str, table: Table | None = None) -> list[str | None]:
    """Parse typed bounds; empty text is None."""
    if not text.strip():
        return [None]
    try:
        kind.check_value(name, text, table)
    except BadInput as error:
        raise BadInput(str(error).removeprefix(f"{kind.name}: ")) from None
    return [column_text.format_bounds(column_text.parse_bounds(text))]


def written(given: Sequence[str | None]) -> str:
    """Format values as text."""
    return "; ".join(one for one in given if one is not None)
