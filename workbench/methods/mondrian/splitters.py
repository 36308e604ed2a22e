"""Which splitter the settings of Mondrian ask for, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import BadInput, at, said
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods.mondrian.asked import asked_of
from workbench.methods.mondrian.heuristics import Preferred, asked_first, by_repetition, in_order
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.least_error import ChildCuts, LeastError, RegionCuts
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.splits import Splitter, Widest
from workbench.models import Model
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

# each way to choose the attribute, and the setting that it alone needs
GOES_WITH = {
    "widest": None, "information_gain": "target", "most_repeated": None, "fewest": None, "order": "order",
    "workload": "workload",
}  # fmt: skip

WORTH = (0.1, 0.3)  # what a cut that serves a workload mends at least of a class, in one search and in another
NEEDED = {"target": "a target column", "order": "an order of columns", "workload": "a workload"}


def require_together(method: Mondrian) -> None:
    """Raise BadInput for settings that do not go together."""
    for split, needed in GOES_WITH.items():
        given = needed is not None and getattr(method, needed) is not None
        if needed is not None and given != (method.split == split):
            cure = f", not with split = {method.split}: leave it out" if given else ": name one"
            with at(needed):
                raise BadInput(f"mondrian: split = {split} goes with {NEEDED[needed]}{cure}")
    if method.split == "information_gain" and not method.strict:
        raise BadInput(
            "mondrian: without strict the records at a median are dealt; so not with split = information_gain"
        )
    if method.recode == "levels" and not method.strict:
        raise BadInput("mondrian: recode = levels goes with strict: equal values are one node, and stay together")
    if method.recode == "levels" and method.cuts == "binary":
        raise BadInput(
            "mondrian: cuts = binary goes with recode = regions: on levels a cut takes all children of a node"
        )
    elsewhere = not method.strict or method.recode == "levels" or method.split == "information_gain"
    if method.median == "even" and elsewhere:
        raise BadInput(
            "mondrian: median = even goes with strict, recode = regions and any split but information_gain: only there "
            "a class is cut at a median beside which equal values stay together"
        )


def by_counts(method: Mondrian, table: Table) -> bool:
    """Whether the first cuts can be made by counts alone."""
    plain = method.split == "widest" and method.strict and method.recode == "regions"
    return plain and not method.suppress and table.weight is None


def require_quasi(table: Table, names: Sequence[str]) -> None:
    """Raise BadInput where an order names what is not cut."""
    for name in names:
        if name not in table.quasi:
            there = ", ".join(table.quasi)
            raise BadInput(f"mondrian: order names {said(name)}, which is no quasi-identifier; they are {there}")


def splitter_of(method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None) -> Splitter:
    """What chooses the cuts."""
    if method.target is not None:
        if levels:
            return GainOfChildren(table, entries, model, levels, method.target, method.cuts)
        return InformationGainSplitter(table, entries, model, method.target, method.cuts)
    widest = _widest(method, table, entries, model, levels)
    if method.order is not None:
        return Preferred(widest, in_order(table, method.order))
    if method.split in ("most_repeated", "fewest"):
        return Preferred(widest, by_repetition(table, entries, levels, method.split == "most_repeated"))
    return widest


def _widest(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> Widest | WidestNode:
    """What cuts the widest attribute."""
    if levels:
        return WidestNode(table, entries, model, levels)
    return Widest(table, entries, model, method.strict, method.median == "even")


def serving(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> tuple[LeastError, LeastError]:
    """What serves a workload, by what a cut has to be worth; a width counts as often as the workload asks about it."""
    workload = Workload.named(table, method.workload)  # type: ignore[arg-type]
    asked = asked_of(table, entries, workload, exact=method.publish == "bucketized")
    times = np.where(asked.often > 0, asked.often, 1.0) * table.weights_of_quasi
    weighed = table.with_importance(dict(zip(table.quasi, times.tolist(), strict=True)))
    widest = _widest(method, weighed, entries, model, replace(levels, table=weighed) if levels else None)
    cuts = ChildCuts(widest, asked) if levels else RegionCuts(widest, asked)
    rest = Preferred(widest, asked_first(asked.often))
    return LeastError(cuts, rest, WORTH[0]), LeastError(cuts, rest, WORTH[1])


def rules(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None, often: np.ndarray
) -> Iterator[Preferred]:
    """What cuts at medians: by width and repetition, and each attribute first that a workload asks about."""
    yield Preferred(widest := _widest(method, table, entries, model, levels), in_order(table, []))
    for most in (True, False):
        yield Preferred(widest, by_repetition(table, entries, levels, most))
    for a in np.flatnonzero(often):
        yield Preferred(widest, in_order(table, [table.quasi[a]]))


def neutral_columns(method: Mondrian, table: Table) -> tuple[str, ...]:
    """The neutral columns that choose the cuts."""
    if method.workload is not None:
        names = Workload.named(table, method.workload).columns
    else:
        names = () if method.target is None else (method.target,)
    return tuple(name for name in names if table.roles[name] == "neutral")
