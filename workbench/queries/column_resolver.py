"""Resolution of literals in conditions: the codes of a column that a value, a bound or a group stands for, compared
exactly.

Sets of codes are the bits of an integer (bit c: code c), so that thousands of conditions are combined at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from workbench.base.errors import safe_repr
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.table import Table
from workbench.queries.tokens import LONGEST, NUMBER, Token

IS_NUMBER = re.compile(NUMBER)
IS_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")
HOLDS = {"number": "numbers", "date": "dates", "text": "text"}
Run = tuple[int, int]  # the first code, and the one after the last


@dataclass(frozen=True, eq=False, repr=False)
class ColumnResolver:
    """Resolves literals of one column; missing is the last code, and in no set except `missing`."""

    column: Column

    @classmethod
    def of_table(cls, table: Table, name: str) -> ColumnResolver:
        """Return the resolver of a table's column, shared by all queries."""
        return table.remember(("asked", name), lambda: cls(table.columns[name]))

    @cached_property
    def values(self) -> int:
        """The set of all values."""
        return (1 << len(self.column.values)) - 1

    @cached_property
    def missing(self) -> int:
        """The code of missing; empty if no value is missing."""
        return 1 << len(self.column.values) if self.column.missing else 0

    def flags(self, codes: int) -> np.ndarray:
        """Return a set as a boolean array over the codes."""
        packed = np.frombuffer(codes.to_bytes(self.column.size // 8 + 1, "little"), np.uint8)
        return np.unpackbits(packed, count=self.column.size, bitorder="little").astype(bool)

    def union(self, runs: Iterable[Run]) -> int:
        """Return the codes of some runs."""
        flags = np.zeros(len(self.column.values), bool)
        for low, high in runs:
            flags[low:high] = True
        return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")

    # --- values

    def equal(self, token: Token) -> Run:
        """Return the run of codes with this value: one code, or an empty run at the value's place if no record has
        it."""
        if self.column.kind == "text":
            return self._of_text(token)
        wanted = self._number(token) if self.column.kind == "number" else self._moment(token)
        return bisect_left(self._ordered, wanted, key=self._exact), bisect_right(self._ordered, wanted, key=self._exact)

    def _of_text(self, token: Token) -> Run:
        """Resolve text exactly; true and false without quotes in any case, as readers of data write them."""
        if token.kind not in ("text", "quoted") and token.word not in ("true", "false"):
            raise token.mistake(f"{self._holds}; put the value in quotes: '{token.spelled}'")
        code = self._boolean(token.word) if token.kind == "name" else self._codes.get(token.said)
        if code is None and token.kind != "name" and token.said in self.groups:
            raise token.mistake(
                f"{safe_repr(token.said)} is a group of the hierarchy of {safe_repr(self.column.name)}, not a value; "
                f"for its values write: within {safe_repr(token.said)}"
            )
        return (0, 0) if code is None else (code, code + 1)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.column.labels)}

    def _boolean(self, word: str) -> int | None:
        spellings = (word, word.capitalize(), word.upper())
        return next((self._codes[one] for one in spellings if one in self._codes), None)

    @cached_property
    def _ordered(self) -> np.ndarray:
        dated = self.column.kind == "date"
        return self.column.values.astype("datetime64[us]").astype(np.int64) if dated else self.column.values

    def _exact(self, value: Any) -> int | Decimal:
        """Return a value without rounding."""
        return Decimal(repr(float(value))) if self._ordered.dtype.kind == "f" else int(value)

    def _number(self, token: Token) -> Decimal:
        typed = token.said.strip() if token.kind in ("number", "text", "quoted") else ""
        if len(typed) > LONGEST or not IS_NUMBER.fullmatch(typed):
            raise token.mistake(f"{self._holds}; {safe_repr(token.said)} is not a number")
        return Decimal(typed)

    def _moment(self, token: Token) -> int:
        """Return microseconds; a day is the moment at which it begins."""
        typed = token.said.strip() if token.kind in ("date", "text", "quoted") else ""
        try:
            if not IS_MOMENT.fullmatch(typed):
                raise ValueError
            return int(np.datetime64(typed.replace(" ", "T")).astype("datetime64[us]").astype(np.int64))
        except ValueError:  # 2024-02-31 has the format of a date
            example = "2024-01-31 or '2024-01-31 14:30'"
            raise token.mistake(f"{self._holds}; {safe_repr(token.said)} is not one: write it as {example}") from None

    @property
    def _holds(self) -> str:
        return f"the column {safe_repr(self.column.name)} holds {HOLDS[self.column.kind]}"

    # --- groups

    def group(self, token: Token) -> Run:
        """Return the values of a group of the hierarchy; a value is its own group, and of nested groups the widest is
        used."""
        if self.column.hierarchy is None:
            raise token.mistake(f"the column {safe_repr(self.column.name)} has no hierarchy; list values: in (...)")
        runs = self.groups.get(token.said, []) if token.kind in ("text", "quoted") else []
        if self.column.kind == "text" and token.kind in ("text", "quoted") and token.said in self._codes:
            runs = [*runs, (self._codes[token.said], self._codes[token.said] + 1)]
        if not runs:
            raise token.mistake(f"the hierarchy of {safe_repr(self.column.name)} has no group {safe_repr(token.said)}")
        low, high = min(low for low, _ in runs), max(high for _, high in runs)
        if (low, high) not in runs:
            raise token.mistake(
                f"several groups of {safe_repr(self.column.name)} have this name; list values: in (...)"
            )
        return low, high

    @cached_property
    def groups(self) -> dict[str, list[Run]]:
        """The runs of each label of the hierarchy."""
        found: dict[str, list[Run]] = {}
        hierarchy = self.column.hierarchy or Hierarchy(())
        for j, level in enumerate(hierarchy.levels):
            for label, (low, last) in zip(level.labels, hierarchy.bounds(j).tolist(), strict=True):
                found.setdefault(label, []).append((low, last + 1))
        return found
