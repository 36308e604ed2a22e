"""What is clustered: records that are equal in all columns together, in an order that nobody can work out again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.data.cells import Cells
from workbench.data.table import Table


@dataclass(frozen=True, eq=False)
class Entries:
    """Entry i is `records[i]` records of cell `cell[i]`. Of equal entries the earlier is taken.

    The order is drawn by the seed and by the data, which only the analyst has: so who knows the code and guesses the
    seed cannot replay which records met in a cluster.
    """

    codes: np.ndarray  # attributes x entries
    values: dict[str, np.ndarray]
    records: np.ndarray
    cell: np.ndarray

    @classmethod
    def of_cells(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """One entry a cell."""
        order = np.random.default_rng([seed, cells.digest]).permutation(len(cells))
        return cls._at(table, cells, order, cells.weight[order])

    @classmethod
    def of_records(cls, table: Table, cells: Cells, seed: int) -> Entries:
        """One entry a record."""
        rng = np.random.default_rng([seed, cells.digest])
        cell = np.repeat(np.arange(len(cells)), cells.weight)
        return cls._at(table, cells, cell[rng.permutation(len(cell))], np.ones(len(cell), np.int64))

    @classmethod
    def _at(cls, table: Table, cells: Cells, cell: np.ndarray, records: np.ndarray) -> Entries:
        values = {name: cells.others[name][cell] for name in table.sensitive}
        codes = np.ascontiguousarray(cells.quasi[:, cell], np.int32)
        return cls(codes, values, records.astype(np.int64), cell.astype(np.int32))

    def __len__(self) -> int:
        return len(self.records)

    def take(self, chosen: np.ndarray) -> Entries:
        """Some of the entries, in that order; one that is named twice is there twice."""
        values = {name: of[chosen] for name, of in self.values.items()}
        return Entries(np.ascontiguousarray(self.codes[:, chosen]), values, self.records[chosen], self.cell[chosen])

    def first_values(self, columns: int) -> np.ndarray:
        """Of the first sensitive columns, columns x entries."""
        found = np.zeros((columns, len(self)), np.int32)
        for s, of in enumerate(list(self.values.values())[:columns]):
            found[s] = of
        return found
