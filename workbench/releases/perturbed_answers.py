"""Answers of a perturbed release to queries: expected answers, and certain bounds.

A record counts by the product of a factor per queried column. An unchanged column meets a condition or not. A
changed one counts by the inverted matrix of chances, so that counts are right on average, or, where there is
none, by Bayes' rule with the distribution that makes the released column most likely. A sum of all its numbers takes
noisy numbers as they are: the noise cancels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from workbench.base import cell_kernels
from workbench.base.convergence import report_fit
from workbench.base.errors import Undefined
from workbench.base.mixtures import fit_proportions
from workbench.base.progress import checkpoint
from workbench.queries import exact
from workbench.queries.evaluator import Reading, Regions, require_workload
from workbench.queries.exact import COUNT, RegionLevel, Tree, coded, combine_sums, numbers_of
from workbench.queries.workload import Workload
from workbench.releases.responses import Categorical, Drawn, Noise

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
        return self.table.model_view.codes[name] if name in self.table.sensitive else self.table.codes[name]

    def sums(self, which: np.ndarray, summed: np.ndarray, reading: Reading) -> np.ndarray:
        """Return the number of people who meet each query, or their sum of a column."""
        return exact.batch_sums(
            self.tree, [self._level(name, which, summed, reading) for name in self.names], len(which)
        )

    def _level(self, name: str, which: np.ndarray, summed: np.ndarray, reading: Reading) -> exact.Level:
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
        """Return whether a sum covers all numbers of a noisy column; records without a number count as the midpoint."""
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


# Estimates from values that were changed at random: records per population and sensitive value.
#
# A record counts for a population by the probability that its quasi-identifiers are in it; a changed one is inverted by
# Bayes' rule with the maximum likelihood distribution of its column. The sensitive values of a population are then
# either the maximum likelihood estimate, for each population separately, or the inverse of the matrix of probabilities
# times the counts, which is unbiased and may be negative.


def likeliest(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Return the maximum likelihood estimate: populations x values."""
    shares = {name: one.coarse.posterior(one.coarse.likeliest) for name, one in release.drawn.items()}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    drawn = release.drawn[sensitive]
    if not isinstance(drawn.response, Categorical):
        of_kind = release.at_model_level(sensitive, shares[sensitive])
        return _counted(release, runs, same, shares, drawn.coarse.codes, of_kind)
    counts = _counted(release, runs, same, shares, drawn.codes, np.eye(len(drawn.values)))
    found = np.full((len(counts), len(drawn.response.chances)), -1.0)
    if drawn.response.undone is not None:  # without negative counts it is the maximum likelihood estimate
        found = counts @ drawn.response.undone[drawn.values]
    total, below = counts.sum(axis=1, keepdims=True), (found < 0).any(axis=1)
    fitted = fit_proportions(counts[below], drawn.response.likelihood(drawn.values))
    report_fit(fitted.fit)
    found[below] = total[below] * fitted.proportions
    return found


