"""A perturbed release: one row per record, with the values of some columns changed at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.convergence import report_fit
from workbench.base.errors import Undefined
from workbench.base.progress import checkpoint
from workbench.data import weights
from workbench.data.records import published_values
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.queries import exact
from workbench.queries.evaluator import Reading, Regions, require_workload
from workbench.queries.exact import COUNT, RegionLevel, Tree, coded, combine_sums, numbers_of
from workbench.queries.populations import Populations
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import SMALLEST
from workbench.releases.base import (
    NOTHING_STATED,
    OWN_CLASS,
    About,
    Posterior,
    Release,
    as_runs,
    require_sensitive,
    require_shown,
)
from workbench.releases.codebook import Entry
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.responses import Categorical, Drawn, Noise, fit_proportions
from workbench.releases.shown import Shown, at_level
from workbench.releases.side_information import SideInformationRisk, count_side_information, number_combinations

# Answers of a perturbed release to queries: expected answers, and certain bounds.
#
# A record counts by the product of a factor per queried column. An unchanged column meets a condition or not. A changed
# one counts by the inverted matrix of chances, so that counts are right on average, or, where there is none, by Bayes'
# rule with the distribution that makes the released column most likely. A sum of all its numbers takes noisy numbers as
# they are: the noise cancels.


def estimate_answers(release: Perturbed, given: Workload) -> np.ndarray:
    """Return the expected answers; a count is at least 0 and at most the number of people."""
    prepared, everybody = _PreparedWorkload(release, given), float(release.people.sum())

    def sums(which: np.ndarray, summed: np.ndarray) -> np.ndarray:
        found = prepared.sums(which, summed, Regions.shares)
        return np.where(summed < 0, np.clip(found, 0, everybody), found)

    return combine_sums(prepared.workload, sums)


def bound_answers(release: Perturbed, given: Workload) -> tuple[np.ndarray, np.ndarray]:
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


def estimate_likeliest(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
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


def estimate_unbiased(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
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


def posterior_beliefs(
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
        for some, shares in _likelihoods(pairs, len(who), len(rows)):
            shares /= anybody
            found[who[some]] = (shares @ posteriors) / shares.sum(axis=1, keepdims=True)
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


NO_CLASSES = "its values were changed at random, record by record, so it has no classes"


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(Release):
    """A release whose columns in `drawn` were changed; every record is published, but nobody's row is known.

    An attacker who knows a person's quasi-identifiers considers the rows that agree in the unchanged ones, weighted by
    the likelihood of the noise, and applies Bayes' rule to what a row shows of a sensitive value.
    """

    table: Table
    drawn: Mapping[str, Drawn]
    about: About = NOTHING_STATED

    def __repr__(self) -> str:
        return f"<Perturbed release of {self.table.records:,} records: {', '.join(self.drawn)}>"

    @property
    def classes(self) -> Classes:
        raise Undefined(NO_CLASSES)

    # --- groups

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The quasi-identifiers that are published unchanged."""
        return tuple(name for name in self.table.quasi if name not in self.drawn)

    @property
    def neutral(self) -> list[str]:
        """The neutral columns that are published unchanged."""
        return [name for name in self.table.neutral if name not in self.drawn]

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The index of each record's combination of quasi-identifiers: the groups of `posterior`."""
        return number_combinations(self.table, self.table.quasi)

    @property
    def published_records(self) -> np.ndarray:
        """The indices of all records."""
        return np.arange(self.table.records)

    def shown(self, name: str, seed: int = 0) -> Shown:
        """Return codes or numbers, as they were drawn."""
        require_shown(self, name)
        column, level, drawn = self.table.columns[name], self.table.levels.get(name, 0), self.drawn.get(name)
        if drawn is not None and isinstance(drawn.response, Noise):
            return Shown(column, numbers=drawn.released.astype(float))
        return at_level(column, level, self._codes(name) if drawn is None else drawn.released)

    @property
    def changed_columns(self) -> dict[str, np.ndarray | None]:
        return dict.fromkeys(self.drawn)

    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        """Return the risk from the unchanged columns: a value that was changed at random is certain for nobody."""
        names = tuple(self.neutral if neutral is None else neutral)

        def risk() -> SideInformationRisk:
            same, known = (number_combinations(self.table, some) for some in (self.unchanged, names))
            sure = {name: self._codes(name) for name in self.table.sensitive if self._is_sure(name)}
            return count_side_information(names, same, known, sure)

        return self.remember(("side information", names), risk)

    def _is_sure(self, name: str) -> bool:
        return name not in self.drawn or self.drawn[name].response.certain

    def _codes(self, name: str) -> np.ndarray:
        """Return the true value of each record, at the level of publication."""
        return self.table.model_view.codes[name] if name in self.table.sensitive else self.table.codes[name]

    # --- the attacker

    def posterior(self, sensitive: str, adversary: str = OWN_CLASS) -> Posterior:
        """Return the beliefs about people with the same quasi-identifiers; without classes, attackers do not differ."""
        require_sensitive(self.table, sensitive)
        return self.remember(("posterior", sensitive), lambda: self._believe(sensitive))

    def _believe(self, sensitive: str) -> Posterior:
        of_kind, of_row = self._posterior_of_rows(sensitive)
        groups = self.group_of_record
        sizes = np.bincount(groups)
        noisy = {name: self.drawn[name] for name in self.table.quasi if name in self.drawn}
        if not noisy:
            ones = np.ones(len(groups), np.int64)
            counts = cell_kernels.histogram(groups, of_row, ones, len(sizes), len(of_kind))
            return Posterior(sizes, counts @ of_kind / sizes[:, None])
        alike = number_combinations(self.table, self.unchanged)
        codes = {name: self.table.codes[name] for name in noisy}
        return Posterior(sizes, posterior_beliefs(alike, groups, codes, noisy, of_kind, of_row))

    def _posterior_of_rows(self, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the posterior of the sensitive value for each kind of row (Bayes' rule), and the kind of each row."""
        seen = self.table.sensitive[sensitive]
        if sensitive not in self.drawn:
            return np.eye(len(seen)), self._codes(sensitive)
        drawn = self.drawn[sensitive]
        return self.at_model_level(sensitive, drawn.posterior(self._prior(sensitive))), drawn.codes

    def _prior(self, sensitive: str) -> np.ndarray:
        """Return Q of the values that the response changes."""
        if isinstance(self.drawn[sensitive].response, Noise):
            return self.table.columns[sensitive].totals / self.table.records
        return self.table.sensitive[sensitive].prior

    def at_model_level(self, sensitive: str, beliefs: np.ndarray) -> np.ndarray:
        """Convert beliefs about codes to beliefs about the values of the model level."""
        level = self.table.levels.get(sensitive, 0)
        if not level or beliefs.shape[1] == len(self.table.sensitive[sensitive]):
            return beliefs
        node = self.table.columns[sensitive].node(level - 1)
        return np.add.reduceat(beliefs, np.flatnonzero(np.diff(node, prepend=-1)), axis=1)

    # --- estimates

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return the maximum likelihood estimate of records per population and value."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            require_sensitive(self.table, sensitive)
        return estimate_likeliest(self, runs, same, sensitive)

    def unbiased(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return an unbiased estimate, which may be negative; raise Undefined if noise was added to numbers."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            require_sensitive(self.table, sensitive)
        return estimate_unbiased(self, runs, same, sensitive)

    @cached_property
    def people(self) -> np.ndarray:
        """The number of people whom each record represents."""
        return np.ones(self.table.records) if self.table.weight is None else weights.of_record(self.table)

    def count(self, workload: Workload) -> np.ndarray:
        """Return the expected answer to each query."""
        return estimate_answers(self, workload)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on each true count: a changed value may be any value that can be released as this one."""
        return bound_answers(self, workload)

    # --- files

    def rows(self) -> dict[str, Rows]:
        """Return one table, one row per record in random order."""
        return {"release": Rows.shuffled([self._column(name) for name in released_columns(self.table)])}

    def _column(self, name: str) -> CodedColumn:
        if name not in self.drawn:
            return CodedColumn(name, published_values(self.table, name), self._codes(name))
        drawn = self.drawn[name]
        if isinstance(drawn.response, Noise):
            return CodedColumn(name, pd.Series(drawn.values), drawn.codes)
        return CodedColumn(
            name, published_values(self.table, name).iloc[drawn.values].reset_index(drop=True), drawn.codes
        )

    @property
    def layout(self) -> dict[str, Any]:  # type: ignore[override]
        return {"kind": "noise", "columns": {name: drawn.response.layout for name, drawn in self.drawn.items()}}

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """Return how the values of each changed column were drawn: everything that estimates need."""
        found = []
        for name, drawn in self.drawn.items():
            response = drawn.response
            if isinstance(response, Noise):
                ends = f"{response.low:g}", f"{response.high:g}"
                found.append(
                    Entry(name, f"number + Laplace noise of scale {response.scale:g}", *ends, missing=False, drawn=True)
                )
            else:
                found.append(Entry(name, response.words, "", "", bool(self.table.columns[name].missing), drawn=True))
                found += self._chances(name, response) if response.listed else []
        return found

    def _chances(self, name: str, response: Categorical) -> list[Entry]:
        """Return an entry for each true value, with the probability of each value that may be released for it."""
        labels = self.table.sensitive[name].labels if name in self.table.sensitive else self._labels(name)
        return [
            Entry(
                name, f"true: {labels[v]}", "", "", False, tuple(f"{labels[r]}: {row[r]:.6g}" for r in row.nonzero()[0])
            )
            for v, row in enumerate(response.chances)
        ]

    def _labels(self, name: str) -> tuple[str, ...]:
        return self.table.columns[name].value_labels()


def likelihood_of_rows(release: Release, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the likelihood of each kind of row (values x kinds), and the kind of each record's row.

    Raise Undefined where people are not found by their quasi-identifiers.
    """
    if not isinstance(release, Perturbed):
        raise Undefined("this release has neither classes nor rows with noise, so no model of its rows can be learned")
    seen = release.table.sensitive[sensitive]
    if changed := [name for name in release.table.quasi if name in release.drawn]:
        raise Undefined(f"{NO_CLASSES}, and with noise on {', '.join(changed)} no model of its rows can be learned")
    if sensitive not in release.drawn:
        return np.eye(len(seen)), release._codes(sensitive)
    drawn = release.drawn[sensitive]
    likelihood = drawn.response.likelihood(drawn.values)
    if len(likelihood) != len(seen):
        raise Undefined(
            f"noise was added to the numbers of {sensitive}, not at its level: no model of it can be learned"
        )
    return likelihood, drawn.codes
