"""An attacker who solves what is published: linear programs over the unknown counts of parts and values.

She reads pages alone: how many records there are, how many have each value that is named, and how many have all others.
She knows how counts are rounded (to a neighboring multiple of the threshold; the records of the whole to the nearest),
that the parts of a batch add up to its whole, and which values there are. She shares no code with the audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

Count = tuple[str, str, str]  # part, column, value; the whole is the sum of its parts


class Page(NamedTuple):
    """What a page says of the whole ("") or of one part: the records, and by column the counts of named values."""

    part: str
    records: int
    columns: Mapping[str, Mapping[str, int]]  # by label; the rest of the records have other values


def page_of(part: str, results: Mapping[str, Any]) -> Page:
    """The counts of a published `results.json`."""
    table, columns = results["table"], {}
    for one in table["sensitive"]:
        columns[one["name"]] = {value["label"]: round(value["share"] * table["records"]) for value in one["values"]}
    for point in results["points"]:
        beside = (point["opened"] or {}).get("beside", {})
        for one in beside.get("columns", []):
            rows = {row["label"]: row["before"] for row in one["rows"] if row["label"] != "all others"}
            columns[one["column"]] = {**rows, **columns.get(one["column"], {})}
    return Page(part, table["records"], columns)


class Attacker:
    """Everything that she has read, as rows of a linear program."""

    def __init__(self, values: Mapping[str, Sequence[str]], parts: Sequence[str], threshold: int) -> None:
        self.values, self.parts, self.threshold = values, list(parts) or [""], threshold
        self.counts = [(part, column, value) for part in self.parts for column in values for value in values[column]]
        self.at = {count: i for i, count in enumerate(self.counts)}
        self.upper: list[tuple[np.ndarray, float]] = []
        self.equal: list[np.ndarray] = []
        first, *others = values
        for part in self.parts:  # each record has one value of each column
            for column in others:
                self.equal.append(self.row(part, first, values[first]) - self.row(part, column, values[column]))

    def row(self, part: str, column: str, values: Sequence[str]) -> np.ndarray:
        """A sum of counts: of one part, or of all for the whole."""
        found = np.zeros(len(self.counts))
        for one in self.parts if part == "" else [part]:
            found[[self.at[one, column, value] for value in values]] = 1
        return found

    def read(self, page: Page) -> None:
        """Take in a page."""
        off = self.threshold - 1
        whole, (first, *_) = page.part == "", self.values
        nearest = (self.threshold // 2, (self.threshold - 1) // 2)
        self.between(
            self.row(page.part, first, self.values[first]), page.records, *(nearest if whole else (off, off + 1))
        )
        for column, named in page.columns.items():
            for label, count in named.items():
                self.between(self.row(page.part, column, [label]), count, off, off + 1)
            rest = [value for value in self.values[column] if value not in named]
            if rest:
                many = 1 if len(self.parts) == 1 and len(rest) == 1 else len(rest) * len(self.parts)
                others = page.records - sum(named.values())
                self.between(self.row(page.part, column, rest), others, off * many, (off + 1) * many)
                for value in rest:  # else it would be named
                    self.between(self.row(page.part, column, [value]), 0, 0, 2 * off + 2)

    def between(self, row: np.ndarray, count: int, below: int, above: int) -> None:
        """State that a sum is at most so far from a count."""
        self.upper += [(row, count + above), (-row, below - count)]

    def possible(self, row: np.ndarray) -> tuple[int, int]:
        """The smallest and the largest whole value of a sum that fits all that she has read."""
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
