"""Declared types of columns: number, date or text, with a notation if the values are ambiguous."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import Kind

KINDS: tuple[Kind, ...] = ("number", "date", "text")
THOUSANDS_COMMAS, DECIMAL_COMMAS = "1,234.5", "1.234,5"
DAY_FIRST, MONTH_FIRST = "dd/mm/yyyy", "mm/dd/yyyy"
DIRECTIVES = (("yyyy", "%Y"), ("yy", "%y"), ("mm", "%m"), ("dd", "%d"))  # longer ones first
DAY_OR_MORE = re.compile(r"%[djxcDFs]")
EXAMPLES = (
    "'number', 'date' or 'text', optionally with a notation: "
    f"'number {THOUSANDS_COMMAS}', 'number {DECIMAL_COMMAS}', 'date {DAY_FIRST}', 'date {MONTH_FIRST}', 'date %d %b %Y'"
)


@dataclass(frozen=True)
class ColumnType:
    """A kind of values and their notation, which is detected if it is empty."""

    kind: Kind
    notation: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.notation}".rstrip()

    @property
    def date_format(self) -> str:
        """The notation of a date as a format of strptime."""
        found = self.notation
        if "%" not in found:
            for token, directive in DIRECTIVES:
                found = found.replace(token, directive)
        return found


def parse_type(text: object) -> ColumnType:
    """Return the type that a text such as `number 1,234.5` or `date dd/mm/yyyy` declares."""
    kind, _, notation = text.strip().partition(" ") if isinstance(text, str) else ("", "", "")
    found = next((ColumnType(one, notation.strip()) for one in KINDS if one == kind), None)
    if found is None or not _is_known(found):
        raise BadInput(f"a type is {EXAMPLES}; got {safe_repr(text)}")
    return found


def _is_known(found: ColumnType) -> bool:
    if not found.notation:
        return True
    if found.kind == "number":
        return found.notation in (THOUSANDS_COMMAS, DECIMAL_COMMAS)
    if found.kind == "date":
        return bool(re.search("%[yYcxDFs]", found.date_format) and DAY_OR_MORE.search(found.date_format))
    return False
