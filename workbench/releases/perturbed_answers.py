"""What a perturbed release answers to queries: what is expected, and what is certain.

A record counts as far as each column that is asked about lets it. An unchanged column meets a condition or not. A
changed one counts by the inverted matrix of chances, so that counts are right on average, or, where there is
none, by Bayes' rule with the distribution that makes the released column most likely. A sum of all its numbers takes
noisy numbers as they are: the noise cancels.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import Undefined
from workbench.queries import batch_sums
from workbench.queries.batch_sums import RegionLevel
from workbench.queries.evaluator import Reading, require_workload
from workbench.queries.exact import COUNT, coded, combine_sums, numbers_of
from workbench.queries.regions import Regions
from workbench.queries.tree import Tree
from workbench.queries.workload import Workload
from workbench.releases.responses import Drawn, Noise

if TYPE_CHECKING:
    from workbench.releases.perturbed import Perturbed


def expected(release: Perturbed, given: Workload) -> np.ndarray:
    """Return the expected answers; a count is at least 0 and at most the number of people."""
    prepared, everybody = _PreparedWorkload(release, given), float(release.people.sum())

    def sums(which: np.ndarray, summed: np.ndarray) -> np.ndarray:
        found = prepared.sums(which, summed, Regions.shares)
        return np.where(summed < 0, np.clip(found, 0, everybody), found)

    return combine_sums(prepared.workload, sums)


def certain(release: Perturbed, given: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return the minimum and maximum of each count."""
    prepared = _PreparedWorkload(release, given)
    if (prepared.workload.aggregate != COUNT).any():
        raise Undefined("for a release that was changed at random, only counts have bounds; use no sum or average")
    every = np.arange(len(prepared.workload)), np.full(len(prepared.workload), -1)
    return prepared.sums(*every, Regions.inside), prepared.sums(*every, Regions.meeting)


class _PreparedWorkload:
    """A workload prepared for a release: its records grouped by the queried columns."""

    def __init__(self, release: Perturbed, given: Workload) -> None:
        self.release, self.workload, self.table = release, require_workload(release, given), release.table
        self.names = list(self.workload.columns)
        if self.table.weight in self.names:
            raise Undefined(f"{self.table.weight} is the weight of records, which is not published")
        self.drawn = {name: one.coarse for name, one in release.drawn.items()}
        codes = [self.drawn[name].codes if name in self.drawn else self._codes(name) for name in self.names]
        self.tree = Tree.from_columns(codes, release.people)
        self.weights: dict[str, np.ndarray] = {}

    def _codes(self, name: str) -> np.ndarray:
        return self.table.sensitive_codes(name) if name in self.table.sensitive else self.table.codes[name]

    def sums(self, which: np.ndarray, summed: np.ndarray, reading: Reading) -> np.ndarray:
        """Return the number of people who meet each query, or their sum of a column."""
        return batch_sums.sums(
            self.tree, [self._level(name, which, summed, reading) for name in self.names], len(which)
        )

    def _level(self, name: str, which: np.ndarray, summed: np.ndarray, reading: Reading) -> batch_sums.Level:
        if name not in self.drawn and not self._of_nodes(name):
            return coded(self.workload, name, which, summed)
        regions = Regions.nodes(self.table.columns[name], self._of_nodes(name))
        size = len(self.drawn[name].values) if name in self.drawn else len(regions)
        at = self.workload.conditions.at[which, self.workload.columns.index(name)]

        def table(some: slice) -> np.ndarray:
            return self._factors(name, regions, at[some], summed[some] == self.workload.columns.index(name), reading)

        return RegionLevel(size, at, table)

    def _of_nodes(self, name: str) -> int:
        """Return the level whose nodes are published; 0 for a column with added noise."""
        noisy = name in self.drawn and isinstance(self.drawn[name].response, Noise)
        return 0 if noisy else self.table.levels.get(name, 0)

    def _factors(self, name: str, regions: Regions, at: np.ndarray, summed: np.ndarray, reading: Reading) -> np.ndarray:
        """Return released values x queries: the factor of each for each query."""
        weigh = partial(self._weighed, name) if name in self.drawn else lambda factors, _: factors
        conditioned = at >= 0
        found, numbers = np.ones((len(self.drawn[name].values) if name in self.drawn else len(regions), len(at))), None
        plain = conditioned & ~summed
        if plain.any():
            found[:, plain] = weigh(reading(regions, self.workload.conditions.bits, at[plain]), reading)
        for q in np.flatnonzero(conditioned & summed):
            numbers = numbers_of(self.table.columns[name])
            values = regions.values(self.workload.conditions.bits, at[q : q + 1], numbers)
            whole = Regions.shares(regions, self.workload.conditions.bits, at[q : q + 1])[: len(numbers)]
            if name in self.drawn and self._unasked(name, whole):
                found[:, q] = self.drawn[name].values
            else:
                found[:, q] = weigh(values, reading)[:, 0]
        return found

    def _unasked(self, name: str, whole: np.ndarray) -> bool:
        """Return whether a sum covers all numbers of a noisy column; records without a number got the middle one."""
        column, noisy = self.table.columns[name], isinstance(self.drawn[name].response, Noise)
        return noisy and not column.missing and bool((whole == 1).all())

    def _weighed(self, name: str, factors: np.ndarray, reading: Reading) -> np.ndarray:
        """Convert factors of true values to factors of released values."""
        drawn = self.drawn[name]
        if reading is Regions.shares:
            return self._counts_for(name, drawn) @ factors
        possible = drawn.response.likelihood(drawn.values).T > 0 if not isinstance(drawn.response, Noise) else None
        if possible is None:  # any number may be released for any
            some = factors.min(axis=0) if reading is Regions.inside else factors.max(axis=0)
            return np.repeat(some[None, :], len(drawn.values), axis=0)
        if reading is Regions.inside:
            return ((possible.astype(float) @ (1 - factors)) == 0).astype(float)
        return ((possible.astype(float) @ factors) > 0).astype(float)

    def _counts_for(self, name: str, drawn: Drawn) -> np.ndarray:
        """Return released x true values: the expected count of each true value per released one."""
        if name not in self.weights:
            undone = drawn.response.undone
            self.weights[name] = drawn.posterior(drawn.likeliest) if undone is None else undone[drawn.values]
        return self.weights[name]
