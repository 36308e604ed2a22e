"""The levels that columns may be released at: by column a lowest and a highest, 0 its values, the top everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral

from workbench.base.errors import BadInput, at, said
from workbench.data.column import Column

Ranges = Mapping[str, Sequence[int]]


def highest(column: Column) -> int:
    """The level on which everything is one node."""
    return len(column.released_at) - 1


def checked(columns: Mapping[str, Column], quasi: Sequence[str], given: Ranges) -> dict[str, tuple[int, int]]:
    """The ranges, each of a quasi-identifier and of levels that there are; BadInput says which is not."""
    found = {}
    for name, levels in given.items():
        with at(name):
            if name not in quasi:
                raise BadInput(f"column {name!r} has no levels to be released at: it is no quasi-identifier")
            top = highest(columns[name])
            if not _sound(levels, top):
                raise BadInput(
                    f"column {name!r} cannot be released at levels {_told(levels)}: give the lowest and the highest, "
                    f"from 0 (its values) to {top} (everything is one), as [0, {top}]"
                )
            found[name] = (int(levels[0]), int(levels[1]))
    return found


def within(column: Column, given: tuple[int, int] | None) -> tuple[int, int]:
    """The lowest and the highest level that a column may be released at; all that there are, where nothing is said."""
    top = highest(column)
    low, high = given or (0, top)
    return min(low, top), min(high, top)


def kept(columns: Mapping[str, Column], roles: Mapping[str, str], ranges: Ranges) -> dict[str, tuple[int, int]]:
    """The ranges that are still sound in other roles or under other hierarchies."""
    there = {name: levels for name, levels in ranges.items() if roles.get(name) == "quasi"}
    return {name: (levels[0], levels[1]) for name, levels in there.items() if _sound(levels, highest(columns[name]))}


def _sound(levels: object, top: int) -> bool:
    pair = isinstance(levels, Sequence) and not isinstance(levels, str) and len(levels) == 2
    if not pair or any(isinstance(level, bool) or not isinstance(level, Integral) for level in levels):  # type: ignore[attr-defined]
        return False
    return 0 <= levels[0] <= levels[1] <= top  # type: ignore[index]


def _told(levels: object) -> str:
    return str(list(levels)) if isinstance(levels, tuple | list) and len(levels) <= 4 else said(levels)
