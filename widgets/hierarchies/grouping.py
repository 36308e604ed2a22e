"""Named groups on several levels, changed one step at a time so that they stay nested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.base.errors import BadInput
from workbench.data.column import MISSING, Column, unused_name
from workbench.data.hierarchies.hierarchy import Hierarchy, key
from workbench.data.hierarchies.proposal import Level

LEAVES = 20_000  # maximum number of values that are listed one by one
Rows = list[list[str]]  # a value, then its label on each level


def members(hierarchy: Hierarchy, level: int) -> dict[str, tuple[str, ...]]:
    """Return the members to group on a level (1: finest): groups of the level below, or values without nesting."""
    values: dict[str, tuple[str, ...]] = {leaf: (leaf,) for leaf in hierarchy.leaves}
    if level == 1:
        return values
    if level <= len(hierarchy.levels):
        fine, coarse = (hierarchy.levels[i].starts for i in (level - 2, level - 1))
        if not np.isin(coarse, fine).all():
            return values
    below = hierarchy.levels[level - 2]
    bounds = hierarchy.bounds(level - 2).tolist()
    return {label: hierarchy.leaves[a : b + 1] for label, (a, b) in zip(below.labels, bounds, strict=True)}


def group_values(
    levels: Sequence[Level], level: int, values: Sequence[str], label: str, counts: Mapping[str, int]
) -> tuple[list[Level], list[str]]:
    """Group values; on higher levels the group follows the majority of its records. Notes list moved values."""
    new = [dict(one) for one in levels]
    if level > len(new):
        new.append(dict(new[-1]) if new else {})
    there = new[level - 1].get(label, ())
    new[level - 1] = _without(new[level - 1], values)
    new[level - 1][label] = (*(v for v in there if v not in set(values)), *values)
    notes = []
    whole = new[level - 1][label]
    for k in range(level, len(new)):
        above = {v: name for name, held in new[k].items() for v in held}
        weights: dict[str, int] = {}
        for value in there or whole:
            if value in above:
                weights[above[value]] = weights.get(above[value], 0) + counts.get(value, 0) + 1
        if not weights:
            continue
        target = max(weights, key=weights.__getitem__)
        moved = [v for v in whole if above.get(v) != target]
        if moved:
            notes.append(f"On level {k + 1} all of {label!r} is now in {target!r}.")
            new[k] = _without(new[k], moved)
            new[k][target] = (*new[k][target], *moved)
    return _lifted(new), notes


def ungroup(levels: Sequence[Level], level: int, values: Iterable[str]) -> list[Level]:
    """Take values out of their groups on a level; levels that become redundant are removed."""
    gone = set(values)
    new = [dict(one) for one in levels]
    group = {v: label for label, held in new[level - 1].items() for v in held if v in gone}
    new[level - 1] = _without(new[level - 1], gone)
    for k in range(level, len(new)):  # groups that were only copied to higher levels follow
        carried = [v for v, label in group.items() if v in new[k].get(label, ())]
        new[k] = _without(new[k], carried)
    return _without_duplicates(_lifted(new))


def rename_group(levels: Sequence[Level], level: int, label: str, to: str) -> list[Level]:
    """Rename a group, also on the levels that only copy it."""
    if label not in levels[level - 1]:
        raise BadInput(f"there is no group {label!r} on level {level}")
    held = set(levels[level - 1][label])
    new = []
    for k, one in enumerate(levels, 1):
        same = k == level or (k > level and set(one.get(label, ())) == held)
        if same and to in one and to != label:
            raise BadInput(f"There is a group {to!r} on level {k} already.")
        new.append({to if same and name == label else name: values for name, values in one.items()})
    return new


def without_level(levels: Sequence[Level], level: int) -> list[Level]:
    """Remove a level."""
    return [dict(one) for k, one in enumerate(levels, 1) if k != level]


def separate_parts(rows: Rows, column: Column) -> Rows:
    """Return rows in which the values of every label are adjacent; separate parts get their own labels."""
    if column.kind == "text":
        return _qualified(rows)
    rows = sorted(rows, key=lambda row: _place(row[0], column))
    for k in range(1, len(rows[0])):
        taken, last, part = {row[k] for row in rows}, "", ""
        parts: dict[str, int] = {}
        for row in rows:
            if row[k] != last:
                last = row[k]
                parts[last] = parts.get(last, 0) + 1
                part = last if parts[last] == 1 else unused_name(f"{last} ({parts[last]})", taken)
            row[k] = part
    return rows


def _place(leaf: str, column: Column) -> tuple[bool, float]:
    found = key(leaf, column.kind)
    return (True, 0.0) if isinstance(found, str) else (False, found)


def _qualified(rows: Rows) -> Rows:
    """Qualify labels that occur in several groups of the level above."""
    new = [list(row) for row in rows]
    for k in range(len(rows[0]) - 2, 0, -1):
        above: dict[str, set[str]] = {}
        for row in new:
            above.setdefault(row[k], set()).add(row[k + 1])
        for row in new:
            if len(above[row[k]]) > 1:
                row[k] = f"{row[k]} ({row[k + 1]})"
    return new


def rows_of(levels: Sequence[Level], leaves: Sequence[str]) -> Rows:
    """Return a row per value: the value, then its label on each level."""
    group = [{v: label for label, held in level.items() for v in held} for level in levels]
    return [[leaf, *(one.get(leaf, leaf) for one in group)] for leaf in leaves]


def from_rows(rows: Rows) -> list[Level]:
    """Return the groups of each level from such rows."""
    levels: list[Level] = []
    for k in range(1, len(rows[0])):
        level: dict[str, list[str]] = {}
        for row in rows:
            level.setdefault(row[k], []).append(row[0])
        levels.append({label: tuple(held) for label, held in level.items() if held != [label]})
    return levels


def tree(column: Column, hierarchy: Hierarchy | None) -> dict[str, Any]:
    """Return the data at each level: labels and first codes of all runs, values and records."""
    shown = hierarchy or Hierarchy(column.labels)
    counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
    many = len(shown.leaves) > LEAVES
    return {
        "leaves": [] if many else shown.leaves,
        "size": len(shown.leaves),
        "counts": [counts[leaf] for leaf in shown.leaves],
        "levels": [{"labels": level.labels, "starts": level.starts} for level in shown.levels],
        "nested": shown.nested,
        "missing": column.missing,
        "called": MISSING,
    }


def _without(level: Level, values: Iterable[str]) -> Level:
    gone = set(values)
    left = {label: tuple(v for v in held if v not in gone) for label, held in level.items()}
    return {label: held for label, held in left.items() if held}


def _lifted(levels: list[Level]) -> list[Level]:
    """Copy groups to a higher level that does not mention them."""
    for below, above in pairwise(levels):
        taken = {v for held in above.values() for v in held}
        for label, held in below.items():
            if taken.isdisjoint(held):
                above[unused_name(label, above)] = held
    return levels


def _without_duplicates(levels: list[Level]) -> list[Level]:
    """Remove levels with the same partition as the level below."""
    kept: list[Level] = []
    before: set[frozenset[str]] = set()
    for level in levels:
        parts = {frozenset(held) for held in level.values() if len(held) > 1}
        if parts != before:
            kept.append(level)
            before = parts
    return kept
