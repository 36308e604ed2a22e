"""Propose a hierarchy for a column from its values, with a reason in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.base.figures import format_number, format_whole_percent
from workbench.data.column import Column
from workbench.data.hierarchies.builders import DATES, Builder, Columns, Dates, Groups, Intervals, Prefixes, calendar
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.lexicon import has_word
from workbench.data.table import Table

FEW = 8  # up to so many values need no groups
MANY = 20  # text columns with more values are searched for common parts
LEVELS = 4
CROWDED = 0.6  # with a larger share of the records in a tenth of the range, equal widths are useless
CODE = re.compile(r"(?=.{2,10}$)[A-Z]{0,3}\d[A-Z\d]*[.-]?[A-Z\d]*-*")  # for example of diagnoses: V202-, E11.9, 4019
MOST = 0.9  # minimum share of the values that are such codes
SEPARATORS = "-/:|_.,; "

Proposal = tuple[Builder | None, str]


def propose(column: Column) -> Proposal:
    """Return a builder for this column, or None if it needs no hierarchy, and the reason."""
    if len(column.values) <= FEW:
        return None, f"{len(column.values)} values are few, so no groups are needed."
    return {"number": _numbers, "date": _dates, "text": _text}[column.kind](column)


def _numbers(column: Column) -> Proposal:
    if not math.isfinite(float(column.values[-1]) - float(column.values[0])):
        return None, "the range of the values is too large for numbers."
    values = (column.values - column.values[0]).astype(float)  # differences distinguish integers beyond 2^53
    counts = np.asarray(column.counts, dtype=float)
    low, high = column.values[[0, -1]].tolist()
    if column.values.dtype.kind in "iu" and low >= 1 and high <= 12 and has_word(column.name, ("month",)):
        return Intervals(widths=(3, 6), origin=1), "months: quarters and halves of the year."
    tenths = np.histogram(values, bins=10, weights=counts)[0]
    crowd = tenths.max() / max(counts.sum(), 1)
    if crowd > CROWDED:
        reason = (
            f"{format_whole_percent(crowd)} of the records are in a tenth of the range, so groups are equally filled."
        )
        return Intervals(quantiles=(16, 8, 4)), reason
    whole = column.values.dtype.kind in "iu"
    widths = _round_widths(high - low, max((high - low) / 100, 2 if whole else 0))
    if not widths:
        return None, f"values from {format_number(low)} to {format_number(high)} are too close for round intervals."
    return Intervals(
        widths=widths
    ), f"values from {format_number(low)} to {format_number(high)} are spread well enough for round intervals."


def _round_widths(span: float, least: float) -> tuple[float, ...]:
    """Return up to four of 1, 2, 5 x 10^n, each a multiple of the one before, the widest at most half the span."""
    chosen: list[Decimal] = []
    top = math.floor(math.log10(span / 2))
    for exponent in range(top, top - LEVELS, -1):
        for digit in (5, 2, 1):
            width = Decimal(digit).scaleb(exponent)
            fits = least <= width <= span / 2 and (not chosen or chosen[-1] % width == 0)
            if fits and len(chosen) < LEVELS:
                chosen.append(width)
    return tuple(int(w) if w == int(w) else float(w) for w in reversed(chosen))


def _dates(column: Column) -> Proposal:
    useful, runs = [], len(column.values)
    for name in DATES:
        groups = len(Dates((name,))(column).levels[0].starts)
        if 1 < groups < runs:
            useful.append(name)
            runs = groups
    span = f"dates from {column.labels[0]} to {column.labels[-1]}"
    if not useful:
        return None, f"{span} are in one {DATES[-1]}, and no two have the same day."
    return Dates(tuple(useful)), f"{span} span several of each: {', '.join(useful)}."


def _codes(labels: Sequence[str]) -> Proposal | None:
    """Propose prefixes for codes: digits of one length, such as zip codes, or capitals and digits."""
    length = max(map(len, labels))
    digits = all(len(v) == length and v.isdecimal() for v in labels)
    if length < 3 or not (digits or sum(map(bool, map(CODE.fullmatch, labels))) >= MOST * len(labels)):
        return None
    keep, groups = [], len(labels)
    for k in range(length - 1, 0, -1):
        distinct = len({v[:k] for v in labels})
        if 1 < distinct < groups:
            keep.append(k)
            groups = distinct
    if not keep:
        return None
    what = f"all {len(labels)} values are codes of" if digits else f"{len(labels)} values are codes of at most"
    return Prefixes(tuple(keep[:LEVELS])), f"{what} {length} {'digits' if digits else 'characters'}."


def _text(column: Column) -> Proposal:
    labels = column.labels
    if len(labels) <= MANY:
        return None, f"{len(labels)} values without a known order: group them by meaning if possible."
    if codes := _codes(labels):
        return codes
    for separator in SEPARATORS:
        heads: dict[str, list[str]] = {}
        for value in labels:
            if separator in value[1:]:
                heads.setdefault(value[0] + value[1:].split(separator)[0], []).append(value)
        covered = sum(map(len, heads.values()))
        if covered >= 0.8 * len(labels) and 1 < len(heads) <= len(labels) / 2:
            groups_of = {f"{head}{separator}*": values for head, values in heads.items() if len(values) > 1}
            if not set(groups_of) & set(labels):
                share = f"{covered} of {len(labels)} values"
                return Groups((groups_of,)), f"{share} have a common part before {separator!r}."
    return None, f"{len(labels)} values without an order or common parts: group them by meaning if possible."


# Group text values that occur with similar values of other columns; rare values are merged first.
#
# Values are merged in pairs with Ward's criterion on the square roots of their profiles (Hellinger distances), weighted
# by records: Ward, Hierarchical Grouping to Optimize an Objective Function (1963).

SMALLEST, LARGEST = 3, 500  # minimum and maximum number of values to group
NAMED = 3  # maximum number of values in the label of a group
SIZE = 200  # maximum number of values of the other columns
RARITY = 0.02  # minimum cost of merging, per record, so that rare values are merged first


def similar_groups(table: Table, name: str, others: Sequence[str]) -> Groups | None:
    """Return nested groups of a text column's values, or None if there are too few or too many of them."""
    column = table.columns[name]
    if column.kind != "text" or not SMALLEST <= len(column.values) <= LARGEST:
        return None
    key = ("similar values", name, *others)
    return table.remember(key, lambda: grouped(column, _profiles(table, name, others)))


