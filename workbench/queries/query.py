"""A query: the number of records that meet conditions, or the sum or average of a numeric column over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.queries.tokens import in_quotes, name_text

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


def text_of(
    table: Table, conditions: Mapping[str, np.ndarray], aggregate: Aggregate = "count", summed: str | None = None
) -> str:
    """Return the text of a query with these conditions: for each column, which of its codes meet it.

    For the analyst, since it quotes values of the table. It is parsed back as the same query.
    """
    prefix = aggregate if summed is None else f"{aggregate}({name_text(summed)})"
    parts = [_condition(table.columns[name], codes, alone=len(conditions) == 1) for name, codes in conditions.items()]
    where = " and ".join(parts)
    return where if aggregate == "count" and parts else f"{prefix} where {where}" if parts else prefix


def value_text(column: Column, code: int) -> str:
    """Return a value as it is written in a query: text in quotes, a number or a date to its last digit."""
    if column.kind == "text":
        return in_quotes(column.labels[code])
    value = column.values[code]
    return repr(float(value)) if isinstance(value, np.floating) else str(value)


def _condition(column: Column, codes: np.ndarray, alone: bool) -> str:
    """Return one column's condition, in brackets if it has an "or" next to other conditions."""
    name, known = name_text(column.name), np.asarray(codes[: len(column.values)], bool)
    missing = bool(column.missing) and bool(codes[-1])
    if known.all() or not known.any():
        return _all_or_none(name, bool(known.any()), missing)
    parts = [_listed(column, known)] if column.kind == "text" else list(_ranges(column, known))
    parts = [f"{name} {part}" for part in parts] + ([f"{name} is missing"] if missing else [])
    return " or ".join(parts) if len(parts) == 1 or alone else f"({' or '.join(parts)})"


def _all_or_none(name: str, known: bool, missing: bool) -> str:
    if known and missing:
        return f"({name} is missing or {name} is not missing)"
    if known or missing:
        return f"{name} is {'not ' if known else ''}missing"
    return f"{name} is missing and {name} is not missing"


def _listed(column: Column, known: np.ndarray) -> str:
    """List the text values, or the excluded ones, if these are fewer."""
    negated = int(known.sum()) > len(known) / 2
    labels = [value_text(column, code) for code in np.flatnonzero(known != negated).tolist()]
    if len(labels) == 1:
        return f"{'!=' if negated else '='} {labels[0]}"
    return f"{'not ' if negated else ''}in ({', '.join(labels)})"


def _ranges(column: Column, known: np.ndarray) -> Iterator[str]:
    """Yield the ranges of numbers and dates, then the single values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
    lone = []
    for low, high in edges.reshape(-1, 2).tolist():
        first, last = value_text(column, low), value_text(column, high - 1)
        if high - low == 1:
            lone.append(first)
        elif low == 0:
            yield f"<= {last}"
        elif high == len(known):
            yield f">= {first}"
        else:
            yield f"between {first} and {last}"
    if lone:
        yield f"= {lone[0]}" if len(lone) == 1 else f"in ({', '.join(lone)})"
