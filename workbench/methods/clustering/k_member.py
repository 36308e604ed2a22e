"""k-member clustering (Byun, Kamra, Bertino & Li 2007): clusters of k records, each grown as cheaply as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering.clusters import Clusters, Entries, Prices, publish, recode
from workbench.methods.clustering.growth import Growth, dissolve_violating
from workbench.methods.keep import Keep
from workbench.models import Model
from workbench.releases.base import Release


@dataclass(frozen=True)
class KMember(Method):
    """Each cluster starts with the record farthest from the last one added, and grows until the model holds.

    The cost of a record is what the published values of the grown cluster cost all its records: the width of numbers,
    the height of the smallest node of a hierarchy, or the number of further values without a hierarchy. With
    `protection` (the k-members-p of Loukides & Shao) the cost is S-diversity; quasi-identifiers still decide which
    record is farthest. Remaining records, too few for a cluster, go to the cheapest cluster.
    """

    objective: str = parameter(
        "utility",
        "what clusters minimize: the utility loss, or what they reveal about sensitive values",
        choices=("utility", "protection"),
    )
    r: float = parameter(0.5, "protection: the range within which a value is estimated", low=0, high=1, optional=True)
    publish: str = publish()
    recode: str = recode()
    name = "k-member"
    title = "k-member clustering (Byun, Kamra, Bertino & Li 2007)"
    summary = "clusters of k records, each grown as cheaply as possible"
    overlapping = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if model is None:  # every record is a cluster of its own
            return Keep().release(table, None, seed)
        table.engine.require_memory("k-member clustering processes records one by one", "use Mondrian")
        cells = table.cells()
        entries = Entries.of_cells(table, cells, seed)
        found = k_members(table, entries, *self._prices(table), model).merge_violating(table, model)
        return found.release(table, cells, self.publish, self.recode)

    def _prices(self, table: Table) -> tuple[Prices, Prices]:
        """Return the prices that choose the next record, and those that choose the farthest record."""
        shown = Prices.from_table(table, 1.0, 0.0, self.r, by_height=True)
        return (shown if self.objective == "utility" else Prices.from_table(table, 0.0, 1.0, self.r)), shown


def k_members(table: Table, entries: Entries, paid: Prices, shown: Prices, model: Model) -> Clusters:
    """Return clusters that satisfy the model; `paid` chooses the next record, `shown` the farthest one.

    Records that are too few for another cluster go to the cheapest cluster, one after the other.
    """
    growth = Growth(entries, paid)
    sizes, last = list[int](), entries.codes[:, 0]
    while growth.left >= model.min_class_size and growth.left:
        growth.begin(growth.most_distant_from(last, shown))
        whole = growth.extend(model.min_class_size)
        while whole and not is_satisfied(table, entries, growth.open, model):
            whole = growth.extend(len(growth.open) + 1)
        if not whole and sizes:
            break
        last = entries.codes[:, growth.open[-1]]
        sizes.append(len(growth.open))
    taken = growth.taken_entries[: sum(sizes)]
    rest = np.repeat(
        np.arange(len(entries), dtype=np.int32), entries.records - np.bincount(taken, minlength=len(entries))
    )
    if len(rest):
        taken, sizes = np.append(taken, rest), [*sizes, len(rest)]
    found = Clusters.from_sizes(entries, taken, np.array(sizes))
    return dissolve_violating(table, found, model, paid) if len(rest) else found


def is_satisfied(table: Table, entries: Entries, taken: np.ndarray, model: Model) -> bool:
    """Return whether these records satisfy the model as one class."""
    return bool(Clusters(entries, taken, np.zeros(len(taken), np.int32)).satisfies(table, model)[0])
