"""Queries as they are typed, one a line: which of them can be asked, and what is wrong with the others, and where."""

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

MOST = 2000  # lines that are edited; more are read from a file
LONGEST = 500_000  # characters of them


@dataclass(frozen=True, eq=False)
class Line:
    """A line with a query, or with the reason why it is none, and the place of that in the line as a browser counts."""

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
        """The lines that are not empty."""
        rows = text.splitlines()
        if len(rows) > MOST or len(text) > LONGEST:
            raise BadInput(f"these are more than {MOST:,} lines or {LONGEST:,} characters; put them into a file")
        asked = [(row, line) for row, line in enumerate(rows) if line.strip()]
        known = {line: self._known.get(line) or self._parsed(line) for _, line in asked}
        self._known = known
        return [Line(row, *known[line]) for row, line in asked]

    def _parsed(self, line: str) -> tuple[Query | None, str, int]:
        try:
            return parse(line, self._table), "", 0
        except BadQuery as error:
            return None, error.reason, units(line, error.position)


def asked(table: Table, queries: Sequence[Query]) -> list[str]:
    """The true answers, as people read them."""
    return told(Workload.from_queries(table, queries).truth) if queries else []


def told(answers: np.ndarray) -> list[str]:
    """Answers as people read them; the average of nobody is none."""
    return ["of nobody" if np.isnan(one) else format_number(round(float(one), 4)) for one in answers]
