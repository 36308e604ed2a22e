"""Microaggregation by MDAV (Domingo-Ferrer & Torra 2005), or aware of t-closeness (Soria-Comas et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import BadInput
from workbench.base.parameters import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering.clusters import Clusters, publish, recode
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.mdav import Exchanges, grow_until_satisfied, mdav
from workbench.methods.keep import Keep
from workbench.models import Model
from workbench.releases.base import Release


@dataclass(frozen=True)
class Microaggregation(Method):
    """Clusters of the nearest records, around the record farthest from the center and the one farthest from that.

    As for any method here, clusters publish ranges or sets of values, not their means. With `aware`, a cluster of k
    records swaps some of them for records farther away until it is within t of the whole table's distribution, or as
    close as possible (the paper's algorithm 2); clusters that still violate t are then merged (its algorithm 1).
    """

    aware: bool = parameter(
        False, "swap records until a cluster is close to t (needs a model with a t)", choices=(True, False)
    )
    publish: str = publish()
    recode: str = recode()
    name = "microaggregation"
    title = "Microaggregation (Domingo-Ferrer & Torra 2005, Soria-Comas et al. 2015)"
    summary = "clusters by MDAV, optionally aware of t-closeness"
    overlapping = True

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        near = self._near(model)
        if model is None:  # every record is a cluster of its own
            return Keep().release(table, None, seed)
        table.engine.require_memory("microaggregation processes records one by one", "use Mondrian")
        entries = Entries.of_cells(table, table.cells(), seed)
        found = self._clusters(table, entries, model, near).merge_violating(table, model)
        return found.release(table, table.cells(), self.publish, self.recode)

    def _near(self, model: Model | None) -> Model | None:
        """Return the part of the model that has a t, if clusters should consider it."""
        near = next((part for part in model.parts if part.max_distance_from_prior), None) if model else None
        if self.aware and near is None:
            raise BadInput(f"{self.name}: aware needs t-closeness; add it to the model, or remove aware")
        return near if self.aware else None

    def _clusters(self, table: Table, entries: Entries, model: Model, near: Model | None) -> Clusters:
        grow = (
            Exchanges(table, entries, near, model.min_class_size)
            if near
            else grow_until_satisfied(table, entries, model)
        )
        return mdav(table, entries, model.min_class_size, grow, to_the_end=self.aware)
