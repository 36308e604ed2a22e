"""Threshold-based greedy clustering (Loukides & Shao 2008): a weight on utility, another on protection, a threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.base.errors import BadInput
from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering.clusters import publish, recode
from workbench.methods.clustering.sampling import thresholds
from workbench.methods.clustering.within import clustered, seconds
from workbench.models import Model
from workbench.releases.base import Release

HALF = "how much it counts what clusters "


@dataclass(frozen=True)
class ThresholdClustering(Method):
    """A cluster grows by the record that keeps its weighted tuple diversity least, as long as that is within delta.

    One that keeps the model then stands. Each other, unless records have come that make it keep the model by its turn,
    is dissolved: its records go to the cheapest cluster near by, one by one. With a `size` the records are parted
    first, at medians. The weights count relative to each other: 1 and 0 are the paper's TGCU, 0 and 1 its TGCP, equal
    ones its TGCB.
    """

    utility: float = parameter(0.5, f"{HALF}show", low=0, high=1)
    protection: float = parameter(0.5, f"{HALF}tell of sensitive values", low=0, high=1, against="utility")
    r: float = parameter(0.5, "the range in which a value is estimated, as a share of the column's", low=0, high=1)
    delta: float | None = parameter(
        None, "the largest diversity of a cluster (none: by a sample)", low=0, high=1, number=float, optional=True
    )
    size: int | None = parameter(
        None, "the fewest records of a part; 5 k is enough (none: one part)", low=1, number=int, optional=True
    )
    part_delta: float | None = parameter(
        None, "the largest S-diversity of a part (none: by a sample)", low=0, number=float, optional=True
    )
    range: str = parameter(
        "normalised",
        "which column is halved: the widest as a share of its domain, or in its units",
        choices=("normalised", "raw"),
        optional=True,
    )
    near: int | None = parameter(
        None, "clusters near by that may take in strays (none: all, of parts 512)", low=2, number=int, optional=True
    )
    publish: str = publish()
    recode: str = recode()
    name = "threshold clustering"
    overlapping = True
    goes_on = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.utility and not self.protection:
            raise BadInput("threshold clustering: utility and protection are both 0; give one of them a weight")

    def chosen(self, table: Table, model: Model | None = None, seed: int = 0) -> ThresholdClustering:
        """The same with the thresholds that a sample proposes, where none are given."""
        parts = self.size is not None and bool(table.sensitive)
        if self.delta is not None and (self.part_delta is not None or not parts):
            return self
        key = ("thresholds", replace(self, publish="generalized"), model, seed)
        proposed = table.remember(key, lambda: thresholds(table, self, model, seed))
        delta, part_delta = (
            new if old is None else old for old, new in zip((self.delta, self.part_delta), proposed, strict=True)
        )
        return replace(self, delta=delta, part_delta=part_delta if parts else self.part_delta)

    def seconds(self, table: Table, model: Model | None = None, seed: int = 0) -> float:
        self.refuse(table, model)
        return seconds(table, self, model, seed)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        return clustered(table, self, model, seed).release(table, table.cells(), self.publish, self.recode)
