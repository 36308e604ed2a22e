"""Atoms, people whom no large population distinguishes, and beliefs about them, raked to the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.convergence import Fit, report_fit
from workbench.base.progress import checkpoint
from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.models.distribution_distances import jensen_shannon
from workbench.queries.populations import Populations, large_populations

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


MEMBERS = 50_000_000  # of all populations together; beyond, a fixed sample of populations is used


@dataclass(frozen=True, eq=False, repr=False)
class Atoms:
    """`of_cell` is the atom of each of the table's cells; population p has atoms `members[start[p]:start[p + 1]]`."""

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
        return max(float(jensen_shannon(self.truth[name], estimate).mean()) for name, estimate in estimates.items())


def _found(table: Table, min_support: float) -> Atoms:
    cells, populations = table.cells(), large_populations(table, min_support)
    first, of_cell = distinct_rows(np.stack([_parts(runs)[codes] for runs, codes in _axes(table, populations)], axis=1))
    codes = np.ascontiguousarray(cells.quasi[:, first], np.int32)
    start = _starts(populations, codes)
    if start[-1] > MEMBERS:
        populations = _some(populations, MEMBERS / start[-1])
        start = _starts(populations, codes)
    held = np.empty(start[-1], np.int32)
    find_members(populations.runs, populations.same, codes, start, held)
    records, people = (np.bincount(of_cell, one, len(first)) for one in (cells.weight, weights.people(table)))
    return Atoms(of_cell, records, people, populations, start, held)


def _starts(populations: Populations, codes: np.ndarray) -> np.ndarray:
    """Return the offset of each population's atoms."""
    start = np.zeros(len(populations) + 1, np.int64)
    find_members(populations.runs, populations.same, codes, start, np.empty(0, np.int32))
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


# Beliefs about atoms, raked to the truth about large populations, and the limit that a model sets for them.

HALVINGS = 14  # of the way to the whole table's distribution
MANY = 1_000_000_000  # records of a group that is large enough for any model


