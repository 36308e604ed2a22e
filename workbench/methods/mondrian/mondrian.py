"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.parameters import Column, Columns, Plain, WorkloadChoice, parameter
from workbench.data.cells import Cells
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.methods import Method, allowance, suppress
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import (
    CutsPerColumn,
    GainOfChildren,
    Levels,
    WidestNode,
    WidestPerColumn,
    columns_of_nodes,
)
from workbench.methods.mondrian.out_of_core import in_parts
from workbench.methods.mondrian.splits import (
    Nodes,
    Preferred,
    Splitter,
    SuppressingSplits,
    Widest,
    by_repetition,
    grow,
    in_order,
    workload_first,
)
from workbench.methods.mondrian.workload_cuts import ChildCuts, LeastError, RegionCuts, first_minimum, workload_arrays
from workbench.models import Model
from workbench.queries.workload import Workload
from workbench.releases.base import Release
from workbench.releases.partition import Bucketized, Partition

# Mondrian's search, from the whole table to classes; for a workload it is repeated with several rules.
#
# The best single cuts for a workload may lead to a worse partition than cuts at medians. So the rules that cut at
# medians are tried too. If they are not much worse, two more searches follow: one for cuts that are worth more, and one
# by the best rule that deviates only for cuts that halve the error of a class. The partition with the smallest error
# wins.

# The splitter for the settings, and the combinations of settings that are allowed.

# each rule that chooses the attribute, with the setting that only this rule needs
GOES_WITH = {
    "widest": None, "information_gain": "target", "most_repeated": None, "fewest": None, "order": "order",
    "workload": "workload",
}  # fmt: skip

WORTH = (0.1, 0.3)  # the smallest error reduction of a cut for a workload, in the first and in the second search
NEEDED = {"target": "a target column", "order": "an order of columns", "workload": "a workload"}


def require_compatible(method: Mondrian) -> None:
    """Raise BadInput for settings that exclude each other."""
    for split, needed in GOES_WITH.items():
        given = needed is not None and getattr(method, needed) is not None
        if needed is not None and given != (method.split == split):
            with prefix_path(needed):
                if given:
                    raise BadInput(f"mondrian: {needed} needs split = {split}, not {method.split}; remove {needed}")
                raise BadInput(f"mondrian: split = {split} needs {NEEDED[needed]}; choose one")
    if method.split == "information_gain" and not method.strict:
        raise BadInput("mondrian: split = information_gain needs strict, since it does not cut at medians")
    if method.recode == "levels" and not method.strict:
        raise BadInput("mondrian: recode = levels needs strict: equal values are one node, and stay together")
    if method.recode == "levels" and method.cuts == "binary":
        raise BadInput("mondrian: cuts = binary needs recode = regions: on levels a cut makes all children of a node")
    elsewhere = not method.strict or method.recode == "levels" or method.split == "information_gain"
    if method.median == "even" and elsewhere:
        raise BadInput(
            "mondrian: median = even needs strict, recode = regions and a split other than information_gain: only then "
            "are classes cut at a median with equal values on one side"
        )


def by_counts(method: Mondrian, table: Table) -> bool:
    """Return whether the first cuts can be computed from counts alone."""
    plain = method.split == "widest" and method.strict and method.recode == "regions"
    return plain and not method.suppress and table.weight is None


def cuts_per_column(method: Mondrian) -> bool:
    """Return whether columns that publish nodes are cut between nodes."""
    return method.strict and method.publish == "generalized"


def require_quasi(table: Table, names: Sequence[str]) -> None:
    """Raise BadInput if an order names a column that is not a quasi-identifier."""
    for name in names:
        if name not in table.quasi:
            available = ", ".join(table.quasi)
            raise BadInput(f"mondrian: order: {safe_repr(name)} is not a quasi-identifier; choose from {available}")


def splitter_of(method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None) -> Splitter:
    """Return the splitter for a method without a workload."""
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
    """Return the splitter that cuts the widest attribute."""
    if levels:
        return WidestNode(table, entries, model, levels)
    if cuts_per_column(method) and columns_of_nodes(table).any():
        return WidestPerColumn(table, entries, model, method.median == "even")
    return Widest(table, entries, model, method.strict, method.median == "even")


