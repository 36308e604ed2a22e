"""What each quasi-identifier tells about each other one, as the view draws it: figures and words, no value."""

from __future__ import annotations

from typing import Any

from workbench.base.figures import format_whole_percent
from workbench.data.dependencies import PARTLY, Dependency, between
from workbench.data.table import Table

SAID = 8  # dependencies in words at most
NOTHING: dict[str, Any] = {"names": [], "commonest": [], "rows": [], "said": []}


def matrix(table: Table) -> dict[str, Any]:
    """A row for each column that may be known, in it what that tells about each; `said` are the strongest, in words."""
    found = between(table)
    at = {(one.determining, one.determined): one for one in found}
    names = table.quasi if found else ()
    return {
        "names": names,
        "commonest": [format_whole_percent(next(d.commonest for d in found if d.determined == name)) for name in names],
        "rows": [[_cell(at[a, b]) if a != b else None for b in names] for a in names],
        "said": [{"words": one.words, "meaning": one.meaning} for one in found[:SAID] if one.strength >= PARTLY],
    }


def _cell(one: Dependency) -> dict[str, Any]:
    return {
        "text": one.per_cent or "–",
        "strength": one.strength,
        "words": one.words,
        "why": " ".join(filter(None, (one.sentence, one.meaning))),
    }
