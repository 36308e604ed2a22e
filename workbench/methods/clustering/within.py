"""Clusters within a threshold (Loukides & Shao 2008, algorithm 1), and where the records of rejected ones go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.base import cluster_kernels as kernels
from workbench.base.errors import Unsatisfiable
from workbench.data.table import Table
from workbench.methods.clustering import trial
from workbench.methods.clustering.begun import NOBODY, Follower, going_on, share_begun
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
    known, entries = _ready(table, method, model, seed)
    entries, starts = _parted(table, known, entries)
    with going_on(table, known, model, seed, entries) as begun:
        return _within(table, method, known, entries, starts, model, begun).mended(table, model)


def seconds(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> float:
    """About how long that takes, when the thresholds are known."""
    known, entries = _ready(table, method, model, seed)
    parts = None if method.size is None else 2 * method.size
    left = 1 - share_begun(table, known, model, seed)

    def cluster(few: Entries) -> Clusters:
        return _within(table, method, known, *_parted(table, known, few), model)

    floor = model.floor if model else 1
    return left ** (2 if parts is None else 1) * trial.seconds_by_few(entries, cluster, floor, parts)


def _ready(
    table: Table, method: ThresholdClustering, model: Model | None, seed: int
) -> tuple[ThresholdClustering, Entries]:
    """The method with its thresholds, and what is clustered."""
    table.engine.require_memory("threshold clustering takes records one by one", "use Mondrian")
    entries = Entries.of_cells if method.size is None else Entries.of_records
    return method.chosen(table, model, seed), entries(table, table.cells(), seed)


def _parted(table: Table, known: ThresholdClustering, entries: Entries) -> tuple[Entries, np.ndarray]:
    """The entries part by part, and where each part begins and the last one ends."""
    if known.size is None:
        return entries, np.array([0, len(entries)])
    return in_parts(table, entries, known.size, known.range, known.r, known.part_delta)


def _within(
    table: Table,
    method: ThresholdClustering,
    known: ThresholdClustering,
    entries: Entries,
    starts: np.ndarray,
    model: Model | None,
    begun: Follower = NOBODY,
) -> Clusters:
    assert known.delta is not None
    paid, asked = prices(table, known), method.delta is not None
    return within(table, entries, starts, paid, known.delta, model, near_by(known), asked, begun)


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
    begun: Follower = NOBODY,
) -> Clusters:
    """Clusters of each part starts[i]:starts[i + 1] that keep the model, with the records of the others.

    A seed is the first record left of its part. No look is taken at `delta` when a record of a rejected cluster goes to
    the cheapest one, of so many `near` by. A delta that was `asked` for is refused if no cluster within it keeps the
    model; one that a sample proposed is not, and the clusters then keep it by being dissolved into each other.
    """
    found = Clusters.in_order(entries, *_grown(entries, starts, prices, delta, begun))
    if asked and not found.kept(table, model).any():
        raise Unsatisfiable(
            f"no cluster within delta = {delta:g} keeps {model}; take a larger delta or larger parts, or none: then "
            "a sample chooses one"
        )
    return dissolved(table, found, model, prices, near)


def _grown(
    entries: Entries, starts: np.ndarray, prices: Prices, delta: float, begun: Follower = NOBODY
) -> tuple[np.ndarray, np.ndarray]:
    """The entries that were taken, part after part and cluster after cluster, and the sizes of clusters."""
    limit = round(delta * WHOLE) + len(entries.codes) + prices.names  # each column's price is rounded
    growth, large = Growth(entries, prices, begun), np.diff(starts) > SMALL
    ends = np.append(np.flatnonzero(np.diff(large)) + 1, len(large))
    for first, last in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        if not large[first]:
            growth.in_parts(starts[first : last + 1], limit)
            continue
        for part in range(first, last):
            growth.look_at(int(starts[part]), int(starts[part + 1]))
            while (seed := growth.first()) is not None:
                growth.begin(seed)
                growth.extend(kernels.MOST, limit)
    return growth.taken, growth.sizes
