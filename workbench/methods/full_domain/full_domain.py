"""Full-domain generalization (Samarati 2001): one level of its hierarchy for a whole column, the best there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.variants import catalog, parameter
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.methods import Method, allowance
from workbench.methods.full_domain.choice import best, refuse_other_columns, released, spelled, understood
from workbench.models import Model
from workbench.releases.base import Release

MEASURES = catalog("workbench.measures", Measure)
LOSSES = tuple(name for name, kind in MEASURES.items() if kind.side == "utility")


@dataclass(frozen=True)
class FullDomain(Method):
    """Every combination of levels is scored, and of those that keep the model the one that loses least is released.

    `levels` names one combination instead, a level for every quasi-identifier: `age=2, sex=0`; 0 is a column's values.
    """

    suppress: float = parameter(0.05, "the largest share of the records that may be left out", low=0, high=1)
    minimise: str = parameter("geometric loss", "the measure of utility that chooses the levels", choices=LOSSES)
    levels: str | Mapping[str, int] | None = parameter(
        None, "the level of every quasi-identifier, as in age=2, sex=0 (none named: the best)", optional=True
    )
    name = "full-domain"

    def __post_init__(self) -> None:
        if self.levels is not None:
            object.__setattr__(self, "levels", spelled(understood(self.levels)))
        super().__post_init__()

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None and self.levels is not None:
            refuse_other_columns(understood(self.levels), table)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if self.levels is not None:
            chosen = understood(self.levels)
            return released(table, [chosen[name] for name in table.quasi])
        return released(table, best(table, model, MEASURES[self.minimise](), allowance(table, self.suppress)))
