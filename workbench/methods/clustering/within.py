"""Clusters within a threshold (Loukides & Shao 2008, algorithm 1), and where the records of rejected ones go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.data.table import Table
from workbench.methods.clustering import trial
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.growth import Growth
from workbench.methods.clustering.parts import in_parts
from workbench.methods.clustering.placing import dissolved
from workbench.methods.clustering.prices import WHOLE, Prices
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.clustering.threshold_clustering import ThresholdClustering

SMALL, NEAR = 4096, 512


def clustered(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> Clusters:
    """Clusters that keep the model, within thresholds that a sample proposes where none are given."""
    entries, cluster = _ready(table, method, model, seed)
    return cluster(entries).mended(table, model)


def seconds(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> float:
    """About how long that takes, when the thresholds are known."""
    entries, cluster = _ready(table, method, model, seed)
    parts = None if method.size is None else 2 * method.size
    return trial.seconds(entries, cluster, model.floor if model else 1, parts)


def _ready(
    table: Table, method: ThresholdClustering, model: Model | None, seed: int
) -> tuple[Entries, Callable[[Entries], Clusters]]:
    """What is clustered, and how: all of it, or a part."""
    table.engine.require_memory("threshold clustering takes records one by one", "use Mondrian")
    known, cells = method.chosen(table, model, seed), table.cells()
    paid = prices(table, known)

    def cluster(entries: Entries) -> Clusters:
        starts = np.array([0, len(entries)])
        if known.size is not None:
            entries, starts = in_parts(table, entries, known.size, known.range, known.r, known.part_delta)
        assert known.delta is not None
        return within(table, entries, starts, paid, known.delta, model, near_by(known), method.delta is not None)

    return (Entries.of_cells if known.size is None else Entries.of_records)(table, cells, seed), cluster


def prices(table: Table, method: ThresholdClustering) -> Prices:
    """By the weights of a method; where nothing is sensitive, utility alone counts."""
    protection = method.protection if table.sensitive else 0.0
    if not method.utility + protection:
        raise Unsatisfiable(f"{method.name}: the table has no sensitive column to protect; give utility a weight")
    whole = method.utility + protection
    return Prices.of(table, method.utility / whole, protection / whole, method.r)


def near_by(method: ThresholdClustering) -> int | None:
    """How many clusters a record of a rejected one may go to; None: all."""
    return NEAR if method.near is None and method.size is not None else method.near


def within(
    table: Table,
    entries: Entries,
    starts: np.ndarray,
    prices: Prices,
    delta: float,
    model: Model | None,
    near: int | None = None,
    asked: bool = True,
) -> Clusters:
    """Clusters of each part starts[i]:starts[i + 1] that keep the model, with the records of the others.

    A seed is the first record left of its part. No look is taken at `delta` when a record of a rejected cluster goes to
    the cheapest one, of so many `near` by. A delta that was `asked` for is refused if no cluster within it keeps the
    model; one that a sample proposed is not, and the clusters then keep it by being dissolved into each other.
    """
    found = Clusters.in_order(entries, *_grown(entries, starts, prices, delta))
    if asked and not found.kept(table, model).any():
        raise Unsatisfiable(
            f"no cluster within delta = {delta:g} keeps {model}; take a larger delta or larger parts, or none: then "
            "a sample chooses one"
        )
    return dissolved(table, found, model, prices, near)


def _grown(entries: Entries, starts: np.ndarray, prices: Prices, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """The entries that were taken, cluster after cluster, and the sizes of clusters: those of large parts come last."""
    limit = round(delta * WHOLE) + len(entries.codes) + prices.names  # each column's price is rounded
    large = np.flatnonzero(np.diff(starts) > SMALL)
    if not len(large):
        growth = Growth(entries, prices)
        growth.in_parts(starts, limit)
        return growth.taken, growth.sizes
    small, taken, sizes = np.ones(len(entries), bool), list[np.ndarray](), list[np.ndarray]()
    for part in large.tolist():
        small[starts[part] : starts[part + 1]] = False
    lengths = np.delete(np.diff(starts), large)
    if len(lengths):
        rest = np.flatnonzero(small)
        growth = Growth(entries.take(rest), prices)
        growth.in_parts(np.append(0, np.cumsum(lengths)), limit)
        taken.append(rest[growth.taken])
        sizes.append(growth.sizes)
    for part in large.tolist():
        inside = np.arange(starts[part], starts[part + 1])
        growth = Growth(entries.take(inside), prices)
        while growth.left:
            growth.begin(growth.first())
            growth.extend(growth.left + len(growth.open) + 1, limit)
        taken.append(inside[growth.taken])
        sizes.append(growth.sizes)
    return np.concatenate(taken).astype(np.int32), np.concatenate(sizes)
