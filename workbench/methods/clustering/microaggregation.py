"""Microaggregation by MDAV (Domingo-Ferrer & Torra 2005), or aware of t-closeness (Soria-Comas et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import BadInput
from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering import trial
from workbench.methods.clustering.begun import NOBODY, Follower, going_on, share_begun
from workbench.methods.clustering.clusters import Clusters, publish, recode
from workbench.methods.clustering.entries import Entries
from workbench.methods.clustering.exchanges import LATER, Exchanges
from workbench.methods.clustering.mdav import mdav, until_it_holds
from workbench.methods.keep import Keep
from workbench.models import Model
from workbench.releases.base import Release


@dataclass(frozen=True)
class Microaggregation(Method):
    """Clusters of the nearest records around the one farthest from the centre and the one farthest from that.

    What a cluster shows is published, not its mean: its records are told as ranges or sets, like those of any method
    here. Aware of t, a cluster of k records exchanges some for others farther away until it is within t of everybody,
    or as near as it comes (the paper's algorithm 2); clusters that are not are joined then (its algorithm 1).
    """

    aware: bool = parameter(
        False, "exchange records until a cluster is near t, where the model has a t", choices=(True, False)
    )
    publish: str = publish()
    recode: str = recode()
    name = "microaggregation"
    overlapping = True
    goes_on = True

    def seconds(self, table: Table, model: Model | None = None, seed: int = 0) -> float:
        self.refuse(table, model)
        near = self._near(model)
        if model is None:
            return 0.0
        entries = Entries.of_cells(table, table.cells(), seed)
        left = (1 - share_begun(table, self, model, seed)) * (LATER if near else 1.0)
        return left * trial.seconds(
            entries, lambda clock: self._clusters(table, entries, model, near, clock), False, dear=near is not None
        )

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        near = self._near(model)
        if model is None:  # a cluster of one record needs nobody else
            return Keep().release(table, None, seed)
        table.engine.require_memory("microaggregation takes records one by one", "use Mondrian")
        entries = Entries.of_cells(table, table.cells(), seed)
        with going_on(table, self, model, seed, entries) as begun:
            found = self._clusters(table, entries, model, near, begun).mended(table, model)
        return found.release(table, table.cells(), self.publish, self.recode)

    def _near(self, model: Model | None) -> Model | None:
        """The part of the model that has a t, if clusters are to know it."""
        near = next((part for part in model.parts if part.far), None) if model else None
        if self.aware and near is None:
            raise BadInput(f"{self.name}: aware goes with t-closeness; join it to the model, or leave aware out")
        return near if self.aware else None

    def _clusters(
        self, table: Table, entries: Entries, model: Model, near: Model | None, begun: Follower = NOBODY
    ) -> Clusters:
        grow = Exchanges(table, entries, near, model.floor) if near else until_it_holds(table, entries, model)
        return mdav(table, entries, model.floor, grow, to_the_end=self.aware, begun=begun)
