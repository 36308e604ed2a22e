"""Shared by all kinds of l-diversity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.data.sensitive import Sensitive
from workbench.models import TOLERANCE, Model

if TYPE_CHECKING:
    from workbench.data.table import Table


class LDiversity(Model):
    """A model whose figure is the number of values in a class."""

    l: float
    figure = "l"
    at_least = True

    @property
    def min_class_size(self) -> int:
        return math.ceil(self.l * (1 - TOLERANCE))

    @property
    def limit(self) -> float:
        return self.l

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        if sensitive and len(sensitive) < self.l * (1 - TOLERANCE):
            return f"{sensitive.name!r} has {len(sensitive)} values, fewer than l = {self.l:g}"
        return None


def max_l(table: Table) -> float | None:
    """Return the largest possible l: the smallest number of values of a sensitive column; None without one."""
    return min((len(seen) for seen in table.sensitive.values()), default=None)
