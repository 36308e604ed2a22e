"""The rows of columns in the view: counts, but no values."""

from __future__ import annotations

from typing import Any

from workbench.data.column import Column
from workbench.data.column_meanings import guess_kind
from workbench.data.table import Table
from workbench.data.uniqueness import Uniqueness, alone, is_nearly_unique
from workbench.disclosure.any_subset import smallest_sets


def column_row(column: Column, under: Column) -> dict[str, Any]:
    """Return the counts of a column, without its values."""
    found = alone(column)
    return {
        "name": column.name,
        "kind": column.kind,
        "distinct": len(column.values),
        "unique": found.unique,
        "share": found.share,
        "is_nearly_unique": is_nearly_unique(column),
        "likely": _sensitive(column),
        "sizes": level_sizes(under),
    }


def _sensitive(column: Column) -> bool:
    known = guess_kind(column)
    return known is not None and known[0].role == "sensitive"


def singled_row(found: Uniqueness) -> dict[str, Any]:
    shares = {"unique": found.unique, "share": found.share, "records": found.records}
    return {"names": found.names, **shares, "about": found.one_in > 1}


def smallest_rows(table: Table, most: int) -> list[dict[str, Any]]:
    """Return minimal sets of quasi-identifiers with their numbers of records that are unique on no subset."""
    return [
        {"names": names, "unique": alone, "share": alone / table.records, "about": False}
        for names, alone in smallest_sets(table, most)
    ]


def level_sizes(column: Column) -> list[int]:
    """Return the number of values, including missing, at each level; level 0 are the values themselves."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    return [column.size, *(len(level.labels) + (column.missing > 0) for level in levels)]
