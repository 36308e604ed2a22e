"""Bounds on l that all kinds of l-diversity share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE

if TYPE_CHECKING:
    from workbench.data.table import Table


def max_l(table: Table) -> float | None:
    """Return the largest possible l: the smallest number of values of a sensitive column; None without one."""
    return min((len(seen) for seen in table.sensitive.values()), default=None)


def min_records(l: float) -> int:
    """Return the smallest number of records with which a class can have l values."""
    return math.ceil(l * (1 - TOLERANCE))


def explain_too_few_values(sensitive: Sensitive | None, l: float) -> str | None:
    """Return the reason if a column has fewer values than l."""
    if sensitive and len(sensitive) < l * (1 - TOLERANCE):
        return f"{sensitive.name!r} has {len(sensitive)} values, fewer than l = {l:g}"
    return None
