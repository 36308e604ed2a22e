"""An attacker who solves the published figures: linear programs over the unknown counts of parts and values.

The attacker reads pages only: the number of records, the count of each named value and the count of all others. She
knows how counts are rounded (to a neighboring multiple of the threshold; the records of the whole to the nearest), that
the parts of a batch add up to its whole, and which values exist. The code is independent of the audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

Count = tuple[str, str, str]  # part, column, value; the whole is the sum of its parts


class Page(NamedTuple):
    """The published counts of the whole ("") or of one part: the records, and by column the named values."""

    part: str
    records: int
    columns: Mapping[str, Mapping[str, int]]  # by label; the other records have other values


def page_of(part: str, results: Mapping[str, Any]) -> Page:
    """Return the counts in a published `results.json`."""
    table, columns = results["table"], {}
    for one in table["sensitive"]:
        columns[one["name"]] = {value["label"]: round(value["share"] * table["records"]) for value in one["values"]}
    for point in results["points"]:
        distributions = (point["opened"] or {}).get("beside", {})
        for one in distributions.get("columns", []):
            rows = {row["label"]: row["before"] for row in one["rows"] if row["label"] != "all others"}
            columns[one["column"]] = {**rows, **columns.get(one["column"], {})}
    return Page(part, table["records"], columns)


class Attacker:
    """A linear program whose constraints are the published figures read so far."""

    def __init__(self, values: Mapping[str, Sequence[str]], parts: Sequence[str], threshold: int) -> None:
        self.values, self.parts, self.threshold = values, list(parts) or [""], threshold
        self.counts = [(part, column, value) for part in self.parts for column in values for value in values[column]]
        self.index = {count: i for i, count in enumerate(self.counts)}
        self.upper: list[tuple[np.ndarray, float]] = []
        self.equal: list[np.ndarray] = []
        first, *others = values
        for part in self.parts:  # each record has one value of each column
            for column in others:
                self.equal.append(self.row(part, first, values[first]) - self.row(part, column, values[column]))

    def row(self, part: str, column: str, values: Sequence[str]) -> np.ndarray:
        """Return the coefficients of a sum of counts: of one part, or of all parts for the whole."""
        found = np.zeros(len(self.counts))
        for one in self.parts if part == "" else [part]:
            found[[self.index[one, column, value] for value in values]] = 1
        return found

    def read(self, page: Page) -> None:
        """Add the constraints of a page."""
        off = self.threshold - 1
        whole, (first, *_) = page.part == "", self.values
        nearest = (self.threshold // 2, (self.threshold - 1) // 2)
        self.bound(
            self.row(page.part, first, self.values[first]), page.records, *(nearest if whole else (off, off + 1))
        )
        for column, named in page.columns.items():
            for label, count in named.items():
                self.bound(self.row(page.part, column, [label]), count, off, off + 1)
            rest = [value for value in self.values[column] if value not in named]
            if rest:
                cells = 1 if len(self.parts) == 1 and len(rest) == 1 else len(rest) * len(self.parts)
                others = page.records - sum(named.values())
                self.bound(self.row(page.part, column, rest), others, off * cells, (off + 1) * cells)
                for value in rest:  # a larger count would be named
                    self.bound(self.row(page.part, column, [value]), 0, 0, 2 * off + 2)

    def bound(self, row: np.ndarray, count: int, below: int, above: int) -> None:
        """Constrain a sum to the interval around a count."""
        self.upper += [(row, count + above), (-row, below - count)]

    def feasible_range(self, row: np.ndarray) -> tuple[int, int]:
        """Return the minimum and the maximum integer value of a sum that satisfies all constraints."""
        limits = {
            "A_ub": np.array([one for one, _ in self.upper]),
            "b_ub": [end for _, end in self.upper],
            "A_eq": np.array(self.equal) if self.equal else None,
            "b_eq": np.zeros(len(self.equal)) if self.equal else None,
        }
        least, most = (linprog(sign * row, bounds=(0, None), method="highs", **limits) for sign in (1, -1))
        assert least.status == 0 and most.status in (0, 3), (least.message, most.message)
        high = 10**9 if most.status == 3 else int(np.floor(-most.fun + 1e-6))
        return int(np.ceil(least.fun - 1e-6)), high
