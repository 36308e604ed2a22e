"""Recover the builder of a column's hierarchy: the shortest one with the same result."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from workbench.data.column import Column
from workbench.data.hierarchies.builders import DATES, Builder, Columns, Dates, Groups, Intervals
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.intervals import calendar

NUMBER = r"-?\d+(\.\d+)?(E[+-]?\d+)?"
Level = dict[str, tuple[str, ...]]  # label -> values; other values are not grouped


def recover(column: Column) -> Builder:
    """Return the shortest builder that builds the hierarchy of this column."""
    assert column.hierarchy is not None
    bare, wanted = replace(column, hierarchy=None), column.hierarchy.spec()
    for guess in (*_guesses(column), Groups(levels_of(column.hierarchy, True))):
        if guess(bare).spec() == wanted:
            return guess
    return Columns(column.hierarchy.frame(), given=wanted.get("given", ()))


def _guesses(column: Column) -> list[Builder]:
    """Return possible builders for numbers and dates, from the starts and labels of the runs."""
    hierarchy = column.hierarchy
    if hierarchy is None or not hierarchy.levels:
        return []
    if column.kind == "date":
        made = {name: calendar(column.values, name).labels for name in DATES}
        names = [name for level in hierarchy.levels for name in DATES if made[name] == level.labels]
        return [Dates(tuple(names))] if names else []
    if column.kind != "number":
        return []
    ends = _ends(hierarchy)
    guesses: list[Builder] = [Intervals(**ends)] if ends else []
    inner = [level.labels[int("bottom" in ends) : len(level.labels) - int("top" in ends)] for level in hierarchy.levels]
    widths = [_width(labels) for labels in inner]
    guesses += [Intervals(widths=tuple(widths), **ends)] if all(widths) else []
    sizes = [len(labels) for labels in inner]
    guesses += [Intervals(quantiles=tuple(sizes), **ends)] if min(sizes) > 1 else []
    starts = [level.starts[int("bottom" in ends) :] for level in hierarchy.levels]
    cuts = tuple(tuple(column.values[at[1 : len(labels)]].tolist()) for at, labels in zip(starts, inner, strict=True))
    named = tuple(_between(ends, _named_cuts(labels[1:] if "bottom" in ends else labels)) for labels in inner)
    guesses += [Intervals(cuts=given, **ends) for given in (named, cuts) if all(given) and all(map(_ascends, given))]
    return guesses


def _ends(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the bottom and top nodes that all levels have in common."""
    found: dict[str, Any] = {}
    for name, place, pattern in (("bottom", 0, f"under ({NUMBER})"), ("top", -1, f"({NUMBER}) and over")):
        labels = {level.labels[place] for level in hierarchy.levels}
        end = re.fullmatch(pattern, labels.pop()) if len(labels) == 1 else None
        if end:
            found[name] = float(end[1]) if end[2] or end[3] else int(end[1])
    return found if found.get("bottom", -math.inf) < found.get("top", math.inf) else {}


def _between(ends: Mapping[str, float], cuts: Sequence[float]) -> tuple[float, ...]:
    low, high = ends.get("bottom", -math.inf), ends.get("top", math.inf)
    return tuple(cut for cut in cuts if not cut <= low and not cut >= high)


def _named_cuts(labels: Sequence[str]) -> tuple[float, ...]:
    """Return the cut points in the labels of intervals: where they begin, and where the last one ends."""
    found = [re.search(r"-?\d+(\.\d+)?", label) for label in labels if not label.startswith("<")]
    cuts = [(float(one[0]) if one[1] else int(one[0])) if one else math.nan for one in found]
    last = _width(labels[-1:])
    return (*cuts, cuts[-1] + last) if last and cuts else tuple(cuts)


def _ascends(cuts: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(cuts)) and not any(map(math.isnan, cuts))


def _width(labels: Sequence[str]) -> float:
    """Return the width of intervals with these labels, or of most of them; 0 if unknown."""
    return max(map(_width_of, labels), default=0)


def _width_of(label: str) -> float:
    whole = re.fullmatch(r"\[(-?\d+)(?:-| to )(-?\d+)\]", label)
    if whole:
        return int(whole[2]) - int(whole[1]) + 1
    open_end = re.fullmatch(r"\[(-?[\d.]+)(?:-| to )(-?[\d.]+)\[", label)
    return round(float(open_end[2]) - float(open_end[1]), 12) if open_end else 0


def levels_of(hierarchy: Hierarchy | None, in_order: bool = False) -> list[Level]:
    """Return the groups of each level; `in_order` also lists single values if the order would be lost otherwise."""
    found: list[Level] = []
    for i, level in enumerate(hierarchy.levels if hierarchy else ()):
        assert hierarchy is not None
        members = [hierarchy.leaves[low : high + 1] for low, high in hierarchy.bounds(i).tolist()]
        found.append(dict(zip(level.labels, members, strict=True)))
    if not found or hierarchy is None:
        return found
    groups = [{label: values for label, values in level.items() if values != (label,)} for level in found]
    grouped = list(dict.fromkeys(v for level in groups for values in level.values() for v in values))
    others = set(hierarchy.leaves) - set(grouped)
    is_order_lost = [*grouped, *sorted(others)] != list(hierarchy.leaves)
    return [found[0], *groups[1:]] if in_order and is_order_lost else groups
