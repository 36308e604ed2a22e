"""Optimal response (PRAM, Gouweleeuw et al. 1998)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.parameters import Columns, parameter
from workbench.data.table import Table
from workbench.methods.noise import AS_THEY_ARE, RecordNoise, unprotected
from workbench.methods.noise.categories import columns_of, epsilon_of, numbered, prior, published_counts, released
from workbench.methods.noise.least_change import within_cap_of_each
from workbench.releases.responses import Response

MOST = 200  # maximum number of values of a column: the matrix has its square
ROOM = 1e-9  # share of the cap that is reserved for rounding probabilities


@dataclass(frozen=True)
class OptimalResponse(RecordNoise):
    cap: float = parameter(
        0.1, "the largest distance (js, as in P_loss) by which a released value may move the belief about a column",
        low=0, high=round(math.log(2), 4), above=True,
    )  # fmt: skip
    columns: tuple[str, ...] | None = parameter(
        None, "the columns whose values are drawn (all others are published unchanged); none: the sensitive ones",
        kind=Columns,
    )  # fmt: skip
    name = "optimal response"
    title = "Optimal response (PRAM, Gouweleeuw et al. 1998)"
    summary = "the matrix that changes least under a cap on P_loss"

    @property
    def guarantee(self) -> str:
        which = ", ".join(self.columns) if self.columns else "each sensitive column"
        by = f"{self.cap:g} (js) from the whole table's"
        return f"no row moves the belief about {which} by more than {by}; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        return (
            f"no row moves the belief about {join_names([*responses])} by more than {self.cap:g} (js) from the whole "
            f"table's published distribution, for an attacker who knows that; {epsilon_of(responses)}; "
            f"{unprotected(table, [*responses])}"
        )

    def changed(self, table: Table) -> tuple[str, ...]:
        names = columns_of(table, self.columns, self.name)
        for name in names:
            if (size := len(prior(table, name))) > MOST:
                raise BadInput(
                    f"optimal response: {name!r} has {size:,} values, more than {MOST}; set a model level for it, "
                    "or choose randomized response"
                )
        return names

    def settings_of(self, name: str) -> dict[str, object]:
        return {"cap": self.cap}

    def response(self, table: Table, name: str) -> Response:
        chances = within_cap_of_each(*published_counts(table, name), self.cap * (1 - ROOM))
        return numbered(chances, f"drawn so that beliefs move by at most {self.cap:g} (js)", listed=True)

    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        return released(table, name, response)
