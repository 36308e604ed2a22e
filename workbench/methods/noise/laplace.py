"""Laplace noise (Dwork et al. 2006), by OpenDP: each record's numbers are epsilon-differentially private in its row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base import column_bounds
from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.variants import parameter
from workbench.data.table import Table
from workbench.methods.noise import AS_THEY_ARE, RecordNoise, refuse_roles, unprotected
from workbench.methods.noise.opendp_laplace import clipped, scale_for, with_noise
from workbench.releases.responses import Noise, Response


@dataclass(frozen=True)
class Laplace(RecordNoise):
    epsilon: float = parameter(
        1.0, "the budget of a record in all: each column has an equal part, and the parts add up", low=0, high=100,
        above=True, scale="log",
    )  # fmt: skip
    columns: tuple[str, ...] | None = parameter(
        None, "the numeric columns that get noise, and no others; none: those with bounds", columns=True
    )
    bounds: str | None = parameter(
        None, "the least and the greatest number of each column, declared, never read off the data, as in age: 17..99",
        column_bounds=True,
    )  # fmt: skip
    name = "laplace"
    numbers = True

    @property
    def guarantee(self) -> str:
        return (
            f"epsilon = {self.epsilon:g} in all for each record's numbers in {join_names(self._names) or 'no column'}, "
            f"from whoever sees its row; {AS_THEY_ARE}"
        )

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        parts = {name: one.epsilon for name, one in responses.items() if isinstance(one, Noise)}
        each = join_names([f"{name} {epsilon:.4g}" for name, epsilon in parts.items()])
        return (
            f"epsilon = {math.fsum(parts.values()):.4g} in all for each record's numbers ({each}), from whoever sees "
            f"its row, within the declared bounds; {unprotected(table, [*parts])}"
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return self.columns or tuple(self._bounds)

    @property
    def _bounds(self) -> column_bounds.Bounds:
        return {} if self.bounds is None else column_bounds.read(self.bounds)

    def changed(self, table: Table) -> tuple[str, ...]:
        names = self._names
        if (missing := [name for name in names if name not in self._bounds]) or not names:
            example = ", ".join(f"{name}: 0..100" for name in missing or ["age"])
            raise BadInput(
                "laplace needs bounds that are known without the data, since the noise is as wide as they are: declare "
                f"the least and the greatest number that {join_names(missing) or 'each column'} can have, such as "
                f"bounds = {example}"
            )
        refuse_roles(table, names, "laplace")
        return names

    def settings_of(self, name: str) -> dict[str, object]:
        return {"laplace": [*self._bounds[name]], "epsilon": self.epsilon / len(self._names)}

    def response(self, table: Table, name: str) -> Response:
        return scale_for(table.columns[name], *self._bounds[name], self.epsilon / len(self._names))

    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        assert isinstance(response, Noise)
        return with_noise(table.columns[name], clipped(table.columns[name], response)[table.codes[name]], response)