def unbiased(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Return the unbiased estimate: populations x values."""
    narrowed = {name for a, name in enumerate(release.table.quasi) if _narrowed(release, runs, a)}
    shares = {name: _undone(name, one) for name, one in release.drawn.items() if name in narrowed or name == sensitive}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    return _counted(release, runs, same, shares, release.drawn[sensitive].codes, shares[sensitive])


def _undone(name: str, drawn: Drawn) -> np.ndarray:
    """Return the inverse of the probabilities: released x true values."""
    if drawn.response.undone is None:
        raise Undefined(
            f"{name}: there is no unbiased estimate from its released values; use the maximum likelihood estimate"
        )
    return drawn.response.undone[drawn.values]


def _values(
    release: Perturbed, runs: np.ndarray, same: np.ndarray, shares: dict[str, np.ndarray], sensitive: str
) -> np.ndarray:
    """Return the estimate by a sensitive column that is published unchanged."""
    of_kind = np.eye(len(release.table.sensitive[sensitive]))
    return _counted(release, runs, same, shares, release.table.model_view.codes[sensitive], of_kind)


def _narrowed(release: Perturbed, runs: np.ndarray, a: int) -> bool:
    """Return whether any population has a condition on this quasi-identifier."""
    last = release.table.columns[release.table.quasi[a]].size - 1
    return bool(((runs[:, a, 0] > 0) | (runs[:, a, 1] < last)).any())


def _counted(
    release: Perturbed,
    runs: np.ndarray,
    same: np.ndarray,
    shares: dict[str, np.ndarray],
    group: np.ndarray,
    of_kind: np.ndarray,
) -> np.ndarray:
    """Return people per population and value, each person with the distribution of its group."""
    table = release.table
    noisy = [a for a, name in enumerate(table.quasi) if name in release.drawn and _narrowed(release, runs, a)]
    if not noisy:
        quasi = np.stack([table.codes[name] for name in table.quasi])
        amount = np.ones(table.records, np.int64) if table.weight is None else release.people
        return cell_kernels.reach(runs, quasi, amount, group.astype(np.int32), of_kind.astype(float), same)
    codes = [table.codes[name] for name in table.quasi]
    below = {}
    for a in noisy:
        codes[a] = release.drawn[table.quasi[a]].coarse.codes
        below[a] = np.cumsum(np.pad(shares[table.quasi[a]], ((0, 0), (1, 0))), axis=1)
    return _walked(release, runs, same, codes, below, group) @ of_kind


def _walked(
    release: Perturbed,
    runs: np.ndarray,
    same: np.ndarray,
    codes: list[np.ndarray],
    below: dict[int, np.ndarray],
    group: np.ndarray,
) -> np.ndarray:
    """Return populations x groups: each record's factors multiplied attribute by attribute, shared prefixes only
    once."""
    groups, last = int(group.max()) + 1, [release.table.columns[name].size - 1 for name in release.table.quasi]
    counts, stack = np.zeros((len(runs), groups)), [release.people] * (len(last) + 1)
    for p, (run, first) in enumerate(zip(runs.tolist(), same.tolist(), strict=True)):
        checkpoint()
        for a in range(first, len(last)):
            low, high = run[a]
            if low == 0 and high == last[a]:
                stack[a + 1] = stack[a]
            elif a in below:
                stack[a + 1] = stack[a] * (below[a][:, high + 1] - below[a][:, low])[codes[a]]
            else:
                stack[a + 1] = stack[a] * ((codes[a] >= low) & (codes[a] <= high))
        counts[p] = np.bincount(group, stack[-1], groups)
    return counts


# The posterior over released rows where quasi-identifiers were changed at random, by the likelihood of the noise.
#
# The attacker knows a person's quasi-identifiers and their distribution among people who share the unchanged ones, but
# not which row belongs to any other person. The probability that a row is the person's is proportional to the
# likelihood that it was released for the person, relative to that for somebody among those people (Bayes' rule).

BATCH = 4_000_000  # pairs of a person and a row at a time
MAX_PAIRS = 3_000_000_000


def beliefs(
    alike: np.ndarray,
    person: np.ndarray,
    codes: Mapping[str, np.ndarray],
    drawn: Mapping[str, Drawn],
    of_kind: np.ndarray,
    of_row: np.ndarray,
) -> np.ndarray:
    """Return persons x values.

    `alike` numbers the unchanged quasi-identifiers of each record, `person` all of them. `of_kind` has the posterior of
    the sensitive value for each kind of row, and `of_row` the kind of each row.
    """
    found = np.zeros((int(person.max()) + 1, of_kind.shape[1]))
    chances = {name: one.response.likelihood(one.values) for name, one in drawn.items()}
    order = np.argsort(alike, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(alike[order], prepend=-1)), len(order))
    sizes = np.diff(ends)
    if float((sizes.astype(float) ** 2).sum()) > MAX_PAIRS:
        raise Undefined("too many rows may belong to each person; change fewer quasi-identifiers")
    alone = order[ends[:-1][sizes == 1]]
    found[person[alone]] = of_kind[of_row[alone]]
    for g in np.flatnonzero(sizes > 1).tolist():
        rows = order[ends[g] : ends[g + 1]]
        who, first, count = np.unique(person[rows], return_index=True, return_counts=True)
        pairs = [(chances[name], codes[name][rows[first]], one.codes[rows]) for name, one in drawn.items()]
        posteriors = of_kind[of_row[rows]]
        anybody = sum(count[some] @ weights for some, weights in _likelihoods(pairs, len(who), len(rows)))
        for some, weights in _likelihoods(pairs, len(who), len(rows)):
            weights /= anybody
            found[who[some]] = (weights @ posteriors) / weights.sum(axis=1, keepdims=True)
    return found


def _likelihoods(
    pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]], people: int, rows: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield, for some people at a time, the likelihood of each row for each person: people x rows."""
    many = max(1, BATCH // rows)
    for begin in range(0, people, many):
        checkpoint()
        some = slice(begin, min(begin + many, people))
        weights = np.ones((some.stop - begin, rows))
        for chances, of_person, of_row in pairs:
            weights *= chances[of_person[some]][:, of_row]
        yield some, weights
