"""Threshold-based greedy clustering (Loukides & Shao 2008)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.measures.diversity import contributions, q_diversity, s_diversity
from workbench.methods import Method
from workbench.methods.clustering import kernels
from workbench.methods.clustering.clusters import WHOLE, Clusters, Entries, Prices, publish, recode
from workbench.methods.clustering.growth import Growth, dissolve_violating, prepartition
from workbench.models import Model
from workbench.releases.base import Release

# Clusters within a threshold (Loukides & Shao 2008, algorithm 1), and what happens to records of rejected ones.

SMALL, NEAR = 4096, 512


def clustered(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> Clusters:
    """Return clusters that satisfy the model; unset thresholds are estimated from a sample."""
    known, entries = _ready(table, method, model, seed)
    entries, starts = _parted(table, known, entries)
    return _within(table, method, known, entries, starts, model).merge_violating(table, model)


def _ready(
    table: Table, method: ThresholdClustering, model: Model | None, seed: int
) -> tuple[ThresholdClustering, Entries]:
    """Return the method with its thresholds, and the entries to cluster."""
    table.engine.require_memory("threshold clustering processes records one by one", "use Mondrian")
    entries = Entries.of_cells if method.size is None else Entries.of_records
    return method.chosen(table, model, seed), entries(table, table.cells(), seed)


def _parted(table: Table, known: ThresholdClustering, entries: Entries) -> tuple[Entries, np.ndarray]:
    """Return the entries part by part, and the bounds of the parts."""
    if known.size is None:
        return entries, np.array([0, len(entries)])
    return prepartition(table, entries, known.size, known.range, known.r, known.part_delta)


def _within(
    table: Table,
    method: ThresholdClustering,
    known: ThresholdClustering,
    entries: Entries,
    starts: np.ndarray,
    model: Model | None,
) -> Clusters:
    assert known.delta is not None
    paid, limited = prices(table, known), method.delta is not None
    return within(table, entries, starts, paid, known.delta, model, near_by(known), limited)


def prices(table: Table, method: ThresholdClustering) -> Prices:
    """Return the prices by the weights of a method; without sensitive columns only utility counts."""
    protection = method.protection if table.sensitive else 0.0
    if not method.utility + protection:
        raise Unsatisfiable(f"{method.name}: the table has no sensitive column to protect; set utility above 0")
    whole = method.utility + protection
    return Prices.from_table(table, method.utility / whole, protection / whole, method.r)


def near_by(method: ThresholdClustering) -> int | None:
    """Return the number of clusters to which a record of a rejected cluster may move; None: all."""
    return NEAR if method.near is None and method.size is not None else method.near


def within(
    table: Table,
    entries: Entries,
    starts: np.ndarray,
    prices: Prices,
    delta: float,
    model: Model | None,
    near: int | None = None,
    limited: bool = True,
) -> Clusters:
    """Cluster each part starts[i]:starts[i + 1], and dissolve the clusters that violate the model.

    A seed is the first remaining record of its part. `delta` does not apply to records of rejected clusters, which move
    to the cheapest of `near` clusters. If no cluster within delta satisfies the model, the user's delta (`limited`) is
    refused; a delta from a sample is not, and the clusters are dissolved into each other until they satisfy the model.
    """
    found = Clusters.from_sizes(entries, *_grown(entries, starts, prices, delta))
    if limited and not found.satisfies(table, model).any():
        raise Unsatisfiable(
            f"no cluster within delta = {delta:g} satisfies {model}; use a larger delta or larger parts, or leave "
            "delta empty to estimate it from a sample"
        )
    return dissolve_violating(table, found, model, prices, near)


def _grown(entries: Entries, starts: np.ndarray, prices: Prices, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries that were taken, cluster by cluster, and the sizes of the clusters."""
    limit = round(delta * WHOLE) + len(entries.codes) + prices.names  # allows for the rounding of each column's price
    growth, large = Growth(entries, prices), np.diff(starts) > SMALL
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
    return growth.taken_entries, growth.sizes


SHARE, MOST = 0.025, 1000  # share of the records in the sample, and the largest sample
CLUSTERS = 20  # the sample has enough records for so many minimal clusters, if the table has
ROUNDS = 5


