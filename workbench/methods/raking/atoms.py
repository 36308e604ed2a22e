"""Atoms: people whom no large population distinguishes, and the atoms of each population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.methods.raking import raking_kernels
from workbench.models.distances import jensen_shannon
from workbench.queries.populations import Populations, large_populations

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MEMBERS = 50_000_000  # of all populations together; beyond, a fixed sample of populations is used


@dataclass(frozen=True, eq=False, repr=False)
class Atoms:
    """`of_cell` is the atom of each of the table's cells; `start` and `members` are as in `raking_kernels`."""

    of_cell: np.ndarray
    records: np.ndarray  # the number of records of each atom
    people: np.ndarray  # the number of people that these represent
    populations: Populations
    start: np.ndarray
    members: np.ndarray

    @classmethod
    def from_table(cls, table: Table, min_support: float) -> Atoms:
        """Return the atoms of all populations with at least this share of the records, cached per table."""
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
        """Populations x atoms: 1 if the population contains the atom."""
        from scipy.sparse import csr_matrix  # not needed to list the methods when the workbench starts

        return csr_matrix((np.ones(len(self.members)), self.members, self.start), (len(self.populations), len(self)))

    @cached_property
    def held(self) -> np.ndarray:
        """The number of people of each population, as a column."""
        return np.maximum(self.sums(self.people)[:, None], np.finfo(float).tiny)

    def sums(self, of_atoms: np.ndarray) -> np.ndarray:
        """Return the sum over the atoms of each population."""
        return self._holds @ of_atoms

    def back(self, of_populations: np.ndarray) -> np.ndarray:
        """Return the sum over the populations that contain each atom."""
        return self._holds.T @ of_populations

    def shared(self, some: np.ndarray) -> np.ndarray:
        """Return the number of populations that contain both of two atoms: some of the atoms x all."""
        return (self._holds[:, some].T @ self._holds).toarray()

    def shares(self, group: np.ndarray) -> np.ndarray:
        """Return the share of each population in each group of atoms, populations x groups."""
        from scipy.sparse import csr_matrix

        of_group = csr_matrix((self.people, (np.arange(len(self)), group)), (len(self), int(group.max()) + 1))
        return (self._holds @ of_group).toarray() / self.held

    def loss(self, estimates: Mapping[str, np.ndarray]) -> float:
        """Return the mean divergence of estimates from the truth about populations, of the worst sensitive column.

        This is U_loss for the populations that these atoms were made for; estimates are populations x values.
        """
        if not len(self.populations):
            return 0.0
        return max(float(jensen_shannon(self.truth[name], of).mean()) for name, of in estimates.items())


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
    """Return the offset of each population's atoms."""
    start = np.zeros(len(populations) + 1, np.int64)
    raking_kernels.members(populations.runs, populations.same, codes, start, np.empty(0, np.int32))
    return start


def _axes(table: Table, populations: Populations) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each attribute the runs of populations, and the codes of the cells."""
    quasi = table.cells().quasi
    return [
        (np.append(populations.runs[:, a], [[0, table.columns[name].size - 1]], axis=0), quasi[a])
        for a, name in enumerate(table.quasi)
    ]


def _parts(runs: np.ndarray) -> np.ndarray:
    """Return the part of each code: codes between consecutive ends of runs share a part."""
    ends = np.zeros(int(runs[:, 1].max()) + 1, np.int64)
    ends[runs[:, 0]] = 1
    behind = runs[:, 1] + 1
    ends[behind[behind < len(ends)]] = 1
    return np.cumsum(ends)


def _some(populations: Populations, share: float) -> Populations:
    chosen = np.sort(np.random.default_rng(0).permutation(len(populations))[: max(1, int(share * len(populations)))])
    truth = {name: counts[chosen] for name, counts in populations.truth.items()}
    return Populations(populations.runs[chosen], populations.support[chosen], truth, populations.every)
