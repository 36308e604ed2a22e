"""Laplace noise (Dwork et al. 2006), by OpenDP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base import column_text
from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_guarantee, join_names
from workbench.base.parameters import ColumnBounds, Columns, parameter
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.methods.noise import AS_THEY_ARE, RecordNoise, refuse_roles, unprotected
from workbench.models import Model
from workbench.releases.responses import Noise, Response

# Laplace noise from OpenDP's vetted measurement: its scale for a budget, and the draw. No noise is our own.
#
# Numbers outside the bounds are clipped, and missing ones become the midpoint: so a record's release is within the
# budget whatever the record contains. Integers get integer noise (the discrete Laplace distribution).

NUDGES = 64  # float steps until OpenDP counts the loss of the scale as within the budget


def scale_for(column: Column, low: float, high: float, epsilon: float) -> Noise:
    """Return the noise that keeps a record's number within the budget, as OpenDP counts it."""
    if column.kind != "number":
        raise BadInput(f"laplace: {column.name!r} is not numeric; use randomized response for it")
    whole = is_whole(column)
    if whole and not (float(low).is_integer() and float(high).is_integer()):
        raise BadInput(f"laplace: {column.name!r} has integers; declare integer bounds for it")
    width = high - low
    scale = width / epsilon
    for _ in range(NUDGES):
        lost = float(measurement(whole, scale).map(int(width) if whole else float(width)))
        if lost <= epsilon:
            return Noise(scale, _within(column, low, high), float(low), float(high), lost)
        scale = math.nextafter(scale, math.inf)
    raise Undefined(f"laplace: no scale of noise on {column.name} is within epsilon = {epsilon:g}")


def clipped(column: Column, noise: Noise) -> np.ndarray:
    """Return the number of each code before the noise."""
    return noise.at.astype(np.int64) if is_whole(column) else noise.at


def with_noise(column: Column, numbers: np.ndarray, noise: Noise) -> np.ndarray:
    """Return one number per record, with noise from the operating system's randomness."""
    whole = is_whole(column)
    return np.array(measurement(whole, noise.scale)(numbers.tolist()), np.int64 if whole else float)


def is_whole(column: Column) -> bool:
    return column.values.dtype.kind == "i"


def measurement(whole: bool, scale: float) -> Any:
    """Return OpenDP's measurement on a column of numbers in which one number changes by a limited distance."""
    import opendp.prelude as dp  # takes a second or two

    dp.enable_features("contrib")
    if whole:
        return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False))
    return dp.m.make_laplace(domain, dp.l1_distance(T="f64"), scale=scale)


def _within(column: Column, low: float, high: float) -> np.ndarray:
    """Return the number of each code within the bounds; missing becomes the midpoint."""
    found = np.clip(column.values.astype(float), low, high)
    if not column.missing:
        return found
    middle = (low + high) / 2
    return np.append(found, math.floor(middle) if is_whole(column) else middle)


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
        return f"epsilon = {self.epsilon:g} in total for {which}, against anyone who sees its row; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        parts = {name: one.epsilon for name, one in responses.items() if isinstance(one, Noise)}
        each = join_names([f"{name} {format_guarantee(one).removeprefix('= ')}" for name, one in parts.items()])
        total = format_guarantee(math.fsum(parts.values()))
        within = "against anyone who sees its row, within the declared bounds"
        return f"epsilon {total} in total for each record's numbers ({each}), {within}; {unprotected(table, [*parts])}"

    @property
    def _names(self) -> tuple[str, ...]:
        return self.columns or tuple(self._bounds)

    @property
    def _bounds(self) -> column_text.Bounds:
        return {} if self.bounds is None else column_text.parse_bounds(self.bounds)

    def refuse(self, table: Table, model: Model | None) -> None:
        super().refuse(table, model)
        for name in self.changed(table):
            self.response(table, name)

    def changed(self, table: Table) -> tuple[str, ...]:
        names = self._names
        if (missing := [name for name in names if name not in self._bounds]) or not names:
            raise BadInput(
                "laplace needs bounds that do not depend on the data, since they determine the scale of the noise: "
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