def grouped(column: Column, profiles: np.ndarray) -> Groups:
    """Return the groups for one row of `profiles` per value."""
    merges = _merges(profiles, column.counts.astype(float))
    values = len(column.values)
    order = _leaves(merges, values)
    sizes = [values]
    while sizes[-1] > 2 and len(sizes) <= LEVELS:
        sizes.append((sizes[-1] + 1) // 2)
    return Groups([_level(column, _clusters(merges, values, size), order) for size in sizes[1:]])


def _profiles(table: Table, name: str, others: Sequence[str]) -> np.ndarray:
    """Return, for each value, the square roots of the shares of other columns' values, scaled to unit length."""
    column = table.columns[name]
    parts = []
    for other in others:
        size = table.columns[other].size
        if other == name or size > SIZE:
            continue
        cells = table.engine.collapse([name, other], [])
        pairs = cells.quasi[0].astype(np.int64) * size + cells.quasi[1]
        counts = np.bincount(pairs, cells.weight, minlength=column.size * size).reshape(-1, size)[: len(column.values)]
        parts.append(np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)))
    return np.hstack(parts) / np.sqrt(len(parts)) if parts else np.zeros((len(column.values), 0))


def _merges(centers: np.ndarray, weights: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of clusters to merge, in order; the i-th merge creates cluster `values + i`."""
    centers, weights = centers.copy(), np.maximum(weights, 1.0)
    clusters = np.arange(len(weights))
    costs = np.full((len(weights), len(weights)), np.inf)
    for i in range(len(weights)):
        costs[i, :i] = costs[:i, i] = _costs(centers, weights, i)[:i]
    merges = []
    for step in range(len(weights) - 1):
        merged, kept = divmod(int(np.argmin(costs)), len(weights))
        merges.append((int(clusters[kept]), int(clusters[merged])))
        total = weights[kept] + weights[merged]
        centers[kept] = (weights[kept] * centers[kept] + weights[merged] * centers[merged]) / total
        weights[kept], clusters[kept] = total, len(weights) + step
        alive = np.isfinite(costs[kept])
        alive[merged] = alive[kept] = False
        costs[merged], costs[:, merged] = np.inf, np.inf
        costs[kept] = costs[:, kept] = np.where(alive, _costs(centers, weights, kept), np.inf)
    return merges


def _costs(centers: np.ndarray, weights: np.ndarray, one: int) -> np.ndarray:
    """Return the cost of merging a cluster with each other one."""
    distances = np.square(centers - centers[one]).sum(axis=1)
    return weights * weights[one] / (weights + weights[one]) * (distances + RARITY)


def _leaves(merges: Sequence[tuple[int, int]], values: int) -> list[int]:
    """Return the values in an order in which those of every cluster are neighbors."""
    members = {code: [code] for code in range(values)}
    for step, (first, second) in enumerate(merges):
        members[values + step] = members.pop(first) + members.pop(second)
    (order,) = members.values()
    return order


def _clusters(merges: Sequence[tuple[int, int]], values: int, size: int) -> list[list[int]]:
    """Return the members of each cluster when `size` clusters are left."""
    members = {code: [code] for code in range(values)}
    for step, (first, second) in enumerate(merges[: values - size]):
        members[values + step] = members.pop(first) + members.pop(second)
    return list(members.values())


def _level(column: Column, clusters: Sequence[Sequence[int]], order: Sequence[int]) -> dict[str, list[str]]:
    """Return the labels and values of the groups, in the order of the values."""
    place = {code: i for i, code in enumerate(order)}
    ranked = sorted(clusters, key=lambda cluster: min(place[code] for code in cluster))
    return {
        _label(column, cluster): [column.labels[code] for code in sorted(cluster, key=place.__getitem__)]
        for cluster in ranked
    }


def _label(column: Column, cluster: Sequence[int]) -> str:
    """Return a label of the most frequent values; with many values, the first and the number of the others."""
    named = [column.labels[code] for code in sorted(cluster, key=lambda code: -column.counts[code])]
    label = " or ".join(named) if len(named) <= NAMED else f"{named[0]} or {len(named) - 1} others"
    return f"{label} (group)" if len(named) > 1 and label in column.labels else label


# Recover the builder of a column's hierarchy: the shortest one with the same result.

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
