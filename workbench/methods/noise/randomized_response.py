"""Randomized response (Warner 1965; PRAM): keep each value with a probability, else draw it from a distribution Q."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import Columns, parameter
from workbench.data.table import Table
from workbench.methods.noise import (
    AS_THEY_ARE,
    RecordNoise,
    columns_of,
    epsilon_of,
    numbered,
    prior,
    released,
    unprotected,
)
from workbench.releases.responses import Categorical, Response


@dataclass(frozen=True)
class RandomizedResponse(RecordNoise):
    keep: float = parameter(0.5, "probability that a value is kept; otherwise it is drawn", low=0, high=1)
    columns: tuple[str, ...] | None = parameter(
        None, "the columns whose values are drawn (all others are published unchanged); none: the sensitive ones",
        kind=Columns,
    )  # fmt: skip
    others: str = parameter(
        "table", "what values are drawn from: the table's own distribution, which the guarantee then takes as known, "
        "or all values with equal probability", choices=("table", "uniform"),
    )  # fmt: skip
    name = "randomized response"
    title = "Randomized response (Warner 1965; PRAM)"
    summary = "keeps each value with a probability, and otherwise draws it from a distribution Q"

    @property
    def guarantee(self) -> str:
        other = "all its values alike" if self.others == "uniform" else "the whole table's"
        which = ", ".join(self.columns) if self.columns else "each sensitive column"
        return f"a value of {which} is kept with chance {self.keep:g}, else drawn from {other}; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        known = "" if self.others == "uniform" else ", if the distribution that values are drawn from is known anyway"
        return (
            f"each value is kept with chance {self.keep:g}; {epsilon_of(responses)} for each record, against anyone "
            f"who sees its row{known}; {unprotected(table, [*responses])}"
        )

    @property
    def is_epsilon_public(self) -> bool:
        """True if pages may show epsilon: with the table's distribution it would reveal the rarest value's count."""
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
        text = f"kept with chance {self.keep:g}, else drawn from {words}"
        return numbered(chances, text, keep=self.keep, others=self.others)

    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        return released(table, name, response)
