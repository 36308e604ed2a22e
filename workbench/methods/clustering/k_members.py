"""The search of k-member clustering: begin far away, take the cheapest, until the model holds."""

from __future__ import annotations

import numpy as np

from workbench.data.table import Table
from workbench.methods.clustering.begun import NOBODY, Follower
from workbench.methods.clustering.clusters import Clusters
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.growth import Growth
from workbench.methods.clustering.placing import dissolved
from workbench.methods.clustering.prices import Prices
from workbench.models import Model


def k_members(
    table: Table, entries: Entries, paid: Prices, shown: Prices, model: Model, begun: Follower = NOBODY
) -> Clusters:
    """Clusters that keep the model by what is `paid`; what is far is told by what is `shown`.

    The records that make no cluster any more go to the cheapest, one after the other as they stand.
    """
    growth = Growth(entries, paid, begun)
    sizes = growth.sizes.tolist()
    last = entries.codes[:, growth.taken[-1] if sizes else 0]
    while growth.left >= model.floor and growth.left:
        growth.begin(growth.farthest_from(last, shown))
        whole = growth.extend(model.floor)
        while whole and not keeps(table, entries, growth.open, model):
            whole = growth.extend(len(growth.open) + 1)
        if not whole and sizes:
            break
        last = entries.codes[:, growth.open[-1]]
        sizes.append(len(growth.open))
    taken = growth.taken[: sum(sizes)]
    rest = np.repeat(
        np.arange(len(entries), dtype=np.int32), entries.records - np.bincount(taken, minlength=len(entries))
    )
    if len(rest):
        taken, sizes = np.append(taken, rest), [*sizes, len(rest)]
    found = Clusters.in_order(entries, taken, np.array(sizes))
    return dissolved(table, found, model, paid) if len(rest) else found


def keeps(table: Table, entries: Entries, taken: np.ndarray, model: Model) -> bool:
    """Whether these records as one class keep the model."""
    return bool(Clusters(entries, taken, np.zeros(len(taken), np.int32)).kept(table, model)[0])
