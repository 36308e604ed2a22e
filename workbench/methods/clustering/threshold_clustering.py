"""Threshold-based greedy clustering (Loukides & Shao 2008)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.base.errors import BadInput
from workbench.base.parameters import parameter
from workbench.data.table import Table
from workbench.methods import Method
from workbench.methods.clustering.clusters import publish, recode
from workbench.methods.clustering.threshold_search import clustered, thresholds
from workbench.models import Model
from workbench.releases.base import Release


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
        None, "minimum records of a part, 5 k is enough; none: one part", low=1, type=int, optional=True
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
        """Return this method with the thresholds of a sample where none are given."""
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
