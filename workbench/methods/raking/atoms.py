"""Atoms: people whom no large population tells apart, and which of them each population holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.base import raking_kernels
from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.workloads.populations import Populations, large_populations

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MEMBERS = 50_000_000  # of all populations at most; of more populations some are drawn, always the same


@dataclass(frozen=True, eq=False, repr=False)
class Atoms:
    """`of_cell` is the atom of each of the table's cells; members as `raking_kernels` has them."""

    of_cell: np.ndarray
    records: np.ndarray  # of each atom
    people: np.ndarray  # whom they stand for
    populations: Populations
    start: np.ndarray
    members: np.ndarray

    @classmethod
    def of(cls, table: Table, min_support: float) -> Atoms:
        """By all populations that have at least so large a share of the records; found once a table."""
        return table.remember(("atoms", min_support), lambda: _found(table, min_support))

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def truth(self) -> dict[str, np.ndarray]:
        """The true distribution of each sensitive column in each population."""
        support = self.populations.support[:, None]
        return {name: counts / support for name, counts in self.populations.truth.items()}

    @cached_property
    def _holds(self) -> csr_matrix:
        """Populations x atoms: 1 where the population holds the atom."""
        from scipy.sparse import csr_matrix  # methods are looked for when the workbench starts

        return csr_matrix((np.ones(len(self.members)), self.members, self.start), (len(self.populations), len(self)))

    @cached_property
    def held(self) -> np.ndarray:
        """The people of each population, as a column."""
        return np.maximum(self.sums(self.people)[:, None], np.finfo(float).tiny)

    def sums(self, of_atoms: np.ndarray) -> np.ndarray:
        """Of each population what its atoms come to."""
        return self._holds @ of_atoms

    def back(self, of_populations: np.ndarray) -> np.ndarray:
        """Of each atom what the populations that hold it come to."""
        return self._holds.T @ of_populations

    def shared(self, some: np.ndarray) -> np.ndarray:
        """How many populations hold both of two atoms: some of the atoms x all."""
        return (self._holds[:, some].T @ self._holds).toarray()

    def shares(self, group: np.ndarray) -> np.ndarray:
        """Populations x groups: which share of each population is in each group of atoms."""
        from scipy.sparse import csr_matrix

        of_group = csr_matrix((self.people, (np.arange(len(self)), group)), (len(self), int(group.max()) + 1))
        return (self._holds @ of_group).toarray() / self.held


def _found(table: Table, min_support: float) -> Atoms:
    cells, populations = table.cells(), large_populations(table, min_support)
    first, of_cell = distinct_rows(np.stack([_parts(runs)[codes] for runs, codes in _axes(table, populations)], axis=1))
    codes = np.ascontiguousarray(cells.quasi[:, first], np.int32)
    start = _starts(populations, codes)
    if start[-1] > MEMBERS:
        populations = _some(populations, MEMBERS / start[-1])
        start = _starts(populations, codes)
    held = np.empty(start[-1], np.int32)
    raking_kernels.members(populations.runs, populations.same, codes, start, held)
    records, people = (np.bincount(of_cell, one, len(first)) for one in (cells.weight, weights.people(table)))
    return Atoms(of_cell, records, people, populations, start, held)


def _starts(populations: Populations, codes: np.ndarray) -> np.ndarray:
    """Where the atoms of each population begin."""
    start = np.zeros(len(populations) + 1, np.int64)
    raking_kernels.members(populations.runs, populations.same, codes, start, np.empty(0, np.int32))
    return start


def _axes(table: Table, populations: Populations) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each attribute the runs that populations have, and the codes of the cells."""
    quasi = table.cells().quasi
    return [
        (np.append(populations.runs[:, a], [[0, table.columns[name].size - 1]], axis=0), quasi[a])
        for a, name in enumerate(table.quasi)
    ]


def _parts(runs: np.ndarray) -> np.ndarray:
    """Codes between the same ends of runs are one part: the part of each code."""
    ends = np.zeros(int(runs[:, 1].max()) + 1, np.int64)
    ends[runs[:, 0]] = 1
    behind = runs[:, 1] + 1
    ends[behind[behind < len(ends)]] = 1
    return np.cumsum(ends)


def _some(populations: Populations, share: float) -> Populations:
    chosen = np.sort(np.random.default_rng(0).permutation(len(populations))[: max(1, int(share * len(populations)))])
    truth = {name: counts[chosen] for name, counts in populations.truth.items()}
    return Populations(populations.runs[chosen], populations.support[chosen], truth, populations.every)