class Limit(NamedTuple):
    """A model, applied to one sensitive column."""

    model: Model | None
    sensitive: Sensitive

    def holds(self, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return which groups satisfy the model."""
        if self.model is None:
            return np.ones(len(counts), bool)
        name = self.sensitive.name
        return self.model.holds(Classes(sizes, {name: counts}, {name: self.sensitive}, exact=True))

    def inside(self, beliefs: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        """Move beliefs that violate the model along the line to the whole table's distribution until they satisfy it.

        `room` is a share of the way by which they move further, so that whole records satisfy the model too.
        """
        far, prior = ~self._allowed(beliefs), self.sensitive.prior
        kept, least, most = beliefs.copy(), np.zeros(int(far.sum())), np.ones(int(far.sum()))
        for _ in range(HALVINGS if far.any() else 0):
            middle = (least + most) / 2
            allowed = self._allowed(prior + (beliefs[far] - prior) * middle[:, None])
            least, most = np.where(allowed, middle, least), np.where(allowed, most, middle)
        if room is not None:
            least = least * (1 - room[far])
        kept[far] = prior + (beliefs[far] - prior) * least[:, None]
        return kept

    def _allowed(self, beliefs: np.ndarray) -> np.ndarray:
        sizes = np.full(len(beliefs), MANY)
        return self.holds(beliefs * MANY, sizes)


PASSES = 2  # over all populations
STILL = 1e-3  # change of a belief in the last pass that counts as converged


def rake_beliefs(atoms: Atoms, limit: Limit) -> np.ndarray:
    """Return beliefs about each atom, atoms x values."""
    name = limit.sensitive.name
    found, moved = np.repeat(limit.sensitive.prior[None, :], len(atoms), axis=0), 0.0
    for number in range(PASSES):
        before = found.copy()
        checkpoint(f"beliefs about {name}, {number + 1} of {PASSES}")
        rake_once(found, atoms.people, atoms.start, atoms.members, atoms.truth[name])
        found = limit.inside(found)
        moved = float(np.abs(found - before).max(initial=0))
    report_fit(Fit("raking to large populations", PASSES, moved, moved <= STILL))
    return found


# Gradient steps on the histograms of buckets that reduce their error about large populations.

STEPS, STEP_HALVINGS = 20, 12
POLISHED = 1e-3  # converged if the last step removed at most this share of the error
RARE = 0.002  # lower bound for shares: differences of rare values matter more
FARTHEST = 3.0  # the largest exponent of a step
ROOM = 0.75  # of a record: distance from the limit, so that whole records satisfy it


def polish(found: np.ndarray, shares: np.ndarray, truth: np.ndarray, sizes: np.ndarray, limit: Limit) -> np.ndarray:
    """Return the histograms, buckets x values, after gradient steps on logarithms; totals and limit hold after each."""
    room, totals = np.minimum(ROOM / sizes, 0.5), limit.sensitive.totals

    def allowed(beliefs: np.ndarray) -> np.ndarray:
        for _ in range(2):
            beliefs = beliefs * (totals / np.maximum(sizes @ beliefs, np.finfo(float).tiny))
            beliefs /= beliefs.sum(axis=1, keepdims=True)
        return limit.inside(beliefs, room)

    found, settled, number = allowed(found), False, 0
    error, slope = _error(found, shares, truth)
    slope = slope * (sizes.sum() / sizes[:, None])
    gained = 0.0  # share of the error that the last step removed
    reach = 1 / max(float(np.abs(slope).max(initial=0)), np.finfo(float).tiny)
    for number in range(STEPS):
        checkpoint(f"histograms, {number + 1} of at most {STEPS}")
        for _ in range(STEP_HALVINGS):
            moved = allowed(found * np.exp(np.clip(-reach * slope, -FARTHEST, FARTHEST)))
            nearer, next_slope = _error(moved, shares, truth)
            if nearer < error:
                break
            reach /= 2
        else:
            settled = True
            break
        gained = (error - nearer) / error
        found, error, reach = moved, nearer, reach * 1.5
        slope = next_slope * (sizes.sum() / sizes[:, None])
    gained = 0.0 if settled else gained
    report_fit(Fit("gradient steps of the buckets' histograms", number + 1, gained, gained <= POLISHED))
    return found


def error_of(estimates: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    """Return an approximation of the mean divergence over populations, and its gradient."""
    off, weight = estimates - truth, 1 / (4 * np.maximum(truth + estimates, RARE)) / max(len(truth), 1)
    return float((weight * off**2).sum()), 2 * weight * off


def _error(found: np.ndarray, shares: np.ndarray, truth: np.ndarray) -> tuple[float, np.ndarray]:
    error, slope = error_of(shares @ found, truth)
    return error, shares.T @ slope


# Compiled kernels; `codes` is attributes x atoms, and `weight` the number of people of each atom.

LEAST = 1e-5  # added to shares to avoid division by 0
SMALLEST, LARGEST = 0.2, 5.0  # bounds on the factor by which a belief changes at a time


@compiled
def find_members(runs: np.ndarray, same: np.ndarray, codes: np.ndarray, start: np.ndarray, found: np.ndarray) -> None:
    """Find the atoms of each population, reusing the axes that each shares with the one before.

    They are written to `found` if there is room, and counted in `start`.
    """
    axes, atoms = codes.shape
    here = np.empty((axes + 1, atoms), np.int32)
    size = np.zeros(axes + 1, np.int64)
    here[0], size[0] = np.arange(atoms), atoms
    for p in range(len(runs)):
        for a in range(same[p], axes):
            n, low, high = 0, runs[p, a, 0], runs[p, a, 1]
            for i in range(size[a]):
                atom = here[a, i]
                if low <= codes[a, atom] <= high:
                    here[a + 1, n] = atom
                    n += 1
            size[a + 1] = n
        begin = start[p]
        start[p + 1] = begin + size[axes]
        if start[p + 1] <= len(found):
            found[begin : start[p + 1]] = here[axes, : size[axes]]


@compiled
def rake_once(beliefs: np.ndarray, weight: np.ndarray, start: np.ndarray, held: np.ndarray, truth: np.ndarray) -> None:
    """Move the beliefs about each population's atoms towards its true shares, one population after the other."""
    values = beliefs.shape[1]
    factor = np.empty(values)
    for p in range(len(start) - 1):
        factor[:] = 0
        people = 0.0
        for i in range(start[p], start[p + 1]):
            people += weight[held[i]]
            for v in range(values):
                factor[v] += weight[held[i]] * beliefs[held[i], v]
        if people == 0:
            continue
        for v in range(values):
            ratio = (truth[p, v] + LEAST) / (factor[v] / people + LEAST)
            factor[v] = min(max(np.sqrt(ratio), SMALLEST), LARGEST)
        for i in range(start[p], start[p + 1]):
            total = 0.0
            for v in range(values):
                beliefs[held[i], v] *= factor[v]
                total += beliefs[held[i], v]
            for v in range(values):
                beliefs[held[i], v] /= total
