"""The values of a parameter that names columns: read as people type them, and written back.

Names stand between commas, and one choice of columns after the other between semicolons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.base.errors import BadInput
from workbench.base.names import typed_names, written_names
from workbench.base.variants import Variant
from workbench.data.table import Table

Names = tuple[str, ...] | None
_ONE = re.compile(r'(?:"[^"]*"|[^;])+')


def values(text: str, kind: type[Variant], name: str, table: Table | None = None) -> list[Names]:
    """The columns that were typed, each choice once; nothing is none. BadInput says which of them may not be."""
    found = dict.fromkeys(names for one in _ONE.findall(text) if (names := typed_names(one)))
    for names in found:
        try:
            kind.check_value(name, names, table)
        except BadInput as error:
            raise BadInput(str(error).removeprefix(f"{kind.name}: ")) from None
    return list(found) or [None]


def written(given: Sequence[Names]) -> str:
    """What reads back as these values."""
    return "; ".join(written_names(names) for names in given if names is not None)