def thresholds(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> tuple[float, float]:
    """Return the largest weighted tuple diversity of a cluster, and the largest S-diversity of a part.

    The first minimizes the sum of UM and protection on the sample, unless it is given; the second is the protection of
    the sample under it.
    """
    entries = sample(table, model, seed)
    costs, starts = prices(table, method), np.array([0, len(entries)])

    def tried(delta: float) -> tuple[float, float, float]:
        checkpoint("clustering: choosing thresholds on a sample")
        try:
            found = within(table, entries, starts, costs, delta, model, near_by(method))
        except Unsatisfiable:
            return np.inf, delta, 0.0
        utility, protection = quality(table, found, method.r)
        return utility + protection, delta, protection

    best = min(tried(delta) for delta in ([*deltas()] if method.delta is None else [method.delta]))
    if method.delta is None:
        best = min([best, *(tried(best[1] + side / 2 ** (ROUNDS + 2)) for side in (-1, 1))])
    if not np.isfinite(best[0]):
        raise Unsatisfiable(
            f"{method.name}: no cluster of a sample of {len(entries):,} records satisfies {model}; set both deltas"
        )
    return best[1:]


def deltas() -> Iterator[float]:
    """Yield the midpoints of 2, 4, 8... equal parts of the interval from 0 to 1."""
    for i in range(1, ROUNDS + 1):
        yield from ((2 * j + 1) / 2 ** (i + 1) for j in range(2**i))


def sample(table: Table, model: Model | None, seed: int) -> Entries:
    """Draw records with replacement: a fortieth of them, at most 1,000, and enough for twenty clusters."""
    cells, floor = table.cells(), model.min_class_size if model else 1
    size = max(min(int(SHARE * table.records), MOST), min(CLUSTERS * floor, table.records))
    drawn = np.random.default_rng([seed, cells.digest, 1]).integers(table.records, size=size)
    return Entries.of_records(table, cells, seed).take(drawn)


def quality(table: Table, clusters: Clusters, r: float) -> tuple[float, float]:
    """Return UM and protection of clusters: means over clusters of sums over columns."""
    classes = clusters.classes(table, None, regions=True)
    shown = np.column_stack([q_diversity(classes, table, a) for a in range(len(table.quasi))]) @ weights_of_quasi(table)
    protection = 0.0
    for name, seen in table.sensitive.items():
        counts = np.zeros((len(clusters), len(seen)))
        np.add.at(counts, (clusters.number, clusters.entries.values[name][clusters.entry]), 1)
        diversity = s_diversity(counts / classes.sizes[:, None], contributions(table, name, r))
        protection += float(diversity.mean())
    return float(shown.mean()), protection


@dataclass(frozen=True)
class ThresholdClustering(Method):
    """A cluster grows by the record that adds least weighted tuple diversity, as long as that is within delta.

    A cluster that satisfies the model is final. Every other cluster is dissolved, unless it has received enough records
    to satisfy the model by its turn: its records move to the cheapest cluster nearby, one by one. With a `size` the
    records are partitioned at medians first. The weights are relative: 1 and 0 are the paper's TGCU, 0 and 1 its TGCP,
    equal weights its TGCB.
    """

    utility: float = parameter(0.5, "weight of the utility loss", low=0, high=1)
    protection: float = parameter(
        0.5, "weight of what clusters reveal about sensitive values", low=0, high=1, against="utility"
    )
    r: float = parameter(
        0.5, "the range within which a value is estimated, as a share of the column's range", low=0, high=1
    )
    delta: float | None = parameter(
        None,
        "the largest diversity of a cluster; none: estimated from a sample",
        low=0,
        high=1,
        type=float,
        optional=True,
    )
    size: int | None = parameter(
        None, "minimum number of records per part, 5 k is enough; none: one part", low=1, type=int, optional=True
    )
    part_delta: float | None = parameter(
        None, "the largest S-diversity of a part; none: estimated from a sample", low=0, type=float, optional=True
    )
    range: str = parameter(
        "normalised",
        "which column is halved: the widest as a share of its domain, or in its own units",
        choices=("normalised", "raw"),
        optional=True,
    )
    near: int | None = parameter(
        None,
        "nearby clusters that may receive leftover records; none: all, or 512 with parts",
        low=2,
        type=int,
        optional=True,
    )
    publish: str = publish()
    recode: str = recode()
    name = "threshold clustering"
    title = "Threshold-based greedy clustering (Loukides & Shao 2008)"
    summary = "a weight on utility, another on protection, a threshold"
    overlapping = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.utility and not self.protection:
            raise BadInput("threshold clustering: utility and protection are both 0; set one of them above 0")

    def chosen(self, table: Table, model: Model | None = None, seed: int = 0) -> ThresholdClustering:
        """Return this method with unset thresholds estimated from a sample."""
        parts = self.size is not None and bool(table.sensitive)
        if self.delta is not None and (self.part_delta is not None or not parts):
            return self
        key = ("thresholds", replace(self, publish="generalized"), model, seed)
        proposed = table.remember(key, lambda: thresholds(table, self, model, seed))
        delta, part_delta = (
            new if old is None else old for old, new in zip((self.delta, self.part_delta), proposed, strict=True)
        )
        return replace(self, delta=delta, part_delta=part_delta if parts else self.part_delta)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        return clustered(table, self, model, seed).release(table, table.cells(), self.publish, self.recode)
