"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006): halve classes, attribute by attribute, as long as the model holds."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.variants import Plain, parameter
from workbench.data.table import Table
from workbench.methods import Method, suppress
from workbench.methods.mondrian import splitters
from workbench.methods.mondrian.first_cuts import in_parts
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.relaxed import dealt
from workbench.methods.mondrian.search import classes_of_entries
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.partition import Bucketized, Partition
from workbench.workloads.workload import Workload


@dataclass(frozen=True)
class Mondrian(Method):
    split: str = parameter(
        "widest", "which attribute is cut: the widest, the one that tells most, the one whose values repeat most or "
        "least in a class, in an order, or as hurts a workload least", choices=tuple(splitters.GOES_WITH),
    )  # fmt: skip
    target: str | None = parameter(None, "the column that information gain is about", column=True)
    cuts: str = parameter(
        "all", "information gain: try every cut; each attribute's best alone; or binary cuts, of text with a hierarchy "
        "too, in the order of its values", choices=("all", "best", "binary"),
    )  # fmt: skip
    strict: bool = parameter(
        True, "equal values stay together; relaxed deals them to both halves", choices=(True, False)
    )
    publish: str = parameter("generalized", "how classes are published", choices=("generalized", "bucketized"))
    suppress: float = suppress()
    recode: str = parameter(
        "regions", "what a class shows: the smallest ranges that hold its records, or nodes of the hierarchies",
        choices=("regions", "levels"), optional=True,
    )  # fmt: skip
    order: tuple[str, ...] | None = parameter(
        None, "split = order: what is cut as long as it can be, then what is cut next", columns=True, optional=True
    )
    workload: str | Plain | Workload | None = parameter(
        None, "split = workload: the queries that are to be hurt least", workload=True, optional=True
    )
    median: str = parameter(
        "lower",
        "which half the values at the median go to: the lower one, or the one that makes both more alike in size",
        choices=("lower", "even"),
        optional=True,
    )
    name = "mondrian"

    def __post_init__(self) -> None:
        super().__post_init__()
        splitters.require_together(self)

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None:
            splitters.require_quasi(table, self.order or ())

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if not table.engine.cells_fit and splitters.by_counts(self, table):
            return in_parts(self, table, model)
        others = splitters.neutral_columns(self, table)
        cells = table.cells(others)
        pieces, entries = None, cells
        if not self.strict:
            table.engine.require_memory("a relaxed Mondrian deals records one by one", "use the strict one")
            entries, cell = dealt(cells, seed)
            pieces = (cell, entries.weight)
        levels = Levels.of(table, exact=self.publish == "bucketized") if self.recode == "levels" else None
        group = classes_of_entries(self, table, entries, model, levels)
        if self.publish == "bucketized":
            return Bucketized(table, cells, group, others=others, parts=pieces)
        shown = levels.shown(cells, group) if levels else {}
        return Partition(table, cells, group, others=others, parts=pieces, **shown)
