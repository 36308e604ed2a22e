"""The column that miners predict."""

from __future__ import annotations

from workbench.base.errors import Undefined
from workbench.data.table import Table

TARGET_HELP = "the column to predict; none: the first sensitive one"


def target_or_default(table: Table, given: str | None) -> str:
    """Return the given column, or the first sensitive one."""
    if given is not None:
        return given
    if not table.sensitive:
        raise Undefined("the table has no sensitive column; name the column to predict: target")
    return next(iter(table.sensitive))
