"""The column that miners predict."""

from __future__ import annotations

from workbench.base.errors import Undefined
from workbench.data.table import Table

PREDICTED = "the column that is predicted; none: the first sensitive one"


def target_of(table: Table, given: str | None) -> str:
    """The column that was given, or the first sensitive one."""
    if given is not None:
        return given
    if not table.sensitive:
        raise Undefined("the table has no sensitive column; name the column that is predicted: target")
    return next(iter(table.sensitive))
