"""How well each quasi-identifier predicts each other one: figures and descriptions, without values."""

from __future__ import annotations

from typing import Any

from workbench.base.figures import format_whole_percent
from workbench.data.dependencies import PARTLY, Dependency, between
from workbench.data.table import Table

DESCRIBED = 8  # maximum number of dependencies that are described
NOTHING: dict[str, Any] = {"names": [], "commonest": [], "rows": [], "described": []}


def matrix(table: Table) -> dict[str, Any]:
    """Return a row for each known column, with its prediction of each other one; `described` are the strongest."""
    found = between(table)
    at = {(one.determining, one.determined): one for one in found}
    names = table.quasi if found else ()
    return {
        "names": names,
        "commonest": [format_whole_percent(next(d.commonest for d in found if d.determined == name)) for name in names],
        "rows": [[_cell(at[a, b]) if a != b else None for b in names] for a in names],
        "described": [
            {"words": one.words, "meaning": one.meaning} for one in found[:DESCRIBED] if one.strength >= PARTLY
        ],
    }


def _cell(one: Dependency) -> dict[str, Any]:
    return {
        "text": one.per_cent or "–",
        "strength": one.strength,
        "words": one.words,
        "why": " ".join(filter(None, (one.sentence, one.meaning))),
    }
