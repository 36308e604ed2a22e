"""How far records are from a point, in whole parts: squares of shares, attribute by attribute, that are looked up."""

from __future__ import annotations

import numpy as np

from workbench.data.column import Column
from workbench.data.table import Table
from workbench.measures.utility.q_diversity import is_interval, nodes
from workbench.methods.clustering.prices import WHOLE


class Distances:
    """Numbers and dates are apart by their width, text by the leaves of the smallest node that holds both, without a
    hierarchy by 1; all as shares of the most, squared, and as important as the column is."""

    def __init__(self, table: Table) -> None:
        self.columns = [table.columns[name] for name in table.quasi]
        self.weights = WHOLE * table.weights_of_quasi / table.weights_of_quasi.sum()
        self.places = [column.positions / (column.positions[-1] or 1.0) for column in self.columns]
        self.nodes = [
            nodes(column) if not is_interval(column) and column.hierarchy else None for column in self.columns
        ]
        self.widest = max(column.size for column in self.columns)

    def from_codes(self, codes: np.ndarray) -> np.ndarray:
        """What each code costs, attributes x codes, seen from a record."""
        return self._rows([self.places[a][code] for a, code in enumerate(codes.tolist())], codes)

    def from_centre(self, counts: list[np.ndarray]) -> np.ndarray:
        """Seen from the centre of records with so many of each code: the mean of numbers, else the commonest value."""
        means = [float(of @ place) / of.sum() for of, place in zip(counts, self.places, strict=True)]
        return self._rows(means, np.array([int(of.argmax()) for of in counts]))

    def _rows(self, places: list[float], codes: np.ndarray) -> np.ndarray:
        rows = np.zeros((len(self.columns), self.widest), np.int32)
        for a, column in enumerate(self.columns):
            rows[a, : column.size] = np.rint(self.weights[a] * self._apart(a, column, places[a], codes[a]) ** 2)
        return rows

    def _apart(self, a: int, column: Column, place: float, code: int) -> np.ndarray:
        found = self.nodes[a]
        if is_interval(column):
            return np.asarray(self.places[a] - place)
        if found is None:
            return (np.arange(column.size) != code).astype(float)
        at, below = found
        held = np.where(at == at[:, [code]], below, column.whole).min(axis=0)
        return (held - 1) / max(column.whole - 1, 1)
