"""Randomized response (Warner 1965; PRAM): each value is kept with a chance, else drawn from a distribution Q."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods.noise import AS_THEY_ARE, RecordNoise, unprotected
from workbench.methods.noise.categories import columns_of, epsilon_of, numbered, prior, released
from workbench.releases.responses import Categorical, Response


@dataclass(frozen=True)
class RandomizedResponse(RecordNoise):
    keep: float = parameter(0.5, "how likely a value is kept; else another is drawn", low=0, high=1)
    columns: tuple[str, ...] | None = parameter(
        None, "the columns whose values are drawn (all others are published unchanged); none: the sensitive ones",
        columns=True,
    )  # fmt: skip
    others: str = parameter(
        "table", "where a value is drawn from: the table's own distribution, which the guarantee then takes as known, "
        "or all values alike", choices=("table", "uniform"),
    )  # fmt: skip
    name = "randomized response"

    @property
    def guarantee(self) -> str:
        other = "all its values alike" if self.others == "uniform" else "the whole table's"
        which = ", ".join(self.columns) if self.columns else "each sensitive column"
        return f"a value of {which} is kept with chance {self.keep:g}, else drawn from {other}; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        known = "" if self.others == "uniform" else ", if the distribution that values are drawn from is known anyway"
        return (
            f"each value is kept with chance {self.keep:g}; {epsilon_of(responses)} for each record, from whoever sees "
            f"its row{known}; {unprotected(table, [*responses])}"
        )

    @property
    def epsilon_is_told(self) -> bool:
        """By the table's distribution it follows from how many people have the rarest value."""
        return self.others == "uniform"

    def changed(self, table: Table) -> tuple[str, ...]:
        return columns_of(table, self.columns, self.name)

    def settings_of(self, name: str) -> dict[str, object]:
        return {"keep": self.keep, "others": self.others}

    def response(self, table: Table, name: str) -> Categorical:
        other = prior(table, name)
        words = "the whole column's distribution, which is also that of the released column, but for chance"
        if self.others == "uniform":
            other, words = np.full(len(other), 1 / len(other)), f"its {len(other):,} values, each as likely"
        chances = self.keep * np.eye(len(other)) + (1 - self.keep) * other
        return numbered(chances, f"kept with chance {self.keep:g}, else drawn from {words}")

    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        return released(table, name, response)
