"""Laplace noise (Dwork et al. 2006), by OpenDP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base import column_bounds
from workbench.base.errors import BadInput
from workbench.base.figures import format_guarantee, join_names
from workbench.base.parameters import ColumnBounds, Columns, parameter
from workbench.data.table import Table
from workbench.methods.noise import AS_THEY_ARE, RecordNoise, refuse_roles, unprotected
from workbench.methods.noise.opendp_laplace import clipped, scale_for, with_noise
from workbench.models import Model
from workbench.releases.responses import Noise, Response


@dataclass(frozen=True)
class Laplace(RecordNoise):
    epsilon: float = parameter(
        1.0, "the privacy budget of a record, split equally among its columns", low=0, high=100,
        above=True, scale="log",
    )  # fmt: skip
    columns: tuple[str, ...] | None = parameter(None, "the columns that get noise; none: all with bounds", kind=Columns)
    bounds: str | None = parameter(
        None, "the declared minimum and maximum of each column, as in age: 17..99", kind=ColumnBounds
    )
    name = "laplace"
    title = "Laplace noise (Dwork et al. 2006), by OpenDP"
    summary = "each record's numbers are epsilon-differentially private in its row"
    numbers = True

    @property
    def guarantee(self) -> str:
        which = f"each record's numbers in {join_names(self._names) or 'no column'}"
        return f"epsilon = {self.epsilon:g} in all for {which}, against anyone who sees its row; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        parts = {name: one.epsilon for name, one in responses.items() if isinstance(one, Noise)}
        each = join_names([f"{name} {format_guarantee(one).removeprefix('= ')}" for name, one in parts.items()])
        total = format_guarantee(math.fsum(parts.values()))
        within = "against anyone who sees its row, within the declared bounds"
        return f"epsilon {total} in all for each record's numbers ({each}), {within}; {unprotected(table, [*parts])}"

    @property
    def _names(self) -> tuple[str, ...]:
        return self.columns or tuple(self._bounds)

    @property
    def _bounds(self) -> column_bounds.Bounds:
        return {} if self.bounds is None else column_bounds.parse_bounds(self.bounds)

    def refuse(self, table: Table, model: Model | None) -> None:
        super().refuse(table, model)
        for name in self.changed(table):
            self.response(table, name)

    def changed(self, table: Table) -> tuple[str, ...]:
        names = self._names
        if (missing := [name for name in names if name not in self._bounds]) or not names:
            raise BadInput(
                "laplace needs bounds that are known without the data, since they decide the width of the noise: "
                f"declare the minimum and maximum of {join_names(missing) or 'each column'}, for example "
                f"bounds = {', '.join(f'{name}: 0..100' for name in missing or ['age'])}"
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
