"""Entries, prices and clusters: what is grouped, what groups cost, and the result as classes and as a release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.base import cell_kernels
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.published import enclosing_nodes, published_levels, published_runs
from workbench.data.settings import level_range, weights_of_quasi
from workbench.data.table import Table
from workbench.measures.diversity import contributions, is_measured_in_widths, nodes, q_diversity
from workbench.methods.clustering.kernels import NODES, VALUES, WIDTH
from workbench.methods.mondrian.levels import Levels
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.partition import Bucketized, Partition

# Entries, the units of clustering: identical records together, in an order that cannot be reconstructed.


@dataclass(frozen=True, eq=False)
class Entries:
    """Entry i is `records[i]` records of cell `cell[i]`. Among equally good entries the earlier one wins.

    The order is derived from the seed and from the data, which only the analyst has. So an attacker who knows the code
    and guesses the seed cannot replay which records share a cluster.
    """

    codes: np.ndarray  # attributes x entries
    values: dict[str, np.ndarray]
    records: np.ndarray
    cell: np.ndarray

    @classmethod
    def of_cells(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """Return one entry per cell."""
        order = np.random.default_rng([seed, cells.digest]).permutation(len(cells))
        return cls._from_cells(table, cells, order, cells.weight[order])

    @classmethod
    def of_records(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """Return one entry per record."""
        rng = np.random.default_rng([seed, cells.digest])
        cell = np.repeat(np.arange(len(cells)), cells.weight)
        return cls._from_cells(table, cells, cell[rng.permutation(len(cell))], np.ones(len(cell), np.int64))

    @classmethod
    def _from_cells(cls, table: Table, cells: Cells, cell: np.ndarray, records: np.ndarray) -> Entries:
        values = {name: cells.others[name][cell] for name in table.sensitive}
        codes = np.ascontiguousarray(cells.quasi[:, cell], np.int32)
        return cls(codes, values, records.astype(np.int64), cell.astype(np.int32))

    def __len__(self) -> int:
        return len(self.records)

    def take(self, chosen: np.ndarray) -> Entries:
        """Return the chosen entries in that order; entries may repeat."""
        values = {name: column[chosen] for name, column in self.values.items()}
        return Entries(np.ascontiguousarray(self.codes[:, chosen]), values, self.records[chosen], self.cell[chosen])

    def first_values(self, columns: int) -> np.ndarray:
        """Return the values of the first sensitive columns, columns x entries."""
        found = np.zeros((columns, len(self)), np.int32)
        for s, column in enumerate(list(self.values.values())[:columns]):
            found[s] = column
        return found


def publish() -> Any:
    """Return the parameter that chooses how clusters are published."""
    return parameter("generalized", "how clusters are published", choices=("generalized", "bucketized"), optional=True)


def recode() -> Any:
    """Return the parameter that chooses what a cluster publishes."""
    return parameter(
        "regions",
        "what a cluster publishes: the smallest ranges or sets that contain its records, or nodes of the hierarchies",
        choices=("regions", "levels"),
        optional=True,
    )


def in_sets(table: Table) -> frozenset[str]:
    """Return the quasi-identifiers that clusters publish as sets of values.

    These are the text columns without a hierarchy: their values have no order.
    """
    columns = (table.columns[name] for name in table.quasi)
    return frozenset(column.name for column in columns if column.kind == "text" and column.hierarchy is None)


@dataclass(frozen=True, eq=False)
class Clusters:
    """Record i belongs to entry `entry[i]` and cluster `number[i]`."""

    entries: Entries
    entry: np.ndarray
    number: np.ndarray

    @classmethod
    def from_sizes(cls, entries: Entries, taken: np.ndarray, sizes: np.ndarray) -> Clusters:
        """Return clusters of records that are listed cluster by cluster."""
        return cls(entries, taken, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))

    def __len__(self) -> int:
        return int(self.number.max()) + 1 if len(self.number) else 0

    def classes(self, table: Table, model: Model | None, regions: bool = False) -> Classes:
        """Return the clusters as classes for the model, with regions if the model or the caller needs them."""
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
        found = Classes(sizes, histograms, seen, low, high, sets=sets)
        if model is None or not model.needs_population:
            return found
        low, high = published_runs(table, low, high, in_sets(table))  # labels decide which people a cluster covers
        levels = published_levels(table, count)
        return replace(found, low=low, high=high, population=table.population, levels=levels)

    def satisfies(self, table: Table, model: Model | None) -> np.ndarray:
        """Return for each cluster whether it satisfies the model."""
        return np.ones(len(self), bool) if model is None else model.holds(self.classes(table, model))

    def merge_violating(self, table: Table, model: Model | None) -> Clusters:
        """Merge each cluster that violates the model with the one that grows least, until all satisfy it."""
        if model is None or self.satisfies(table, model).all():
            return self
        classes, number = self.classes(table, model, regions=True), np.arange(len(self))
        while len(classes) > 1 and len(broken := np.flatnonzero(~model.holds(classes))):
            joined = _merge_each(table, classes, broken)
            classes, number = classes.merged(joined), joined[number]
        return Clusters(self.entries, self.entry, number[self.number].astype(np.int32))

    def release(self, table: Table, cells: Cells, publish: str, recode: str = "regions") -> Partition:
        """Return the release that publishes the clusters as classes."""
        if recode == "levels":
            Levels.from_table(
                table, exact=publish == "bucketized"
            )  # raises if buckets would show values below the allowed levels
        key = self.number.astype(np.int64) * len(cells) + self.entries.cell[self.entry]
        found, records = np.unique(key, return_counts=True)
        group, cell = (part.astype(np.int32) for part in np.divmod(found, len(cells)))
        parts = None
        if len(found) == len(cells):  # no cell is divided
            group = group[np.argsort(cell)]
        else:
            parts = cell, records
        if publish == "bucketized":
            return Bucketized(table, cells, group, parts=parts)
        if recode == "levels":
            classes = self.classes(table, None, regions=True)
            assert classes.low is not None and classes.high is not None
            lowest = {name: level_range(table, name)[0] for name in table.quasi}
            return Partition(
                table,
                cells,
                group,
                parts=parts,
                runs=smallest_nodes(table, classes.low, classes.high),
                label_levels=lowest,
            )
        return Partition(table, cells, group, parts=parts, sets=in_sets(table))


def _merge_each(table: Table, classes: Classes, broken: Iterable[int]) -> np.ndarray:
    """Merge each violating class with another one, and return the new number of every class.

    Each class takes part in at most one merge.
    """
    target, done = np.arange(len(classes)), np.zeros(len(classes), bool)
    now = _shown(table, classes)
    assert classes.low is not None and classes.high is not None
    for b in broken:
        checkpoint("clustering: merging clusters that violate the model")
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
    """Return the sum of the Q-diversities of each class."""
    return np.column_stack([q_diversity(classes, table, a) for a in range(len(table.quasi))]) @ weights_of_quasi(table)


def smallest_nodes(table: Table, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the smallest nodes that contain these runs of codes: classes x quasi-identifiers x (low, high).

    The levels need not nest: the lowest level with a node that contains the run decides.
    """
    found = np.stack([low, high], axis=2)
    for a, name in enumerate(table.quasi):
        ends = enclosing_nodes(table.columns[name], low[:, a], high[:, a], level_range(table, name))
        found[:, a, 0], found[:, a, 1] = ends
    return found


