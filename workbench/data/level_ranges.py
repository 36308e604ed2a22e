"""Ranges of levels at which columns may be released: the lowest and the highest (0: the values, top: one node)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.data.column import Column

Ranges = Mapping[str, Sequence[int]]


def highest(column: Column) -> int:
    """Return the level at which everything is one node."""
    return len(column.released_at) - 1


def checked(columns: Mapping[str, Column], quasi: Sequence[str], given: Ranges) -> dict[str, tuple[int, int]]:
    """Return the ranges. Raise BadInput if one is not of a quasi-identifier or has levels that do not exist."""
    found = {}
    for name, levels in given.items():
        with prefix_path(name):
            if name not in quasi:
                raise BadInput(f"column {name!r} is not a quasi-identifier, so it has no range of levels; remove it")
            top = highest(columns[name])
            if not _sound(levels, top):
                raise BadInput(
                    f"column {name!r} cannot be released at levels {_format_levels(levels)}: give the lowest and the "
                    f"highest level, from 0 (values) to {top} (one node for everything), for example [0, {top}]"
                )
            found[name] = (int(levels[0]), int(levels[1]))
    return found


def within(column: Column, given: tuple[int, int] | None) -> tuple[int, int]:
    """Return the lowest and the highest level at which a column may be released; by default all levels."""
    top = highest(column)
    low, high = given or (0, top)
    return min(low, top), min(high, top)


def keep_valid(columns: Mapping[str, Column], roles: Mapping[str, str], ranges: Ranges) -> dict[str, tuple[int, int]]:
    """Return the ranges that are still valid with other roles or hierarchies."""
    of_quasi = {name: levels for name, levels in ranges.items() if roles.get(name) == "quasi"}
    return {name: (levels[0], levels[1]) for name, levels in of_quasi.items() if _sound(levels, highest(columns[name]))}


def _sound(levels: object, top: int) -> bool:
    pair = isinstance(levels, Sequence) and not isinstance(levels, str) and len(levels) == 2
    if not pair or any(isinstance(level, bool) or not isinstance(level, Integral) for level in levels):  # type: ignore[attr-defined]
        return False
    return 0 <= levels[0] <= levels[1] <= top  # type: ignore[index]


def _format_levels(levels: object) -> str:
    return str(list(levels)) if isinstance(levels, tuple | list) and len(levels) <= 4 else safe_repr(levels)
