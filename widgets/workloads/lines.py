"""Typed queries, one per line: valid queries, and the errors of others with their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widgets.base.text_places import units
from workbench.base.errors import BadInput
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.queries.parser import parse
from workbench.queries.query import Query
from workbench.queries.tokens import BadQuery
from workbench.queries.workload import Workload

MOST = 2000  # maximum number of edited lines; longer workloads are read from a file
LONGEST = 500_000  # characters in total


@dataclass(frozen=True, eq=False)
class Line:
    """A line with a query, or with an error and its position in UTF-16 code units."""

    row: int
    query: Query | None
    wrong: str = ""
    at: int = 0

    def view(self) -> dict[str, Any]:
        """Return the content of the line's result."""
        absent = dict.fromkeys(column for column, _ in self.query.absent) if self.query else ()
        note = f"no record has the requested value of {', '.join(absent)}" if absent else ""
        return {"row": self.row, "wrong": self.wrong, "at": self.at, "note": note}


class Lines:
    """The parsed lines of a text; only changed lines are parsed again."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[str, tuple[Query | None, str, int]] = {}

    def read(self, text: str) -> list[Line]:
        """Parse the lines that are not empty."""
        rows = text.splitlines()
        if len(rows) > MOST or len(text) > LONGEST:
            raise BadInput(f"these are more than {MOST:,} lines or {LONGEST:,} characters; put them into a file")
        filled = [(row, line) for row, line in enumerate(rows) if line.strip()]
        known = {line: self._known.get(line) or self._parsed(line) for _, line in filled}
        self._known = known
        return [Line(row, *known[line]) for row, line in filled]

    def _parsed(self, line: str) -> tuple[Query | None, str, int]:
        try:
            return parse(line, self._table), "", 0
        except BadQuery as error:
            return None, error.reason, units(line, error.position)


def true_answers(table: Table, queries: Sequence[Query]) -> list[str]:
    """Return the formatted true answers to queries."""
    return format_answers(Workload.from_queries(table, queries).truth) if queries else []


def format_answers(answers: np.ndarray) -> list[str]:
    """Format answers; averages of no records are undefined."""
    return ["no records" if np.isnan(one) else format_number(round(float(one), 4)) for one in answers]
