"""A random table, also in the format of the slow clusterings."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tests.methods.clustering import oracle
from tests.methods.tables import ABOVE, WORDS, axes_of, table_of
from workbench.data.cells import cell_of_record
from workbench.data.table import Table
from workbench.methods.clustering.clusters import Clusters, Entries


@dataclass
class Case:
    """Axes, leaves and sensitive values record by record, in the table's order."""

    frame: pd.DataFrame
    quasi: list[str]
    sensitive: tuple[str, ...] = ("s",)

    def __post_init__(self) -> None:
        self.table: Table = table_of(self.frame, self.quasi, self.sensitive)
        self.axes = axes_of(self.frame, self.quasi)
        names = [name for name in self.frame if name in self.quasi]
        self.leaves = [self._leaves() if name == "word" else [] for name in names]

    def shown(self, by_height: bool, weight: float = 1.0) -> oracle.Cost:
        return oracle.shown(self.axes, self.leaves, by_height, weight)

    def estimability(self, r: float, weight: float = 1.0) -> oracle.Cost:
        """Return how well values can be estimated; of text without a hierarchy only from equal or all values."""
        columns, near = [], []
        for name in self.sensitive:
            values = sorted(self.frame[name].dropna().unique())
            column = [values.index(v) if isinstance(v, str) else len(values) for v in self.frame[name]]
            size = len(set(column))
            other = 1 - 1 / size if 1 - 1 / size >= 1 - r - 1e-9 else 0.0
            columns.append(column)
            near.append(np.where(np.eye(size), 1.0, other))
        return oracle.estimability(columns, near, weight)

    def order(self, entries: Entries) -> list[int]:
        """Return the records in the order of the entries; the order of identical records is irrelevant."""
        of_cell: dict[int, list[int]] = {}
        for record, cell in enumerate(cell_of_record(self.table).tolist()):
            of_cell.setdefault(cell, []).append(record)
        counted = zip(entries.cell.tolist(), entries.records.tolist(), strict=True)
        return [of_cell[cell].pop() for cell, records in counted for _ in range(records)]

    def as_cells(self, clusters: list[list[int]]) -> Counter:
        return oracle.as_cells(clusters, cell_of_record(self.table).tolist())

    def _leaves(self) -> list[list[int]]:
        """Return the leaves below the node of each word, level by level, including words without a record."""
        there = [w for w in WORDS if w in set(self.frame["word"])]
        missing = bool(self.frame["word"].isna().any())
        levels = [[1] * len(there)]
        for level in (WORDS, ABOVE):
            levels.append([sum(level[w] == level[v] for w in WORDS) for v in there])
        levels = [level + [1] * missing for level in levels]
        every = len(WORDS) + missing
        return [*levels, [every] * len(levels[0])]


def cells_of(found: Clusters) -> Counter:
    """Return the engine's clusters by the cells of their records."""
    cell = found.entries.cell[found.entry]
    return Counter(tuple(sorted(cell[found.number == c].tolist())) for c in range(len(found)))