# Prices of what clusters publish, as integer lookup tables for the kernels.

WHOLE = 2**30  # the price of a cluster that shows no detail and has one sensitive value


@dataclass(frozen=True, eq=False)
class Prices:
    """`tables` are those of the cluster kernels; `near` and `scale` belong to the sensitive columns, if these count."""

    tables: tuple[np.ndarray, ...]
    depth: np.ndarray  # the number of levels or values of each attribute
    near: np.ndarray  # sensitive columns x values x values
    scale: np.ndarray  # the cost of S-diversity 1 of each sensitive column

    @classmethod
    def from_table(cls, table: Table, utility: float, protection: float, r: float, by_height: bool = False) -> Prices:
        """Return prices by Q-diversity and S-diversity, or by node heights (Byun et al.); the weights add up to 1."""
        weights = WHOLE * utility * weights_of_quasi(table) / weights_of_quasi(table).sum()
        columns = [table.columns[name] for name in table.quasi]
        made = [_of_column(column, weight, by_height) for column, weight in zip(columns, weights, strict=True)]
        depth = max(len(at) for _, at, _ in made)
        place, begin = np.zeros((len(made), depth), np.int64), 0
        for a, (_, at, _) in enumerate(made):
            place[a, : len(at)] = begin + np.arange(len(at)) * at.shape[1]
            begin += at.size
        tables = (
            np.array([kind for kind, _, _ in made], np.int8),
            np.array([column.size for column in columns], np.int32),
            np.concatenate([at.ravel() for _, at, _ in made]).astype(np.int32),
            np.concatenate([price.ravel() for _, _, price in made]).astype(np.int32),
            place,
        )
        levels = [
            len(at) if kind == NODES else column.size for (kind, at, _), column in zip(made, columns, strict=True)
        ]
        return cls(tables, np.array(levels), *_of_sensitive(table, protection, r))

    @property
    def names(self) -> int:
        """The number of sensitive columns with a weight above 0."""
        return len(self.scale)


def _of_column(column: Column, weight: float, by_height: bool) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the kind of an attribute, and for each level the node and the price of each code."""
    if is_measured_in_widths(column):
        at = column.positions
        return WIDTH, np.zeros((1, column.size)), np.rint(weight * at / (at[-1] or 1.0))[None, :]
    if column.hierarchy is None:
        counts = np.minimum(np.arange(max(column.size, 2) + 1), column.size)
        each = np.rint(weight / max(column.size - by_height, 1))
        return VALUES, np.zeros((1, len(counts))), each * np.maximum(counts - by_height, 0)[None, :]
    at, below = nodes(column)
    kept = _nested(at)
    at, share = at[kept], below[kept] / column.whole
    if by_height:
        share = np.repeat(np.arange(len(at)) / max(len(at) - 1, 1), column.size).reshape(at.shape)
    return NODES, at, np.rint(weight * share)


def _nested(at: np.ndarray) -> list[int]:
    """Return the levels that nest, from the values to the root; skip a level that does not nest in those above."""
    kept = [len(at) - 1]
    for level in reversed(range(len(at) - 1)):
        ends = np.flatnonzero(np.diff(at[kept[-1]]))
        if (np.diff(at[level])[ends] != 0).all():
            kept.append(level)
    return kept[::-1]


def _of_sensitive(table: Table, protection: float, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the contributions of values, padded to the longest column, and the cost of S-diversity 1."""
    names = list(table.sensitive) if protection else []
    most = max((len(table.sensitive[name]) for name in names), default=0)
    near = np.zeros((len(names), most, most))
    for s, name in enumerate(names):
        found = contributions(table, name, r)
        near[s, : len(found), : len(found)] = found
    return near, np.full(len(names), WHOLE * protection / max(len(names), 1))
