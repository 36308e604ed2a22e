"""The number of people that each record represents. Aggregates are weighted, class sizes never."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.cells import Cells

if TYPE_CHECKING:
    from workbench.data.table import Table


def people(table: Table, others: Iterable[str] = ()) -> np.ndarray:
    """Return the number of people that the records of each cell represent; without a weight column, one per record."""
    cells = table.cells(others)
    if table.weight is None:
        return cells.weight
    beside = tuple(name for name in cells.others if name not in table.sensitive)
    return table.remember(("people", beside), lambda: _weighed(table, table.weight or "", cells, beside))


def _weighed(table: Table, weight: str, cells: Cells, beside: Sequence[str]) -> np.ndarray:
    """Add up the weights of each cell over finer cells; both are sorted by their codes."""
    finer = table.model_view.collapse(table.quasi, (*table.sensitive, *beside, weight))
    codes = [*finer.quasi, *(finer.others[name] for name in cells.others)]
    change = np.logical_or.reduce([np.diff(axis, prepend=axis[:1] - 1) != 0 for axis in codes])
    each = finer.weight * table.columns[weight].values[finer.others[weight]]
    return np.add.reduceat(each.astype(float), np.flatnonzero(change))


def max_weight(table: Table) -> float:
    """Return the maximum number of people that a record represents."""
    return 1 if table.weight is None else float(table.columns[table.weight].values.max())


def of_record(table: Table) -> np.ndarray:
    """Return the number of people that each record represents. Only for records in memory."""
    assert table.weight is not None
    return table.columns[table.weight].values[table.codes[table.weight]].astype(float)


def shares(table: Table) -> dict[str, np.ndarray]:
    """Return the distribution of each sensitive column among the represented people.

    An attacker's prior knowledge about records is `Sensitive.prior`.
    """
    if table.weight is None:
        return {name: seen.prior for name, seen in table.sensitive.items()}
    return table.remember("shares of people", lambda: _shares(table))


def _shares(table: Table) -> dict[str, np.ndarray]:
    cells, weights = table.cells(), people(table)
    counted = {name: np.bincount(cells.others[name], weights, len(seen)) for name, seen in table.sensitive.items()}
    return {name: count / weights.sum() for name, count in counted.items()}
