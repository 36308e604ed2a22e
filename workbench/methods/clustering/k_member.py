"""k-member clustering (Byun, Kamra, Bertino & Li 2007): clusters of k records, each as cheap as it can be grown."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering import trial
from workbench.methods.clustering.begun import going_on, share_begun
from workbench.methods.clustering.clusters import publish, recode
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.k_members import k_members
from workbench.methods.clustering.prices import Prices
from workbench.methods.keep import Keep
from workbench.models import Model
from workbench.releases.base import Release


@dataclass(frozen=True)
class KMember(Method):
    """Each cluster begins with the record farthest from the one that was taken last, and grows until the model holds.

    A record costs what the values that a cluster shows cost all its records: the width of numbers, the height of the
    smallest node of a hierarchy, without one the further values. With `protection` (the k-members-p of Loukides & Shao)
    it costs S-diversity; what is far is still told by quasi-identifiers. The records that are left over, fewer than a
    cluster has, go to the cheapest cluster.
    """

    objective: str = parameter(
        "utility", "what clusters keep small: what they show, or what they tell", choices=("utility", "protection")
    )
    r: float = parameter(0.5, "protection: the range in which a value is estimated", low=0, high=1, optional=True)
    publish: str = publish()
    recode: str = recode()
    name = "k-member"
    overlapping = True
    goes_on = True

    def seconds(self, table: Table, model: Model | None = None, seed: int = 0) -> float:
        self.refuse(table, model)
        if model is None:
            return 0.0
        paid, shown = self._prices(table)
        entries = Entries.of_cells(table, table.cells(), seed)
        left = 1 - share_begun(table, self, model, seed)
        return left**2 * trial.seconds(
            entries, lambda follower: k_members(table, entries, paid, shown, model, follower), shrinks=True
        )

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if model is None:  # a cluster of one record needs nobody else
            return Keep().release(table, None, seed)
        table.engine.require_memory("k-member clustering takes records one by one", "use Mondrian")
        cells = table.cells()
        entries = Entries.of_cells(table, cells, seed)
        with going_on(table, self, model, seed, entries) as begun:
            found = k_members(table, entries, *self._prices(table), model, begun).mended(table, model)
        return found.release(table, cells, self.publish, self.recode)

    def _prices(self, table: Table) -> tuple[Prices, Prices]:
        """By what records are taken, and by what is far."""
        shown = Prices.of(table, 1.0, 0.0, self.r, by_height=True)
        return (shown if self.objective == "utility" else Prices.of(table, 0.0, 1.0, self.r)), shown
