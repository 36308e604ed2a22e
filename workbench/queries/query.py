"""A query: the number of records that meet conditions, or the sum or average of a numeric column over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from workbench.base.errors import BadInput, safe_repr, suggest

Aggregate = Literal["count", "sum", "avg"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


@dataclass(frozen=True, eq=False)
class Query:
    """A conjunction: for each column with a condition, which of its codes meet it, missing (the last code) included.

    `of` is the column that is summed or averaged, over the records that meet the conditions and have a value there.
    `absent` are the literals that no record has, each with its column: (column, text as typed).
    """

    text: str
    aggregate: Aggregate
    of: str | None
    conditions: Mapping[str, np.ndarray]
    absent: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise BadInput(f"unknown aggregate {safe_repr(self.aggregate)}; {suggest(self.aggregate, AGGREGATES)}")
        if (self.of is None) != (self.aggregate == "count"):
            cure = "name no column" if self.aggregate == "count" else "name a numeric column"
            raise BadInput(f"{self.aggregate} of {safe_repr(self.of)}: {cure}")
        for codes in self.conditions.values():
            codes.setflags(write=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with conditions."""
        return tuple(self.conditions)

    def __str__(self) -> str:
        return self.text
