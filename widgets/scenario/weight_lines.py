"""Typed weights of people, one condition per line: `10: sex = 'Female' and age >= 55`, `0: others`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from widgets.base.text_places import place, units
from workbench.base.errors import BadInput
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.measures.predictions import OTHERS, record_weights
from workbench.queries.completion import completions
from workbench.queries.parser import parse
from workbench.queries.tokens import BadQuery

MOST = 50  # lines
LONGEST = 20_000  # characters in total
_LINE = re.compile(r"\s*(?P<weight>\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*:\s*")
NO_CONDITION = "this is not a condition; write one such as age >= 55"
EXAMPLE = "begin with a weight and a colon, such as 10: age >= 55"


def written(weights: Any) -> str:
    """Format weights as text."""
    given: Mapping[str, float] = getattr(weights, "data", weights) or {}
    ordered = [*(one for one in given.items() if one[0] != OTHERS), *(one for one in given.items() if one[0] == OTHERS)]
    return "\n".join(f"{weight:g}: {condition}" for condition, weight in ordered)


def read(text: str, table: Table) -> dict[str, float] | None:
    """Parse weights by condition; None for empty text; BadInput names the line."""
    wrong = [one for one in tried(text, table) if one["wrong"]]
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise BadInput(f"line {wrong[0]['row'] + 1}{more} cannot be read; the last valid weights remain")
    found = {line[match.end() :].strip(): float(match["weight"]) for _, line, match in _rows(text) if match}
    if not found:
        return None
    record_weights(table, found)
    return {condition: int(weight) if weight == int(weight) else weight for condition, weight in found.items()}


def tried(text: str, table: Table) -> list[dict[str, Any]]:
    """Describe each line: its error and position, or its number of people."""
    return [{"row": row, "note": "", **_tried(line, match, table)} for row, line, match in _rows(text)]


def offered(line: str, position: int, table: Table) -> tuple[list[dict[str, str]], int]:
    """Return completions at the cursor, after the colon, and where they begin."""
    match = _LINE.match(line)
    at = place(line, position)
    if match is None or at < match.end():
        return [], position
    found = completions(line[match.end() :], at - match.end(), table)
    start = units(line, match.end() + found[0].start) if found else position
    return [{"text": one.text, "kind": one.kind} for one in found], start


def _rows(text: str) -> list[tuple[int, str, re.Match[str] | None]]:
    rows = text.splitlines()
    if len(rows) > MOST or len(text) > LONGEST:
        raise BadInput(f"these are more than {MOST} conditions or {LONGEST:,} characters; enter fewer")
    return [(row, line, _LINE.match(line)) for row, line in enumerate(rows) if line.strip()]


def _tried(line: str, match: re.Match[str] | None, table: Table) -> dict[str, Any]:
    if match is None:
        return {"wrong": EXAMPLE, "at": 0, "answer": ""}
    condition = line[match.end() :].strip()
    if condition == OTHERS:
        return {"wrong": "", "at": 0, "answer": "others"}
    try:
        if parse(condition, table).aggregate != "count":
            return {"wrong": NO_CONDITION, "at": units(line, match.end()), "answer": ""}
    except BadQuery as error:
        return {"wrong": error.reason, "at": units(line, match.end() + error.position), "answer": ""}
    met = int(record_weights(table, {condition: 1, OTHERS: 0}).sum())
    return {"wrong": "", "at": 0, "answer": format_number(met)}