def workload_splitters(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> tuple[LeastError, LeastError]:
    """Return two splitters that serve a workload, for a small and a large `worth`; widths count as often as queries."""
    workload = Workload.named(table, method.workload)  # type: ignore[arg-type]
    arrays = workload_arrays(table, entries, workload, exact=method.publish == "bucketized")
    times = np.where(arrays.often > 0, arrays.often, 1.0) * weights_of_quasi(table)
    weighed = table.with_settings(importance=dict(zip(table.quasi, times.tolist(), strict=True)))
    widest = _widest(method, weighed, entries, model, replace(levels, table=weighed) if levels else None)
    cuts: ChildCuts | RegionCuts | CutsPerColumn
    if isinstance(widest, WidestPerColumn):
        cuts = CutsPerColumn(widest, arrays)
    else:
        cuts = ChildCuts(widest, arrays) if levels else RegionCuts(widest, arrays)
    rest = Preferred(widest, workload_first(arrays.often))
    return LeastError(cuts, rest, WORTH[0]), LeastError(cuts, rest, WORTH[1])


def median_splitters(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None, often: np.ndarray
) -> Iterator[Preferred]:
    """Yield splitters that cut at medians: by width, by repetition, and by each attribute of the workload first."""
    yield Preferred(widest := _widest(method, table, entries, model, levels), in_order(table, []))
    for most in (True, False):
        yield Preferred(widest, by_repetition(table, entries, levels, most))
    for a in np.flatnonzero(often):
        yield Preferred(widest, in_order(table, [table.quasi[a]]))


def neutral_columns(method: Mondrian, table: Table) -> tuple[str, ...]:
    """Return the neutral columns that influence the cuts."""
    if method.workload is not None:
        names = Workload.named(table, method.workload).columns
    else:
        names = () if method.target is None else (method.target,)
    return tuple(name for name in names if table.roles[name] == "neutral")


ENOUGH = 2 / 3  # share of the best rule's error; if cuts for the workload are below it, no further search is made
HALF = 0.5  # the error reduction that a cut needs to replace the best rule's cut


def classes_of_entries(
    method: Mondrian, table: Table, entries: Cells, model: Model | None, levels: Levels | None
) -> np.ndarray:
    """Return the class of each entry; -1 if it is suppressed."""
    begun = Nodes.root(table, entries)
    beginning = levels or (Levels.per_column(table) if cuts_per_column(method) else None)
    if beginning is not None:
        begun = beginning.begin(begun, entries, None if method.suppress else model)

    def grown(splitter: Splitter) -> np.ndarray:
        suppressing_split = None
        if model and method.suppress:
            suppressing_split = SuppressingSplits(table, splitter, model, allowance(table, method.suppress))
        return grow(replace(begun, order=begun.order.copy()), splitter, model, suppressing_split)

    if method.workload is None:
        return grown(splitter_of(method, table, entries, model, levels))
    first, more = workload_splitters(method, table, entries, model, levels)
    others = [*median_splitters(method, table, entries, model, levels, first.workload.often)]
    groups = [grown(first), *(grown(one) for one in others)]
    wrong = [first.error(group) for group in groups]
    rule = first_minimum(wrong[1:])
    if wrong[0] > ENOUGH * wrong[1 + rule]:
        groups += [grown(one) for one in (more, LeastError(first.cuts, others[rule], HALF))]
        wrong += [first.error(group) for group in groups[-2:]]
    return groups[first_minimum(wrong)]


@dataclass(frozen=True)
class Mondrian(Method):
    split: str = parameter(
        "widest", "which attribute is cut: the widest, the one with the largest information gain, the one whose values "
        "repeat most or least in a class, by an order, or the one that hurts a workload least",
        choices=tuple(GOES_WITH),
    )  # fmt: skip
    target: str | None = parameter(None, "the target column of information gain", kind=Column)
    cuts: str = parameter(
        "all", "information gain: try every cut, only the best of each attribute, or binary cuts, which also cut text "
        "with a hierarchy in the order of its values", choices=("all", "best", "binary"),
    )  # fmt: skip
    strict: bool = parameter(
        True, "equal values stay together; if not, those at the median go to both halves", choices=(True, False)
    )
    publish: str = parameter("generalized", "how classes are published", choices=("generalized", "bucketized"))
    suppress: float = suppress()
    recode: str = parameter(
        "regions", "what a class publishes: the smallest ranges that contain its records, or nodes of the hierarchies",
        choices=("regions", "levels"), optional=True,
    )  # fmt: skip
    order: tuple[str, ...] | None = parameter(
        None,
        "split = order: the attribute to cut as long as possible, then the next one, and so on",
        kind=Columns,
        optional=True,
    )
    workload: str | Plain | Workload | None = parameter(
        None, "split = workload: the queries whose error is minimized", kind=WorkloadChoice, optional=True
    )
    median: str = parameter(
        "lower",
        "which half receives the values at the median: the lower one, or the one that makes both more even in size",
        choices=("lower", "even"),
        optional=True,
    )
    name = "mondrian"
    title = "Mondrian (LeFevre, DeWitt & Ramakrishnan 2006)"
    summary = "halve classes, attribute by attribute, as long as the model holds"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_compatible(self)

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None:
            require_quasi(table, self.order or ())

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if not table.engine.cells_fit and by_counts(self, table):
            return in_parts(self, table, model)
        others = neutral_columns(self, table)
        cells = table.cells(others)
        pieces, entries = None, cells
        if not self.strict:
            table.engine.require_memory("relaxed Mondrian assigns records one by one", "use the strict one")
            entries, cell = shuffle_records(cells, seed)
            pieces = (cell, entries.weight)
        levels = Levels.from_table(table, exact=self.publish == "bucketized") if self.recode == "levels" else None
        group = classes_of_entries(self, table, entries, model, levels)
        if self.publish == "bucketized":
            return Bucketized(table, cells, group, others=others, parts=pieces)
        shown = levels.shown(cells, group) if levels else {}
        return Partition(table, cells, group, others=others, parts=pieces, **shown)


def shuffle_records(cells: Cells, seed: int) -> tuple[Cells, np.ndarray]:
    """Return one entry per record in random order, so that equal values at a cut are assigned at random.

    Cells are sorted by sensitive value too. An attacker who could replay the assignment from the seed alone would learn
    which ranks went to which class; so the data, which only the analyst has, are part of the seed.
    """
    rng = np.random.default_rng([seed, cells.digest])
    cell = np.repeat(np.arange(len(cells), dtype=np.int32), cells.weight)
    cell = cell[rng.permutation(len(cell))]
    others = {name: codes[cell] for name, codes in cells.others.items()}
    return Cells(np.ascontiguousarray(cells.quasi[:, cell]), others, np.ones(len(cell), np.int64)), cell
