"""What the kinds of l-diversity have in common: how far l can go in a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE

if TYPE_CHECKING:
    from workbench.data.table import Table


def most_values(table: Table) -> float | None:
    """The upper end of a slider for l: the values of the poorest sensitive column; open where there is none."""
    return min((len(seen) for seen in table.sensitive.values()), default=None)


def fewest_records(l: float) -> int:
    """A class with fewer has fewer values than l."""
    return math.ceil(l * (1 - TOLERANCE))


def too_few_values(sensitive: Sensitive | None, l: float) -> str | None:
    """The reason, where a column has fewer values than l."""
    if sensitive and len(sensitive) < l * (1 - TOLERANCE):
        return f"{sensitive.name!r} has {len(sensitive)} values, fewer than l = {l:g}"
    return None
