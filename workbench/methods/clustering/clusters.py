"""What a clustering comes to: the cluster of each record, as classes that models judge, and as a release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import step
from workbench.base.variants import parameter
from workbench.data.cells import Cells
from workbench.data.table import Table
from workbench.measures.utility.q_diversity import q_diversity
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.nodes import holding
from workbench.methods.mondrian.levels import Levels
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.partition import Bucketized, Partition


def publish() -> Any:
    """The parameter of clusterings that says how clusters are published."""
    return parameter("generalized", "how clusters are published", choices=("generalized", "bucketized"), optional=True)


def recode() -> Any:
    """The parameter of clusterings that says what a cluster shows."""
    return parameter(
        "regions",
        "what a cluster shows: the smallest ranges or sets that hold its records, or nodes of the hierarchies",
        choices=("regions", "levels"),
        optional=True,
    )


def in_sets(table: Table) -> frozenset[str]:
    """The quasi-identifiers of which a cluster shows its values one by one: text without a hierarchy has no order."""
    columns = (table.columns[name] for name in table.quasi)
    return frozenset(column.name for column in columns if column.kind == "text" and column.hierarchy is None)


@dataclass(frozen=True, eq=False)
class Clusters:
    """Record i is one of entry `entry[i]`, and in cluster `number[i]`."""

    entries: Entries
    entry: np.ndarray
    number: np.ndarray

    @classmethod
    def in_order(cls, entries: Entries, taken: np.ndarray, sizes: np.ndarray) -> Clusters:
        """Records that were taken cluster after cluster."""
        return cls(entries, taken, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))

    def __len__(self) -> int:
        return int(self.number.max()) + 1 if len(self.number) else 0

    def classes(self, table: Table, model: Model | None, regions: bool = False) -> Classes:
        """The clusters as this model sees them; with what they show where it, or who asks, looks at regions."""
        count, ones = len(self), np.ones(len(self.entry), np.int64)
        seen = table.sensitive if model is not None and model.needs_sensitive else {}
        histograms = {
            name: cell_kernels.histogram(self.number, self.entries.values[name][self.entry], ones, count, len(one))
            for name, one in seen.items()
        }
        sizes = np.bincount(self.number, minlength=count)
        if not regions and (model is None or not model.needs_population):
            return Classes(sizes, histograms, seen)
        low, high = cell_kernels.ranges(self.number, self.entry, self.entries.codes, count)
        sets = {}
        for a, name in enumerate(table.quasi):
            if name in in_sets(table):
                sets[a] = np.zeros((count, table.columns[name].size), bool)
                sets[a][self.number, self.entries.codes[a][self.entry]] = True
        people = table.population if model is not None and model.needs_population else None
        return Classes(sizes, histograms, seen, low, high, sets=sets, population=people)

    def kept(self, table: Table, model: Model | None) -> np.ndarray:
        """Which clusters keep the model."""
        return np.ones(len(self), bool) if model is None else model.holds(self.classes(table, model))

    def mended(self, table: Table, model: Model | None) -> Clusters:
        """Each cluster that breaks the model is joined with the one that grows least by it, until all keep it."""
        if model is None or self.kept(table, model).all():
            return self
        classes, number = self.classes(table, model, regions=True), np.arange(len(self))
        while len(classes) > 1 and len(broken := np.flatnonzero(~model.holds(classes))):
            joined = _joined(table, classes, broken)
            classes, number = classes.merged(joined), joined[number]
        return Clusters(self.entries, self.entry, number[self.number].astype(np.int32))

    def release(self, table: Table, cells: Cells, publish: str, recode: str = "regions") -> Partition:
        """The clusters as classes."""
        if recode == "levels":
            Levels.of(table, exact=publish == "bucketized")  # refuses what buckets would show
        key = self.number.astype(np.int64) * len(cells) + self.entries.cell[self.entry]
        found, records = np.unique(key, return_counts=True)
        group, cell = (part.astype(np.int32) for part in np.divmod(found, len(cells)))
        parts = None
        if len(found) == len(cells):  # no cell is cut through
            group = group[np.argsort(cell)]
        else:
            parts = cell, records
        if publish == "bucketized":
            return Bucketized(table, cells, group, parts=parts)
        if recode == "levels":
            classes = self.classes(table, None, regions=True)
            assert classes.low is not None and classes.high is not None
            lowest = {name: table.level_range(name)[0] for name in table.quasi}
            return Partition(
                table, cells, group, parts=parts, runs=holding(table, classes.low, classes.high), label_levels=lowest
            )
        return Partition(table, cells, group, parts=parts, sets=in_sets(table))


def _joined(table: Table, classes: Classes, broken: Iterable[int]) -> np.ndarray:
    """The number of each class after each broken one has been joined with another, once at most."""
    target, done = np.arange(len(classes)), np.zeros(len(classes), bool)
    now = _shown(table, classes)
    assert classes.low is not None and classes.high is not None
    for b in broken:
        step("clustering: joining clusters that break the model")
        if done[b]:
            continue
        with_b = Classes(
            classes.sizes, {}, {}, np.minimum(classes.low, classes.low[b]), np.maximum(classes.high, classes.high[b]),
            sets={a: held | held[b] for a, held in classes.sets.items()},
        )  # fmt: skip
        grows = _shown(table, with_b) - now
        grows[b] = np.inf
        other = int(np.argmin(grows))
        target[b], done[b], done[other] = target[other], True, True
    return np.unique(target, return_inverse=True)[1]


def _shown(table: Table, classes: Classes) -> np.ndarray:
    """What each class shows: its Q-diversities added up."""
    return np.column_stack([q_diversity(classes, table, a) for a in range(len(table.quasi))]) @ table.weights_of_quasi
