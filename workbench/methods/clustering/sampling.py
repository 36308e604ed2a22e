"""Thresholds by a sample (Loukides & Shao 2008, algorithm 3): those of the best clustering of a few records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import Unsatisfiable
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.measures.privacy.s_diversity import contributions, s_diversity
from workbench.measures.utility.q_diversity import q_diversity
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.within import near_by, prices, within
from workbench.models import Model

if TYPE_CHECKING:
    from workbench.methods.clustering.threshold_clustering import ThresholdClustering

SHARE, MOST = 0.025, 1000  # of the records that are sampled
CLUSTERS = 20  # of the fewest records that keep the model, which the sample has at least, as far as there are records
ROUNDS = 5


def thresholds(table: Table, method: ThresholdClustering, model: Model | None, seed: int) -> tuple[float, float]:
    """The largest weighted tuple diversity of a cluster, and the largest S-diversity of a part.

    The first is that of which UM and protection of the sample add up to the least, unless it is given; the second is
    the protection of the sample then.
    """
    entries = sample(table, model, seed)
    costs, starts = prices(table, method), np.array([0, len(entries)])

    def tried(delta: float) -> tuple[float, float, float]:
        step("clustering: a sample proposes the thresholds")
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
            f"{method.name}: of a sample of {len(entries):,} records no cluster keeps {model}; give both deltas"
        )
    return best[1:]


def deltas() -> Iterator[float]:
    """The middles of 2, 4, 8... equal parts of 0 to 1; of the next, smaller ones only the two beside the best count."""
    for i in range(1, ROUNDS + 1):
        yield from ((2 * j + 1) / 2 ** (i + 1) for j in range(2**i))


def sample(table: Table, model: Model | None, seed: int) -> Entries:
    """Records drawn with replacement: a fortieth of them, no more than a thousand, enough for twenty clusters."""
    cells, floor = table.cells(), model.floor if model else 1
    size = max(min(int(SHARE * table.records), MOST), min(CLUSTERS * floor, table.records))
    drawn = np.random.default_rng([seed, cells.digest, 1]).integers(table.records, size=size)
    return Entries.of_records(table, cells, seed).take(drawn)


def quality(table: Table, clusters: Clusters, r: float) -> tuple[float, float]:
    """UM and protection of clusters: means over them of sums over columns."""
    classes = clusters.classes(table, None, regions=True)
    shown = np.column_stack([q_diversity(classes, table, a) for a in range(len(table.quasi))]) @ table.weights_of_quasi
    told = 0.0
    for name, seen in table.sensitive.items():
        counts = np.zeros((len(clusters), len(seen)))
        np.add.at(counts, (clusters.number, clusters.entries.values[name][clusters.entry]), 1)
        diversity = s_diversity(counts / classes.sizes[:, None], contributions(table, name, r))
        told += float(diversity.mean())
    return float(shown.mean()), told
