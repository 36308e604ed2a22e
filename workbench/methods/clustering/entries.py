"""Entries, the units of clustering: identical records together, in an order that cannot be reconstructed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table


@dataclass(frozen=True, eq=False)
class Entries:
    """Entry i is `records[i]` records of cell `cell[i]`. Among equally good entries the earlier one wins.

    The order is derived from the seed and from the data, which only the analyst has. So an attacker who knows the code
    and guesses the seed cannot replay which records share a cluster.
    """

    codes: np.ndarray  # attributes x entries
    values: dict[str, np.ndarray]
    records: np.ndarray
    cell: np.ndarray

    @classmethod
    def of_cells(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """Return one entry per cell."""
        order = np.random.default_rng([seed, cells.digest]).permutation(len(cells))
        return cls._from_cells(table, cells, order, cells.weight[order])

    @classmethod
    def of_records(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """Return one entry per record."""
        rng = np.random.default_rng([seed, cells.digest])
        cell = np.repeat(np.arange(len(cells)), cells.weight)
        return cls._from_cells(table, cells, cell[rng.permutation(len(cell))], np.ones(len(cell), np.int64))

    @classmethod
    def _from_cells(cls, table: Table, cells: Cells, cell: np.ndarray, records: np.ndarray) -> Entries:
        values = {name: cells.others[name][cell] for name in table.sensitive}
        codes = np.ascontiguousarray(cells.quasi[:, cell], np.int32)
        return cls(codes, values, records.astype(np.int64), cell.astype(np.int32))

    def __len__(self) -> int:
        return len(self.records)

    def take(self, chosen: np.ndarray) -> Entries:
        """Return the chosen entries in that order; entries may repeat."""
        values = {name: of[chosen] for name, of in self.values.items()}
        return Entries(np.ascontiguousarray(self.codes[:, chosen]), values, self.records[chosen], self.cell[chosen])

    def first_values(self, columns: int) -> np.ndarray:
        """Return the values of the first sensitive columns, columns x entries."""
        found = np.zeros((columns, len(self)), np.int32)
        for s, of in enumerate(list(self.values.values())[:columns]):
            found[s] = of
        return found
