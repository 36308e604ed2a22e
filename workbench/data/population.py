"""The population of a sample, for the number of people that each class covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.data.absent_values import AbsentValues
from workbench.data.cells import Cells
from workbench.data.coverage import Coverage

if TYPE_CHECKING:
    from workbench.data.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Cells over the quasi-identifiers of a table.

    `places` (cells x attributes) has the table's code of a value, or -1 - i for absent value i.
    """

    places: np.ndarray
    people: np.ndarray
    records: int
    absent: tuple[AbsentValues, ...] = ()
    lacking: int = 0  # records of the table that are not in the population
    _orders: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def from_tables(cls, given: Table, table: Table) -> Population:
        """Count the cells of a population in terms of the table's codes."""
        given.engine.require_combinations_fit(
            table.quasi, given.columns, "give a population with fewer or coarser columns"
        )
        found, absent = given.engine.collapse(table.quasi, ()), AbsentValues.from_tables(given, table)
        places = np.stack([one.places[codes] for one, codes in zip(absent, found.quasi, strict=True)], axis=1)
        bare = cls(np.ascontiguousarray(places, np.int32), found.weight, given.records, absent)
        cells = (one.collapse(table.quasi, ()) for one in table.engine.slices(table.quasi, table.columns))
        lacking = map(bare._lacking, [table.cells()] if table.engine.cells_fit else cells)
        return replace(bare, lacking=sum(lacking))

    def order(self, a: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the cells sorted by an attribute, and their places on it."""
        if a not in self._orders:
            order = np.argsort(self.places[:, a], kind="stable")
            self._orders[a] = order, self.places[order, a]
        return self._orders[a]

    def coverage(
        self,
        low: np.ndarray,
        high: np.ndarray,
        sets: Mapping[int, np.ndarray] | None = None,
        levels: np.ndarray | None = None,
        known: Mapping[int, np.ndarray] | None = None,
    ) -> Coverage:
        """Find the people whom regions of the table's codes cover; parameters as in `Coverage.from_regions`."""
        return Coverage.from_regions(self, low, high, sets, levels, known)

    def fitting(self, low: np.ndarray, high: np.ndarray, sets: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """Count the people whom each region covers by its own label."""
        return self.coverage(low, high, sets).people

    def _lacking(self, cells: Cells) -> int:
        """Count the records for which the population has no person: more records share their values than people do."""
        first, number = np.unique(cells.quasi.T, axis=0, return_inverse=True)
        have = np.bincount(number.ravel(), weights=cells.weight)
        codes = np.ascontiguousarray(first, np.int32)
        return int(np.maximum(have - self.fitting(codes, codes), 0).sum())
