"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import Column, Columns, Plain, WorkloadChoice, parameter
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.methods import Method, suppress
from workbench.methods.mondrian import search
from workbench.methods.mondrian.levels import Levels
from workbench.methods.mondrian.out_of_core import in_parts
from workbench.methods.mondrian.search import classes_of_entries
from workbench.models import Model
from workbench.queries.workload import Workload
from workbench.releases.base import Release
from workbench.releases.partition import Bucketized, Partition


@dataclass(frozen=True)
class Mondrian(Method):
    split: str = parameter(
        "widest", "which attribute is cut: the widest, the one with the largest information gain, the one whose values "
        "repeat most or least in a class, by an order, or the one that hurts a workload least",
        choices=tuple(search.GOES_WITH),
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
        search.require_compatible(self)

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None:
            search.require_quasi(table, self.order or ())

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if not table.engine.cells_fit and search.by_counts(self, table):
            return in_parts(self, table, model)
        others = search.neutral_columns(self, table)
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
