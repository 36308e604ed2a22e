"""Full-domain generalization (Samarati 2001): one level of its hierarchy for a whole column, the best combination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.parameters import parameter
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.methods import Method, allowance
from workbench.methods.full_domain.nodes import (
    best_levels,
    format_levels,
    parse_levels,
    refuse_other_columns,
    release_at,
)
from workbench.models import Model
from workbench.releases.base import Release

MEASURES = catalog("workbench.measures", Measure)
LOSSES = tuple(name for name, kind in MEASURES.items() if kind.side == "utility")


@dataclass(frozen=True)
class FullDomain(Method):
    """Scores every combination of levels, and releases the one that satisfies the model with the smallest loss.

    `levels` sets one combination instead, a level for every quasi-identifier: `age=2, sex=0`; 0 is a column's values.
    """

    suppress: float = parameter(0.05, "the largest share of records that may be suppressed", low=0, high=1)
    minimise: str = parameter("geometric loss", "the utility measure that chooses the levels", choices=LOSSES)
    levels: str | Mapping[str, int] | None = parameter(
        None, "the level of every quasi-identifier, as in age=2, sex=0; none: the best levels", optional=True
    )
    name = "full-domain"
    title = "Full-domain generalization (Samarati 2001)"
    summary = "one level of its hierarchy for a whole column, the best combination"

    def __post_init__(self) -> None:
        if self.levels is not None:
            object.__setattr__(self, "levels", format_levels(parse_levels(self.levels)))
        super().__post_init__()

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None and self.levels is not None:
            refuse_other_columns(parse_levels(self.levels), table)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if self.levels is not None:
            chosen = parse_levels(self.levels)
            return release_at(table, [chosen[name] for name in table.quasi])
        return release_at(table, best_levels(table, model, MEASURES[self.minimise](), allowance(table, self.suppress)))
