"""The learning attacker: learns from all classes together how sensitive values depend on the quasi-identifiers, knows
everybody's quasi-identifiers, and so distinguishes the people within a class.

Expectation maximization: a model (logistic, or naive Bayes) is fitted to the beliefs about everybody; new beliefs are
the model's, scaled to add up to the published counts of each class (Sinkhorn), or updated by the perturbed values of a
row (Bayes). A model of the original, which no release contains, describes the population; what it predicts is therefore
not learned about anybody from a release.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.base.convergence import Fit, report_fit
from workbench.base.errors import Undefined
from workbench.base.progress import checkpoint
from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases.base import Posterior, Release
from workbench.releases.perturbed import likelihood_of_rows

# Models of a sensitive value given the quasi-identifiers, fitted to beliefs about the population.

LOGISTIC, BAYES = "logistic", "naive bayes"
PENALTY = 1.0  # equals a normal prior with deviation 1 for each coefficient
KINDS = 30_000  # kinds of people to fit a model to; of more a random sample
MOST = 100  # values or nodes of a column that the model distinguishes: the commonest
LOWEST = 1e-300  # lower limit for logarithms
SEEN = 1.0  # smoothing: the number of people added per value, distributed like the population


class Model(Protocol):
    """A model of kinds of people: those with identical quasi-identifiers."""

    kinds: int

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Model:
        """Create the model from the kind of each record and the number of sensitive values."""

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, starting from its present parameters."""


class Logistic:
    """A multinomial logistic model of a sensitive value given the quasi-identifiers."""

    def __init__(self, rows: np.ndarray, chosen: np.ndarray, values: int) -> None:
        self._rows, self._chosen, self.kinds = rows, chosen, len(rows)
        self._weights = np.zeros((rows.shape[1], values))

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Logistic:
        codes = _codes(table, kind)
        rows = np.hstack([_design_columns(table.columns[name], one) for name, one in codes.items()])
        chosen = np.arange(len(rows))
        if len(rows) > KINDS:
            chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:KINDS])
        return cls(np.hstack([rows, np.ones((len(rows), 1))]), chosen, values)

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""
        return _softmax(self._rows @ self._weights)[0]

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, starting from its present parameters."""
        from scipy.optimize import minimize

        rows, wanted = self._rows[self._chosen], counts[self._chosen]
        people = wanted.sum(axis=1, keepdims=True)

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            checkpoint()
            weights = flat.reshape(self._weights.shape)
            shares, logarithms = _softmax(rows @ weights)
            slope = rows.T @ (people * shares - wanted) + PENALTY * weights
            value = PENALTY * (weights**2).sum() / 2 - (wanted * logarithms).sum()
            return value / people.sum(), slope.ravel() / people.sum()

        start = self._weights.ravel()
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
        self._weights = found.x.reshape(self._weights.shape)
        return Fit("logistic regression (L-BFGS)", int(found.nit), float(np.abs(found.jac).max()), bool(found.success))


class Bayes:
    """Naive Bayes: quasi-identifiers are independent of each other given the sensitive value."""

    def __init__(self, codes: list[np.ndarray], kinds: int, values: int) -> None:
        self._codes, self.kinds = codes, kinds
        self._scores = np.zeros((kinds, values))

    @classmethod
    def from_table(cls, table: Table, kind: np.ndarray, values: int) -> Bayes:
        codes = [*_codes(table, kind).values()]
        return cls(codes, len(codes[0]), values)

    def beliefs(self) -> np.ndarray:
        """Return the distribution of the sensitive value for each kind."""
        return _softmax(self._scores)[0]

    def fit(self, counts: np.ndarray, steps: int) -> Fit:
        """Fit the model to counts of people by kind and value, in one step."""
        everybody = counts.sum(axis=0)
        self._scores = np.tile(np.log(np.maximum(everybody, LOWEST)), (self.kinds, 1))
        for codes in self._codes:
            checkpoint()
            sums = np.stack([np.bincount(codes, one) for one in counts.T], axis=1)
            spread = sums.sum(axis=1, keepdims=True) / everybody.sum()
            self._scores += np.log(np.maximum((sums + SEEN * spread) / (everybody + SEEN), LOWEST))[codes]
        return Fit(BAYES, 1, 0.0, True)


ADVERSARY_MODELS: dict[str, type[Model]] = {LOGISTIC: Logistic, BAYES: Bayes}


def _codes(table: Table, kind: np.ndarray) -> dict[str, np.ndarray]:
    """Return the codes of each kind of people, by quasi-identifier."""
    first = np.unique(kind, return_index=True)[1]
    return {name: table.codes[name][first] for name in table.quasi}


def _design_columns(column: Column, codes: np.ndarray) -> np.ndarray:
    """Return the model's inputs for a column: indicators of the commonest values and nodes, and the scaled number."""
    if column.size <= MOST:
        return np.eye(column.size)[codes]
    found = []
    for of_code in column.released_at[:-1]:
        common = np.argsort(-np.bincount(of_code, column.totals), kind="stable")[:MOST]
        found.append(of_code[codes][:, None] == np.sort(common))
    if column.kind != "text":
        at = column.positions[: len(column.values)]
        found.append(np.append((at - at.mean()) / (at.std() or 1.0), 0.0)[codes, None])
    return np.hstack(found).astype(float)


def _softmax(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares and their logarithms."""
    scores = scores - scores.max(axis=1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return np.exp(logarithms), logarithms


ROUNDS, SINKHORN = 12, 12
STEPS, POPULATION_STEPS, FOLDS = 15, 60, 3  # iterations of the model in a round, and of models of the original
STILL, ADDED_UP = 1e-3, 1e-6  # largest change of a belief in a round, and of a class's shares, at convergence
TIE = 1e-6  # relative difference of two beliefs that a fit does not determine
TINY, DOUBT = 1e-300, 1e-9  # lower limits of a scale factor, and of the belief in a true value
MEMORY, ARRAYS = 4_000_000_000, 12  # bytes that beliefs may use, and how many copies exist at once


class AdversaryBeliefs(NamedTuple):
    """Beliefs about units of people, and how many people of each unit have each value; for the analyst only."""

    beliefs: np.ndarray
    true: np.ndarray

    @property
    def right(self) -> float:
        """The expected number of people for whom the best guess is right."""
        return float(count_right_guesses(self.beliefs, self.true).sum())

    def mean_log_gain(self, prior: np.ndarray) -> float:
        """Return the average gain in the logarithm of the belief in the true value."""
        unit, value = self.true.nonzero()
        gained = np.log(np.maximum(self.beliefs[unit, value], DOUBT) / prior[value])
        return float(gained @ self.true[unit, value] / self.true.sum())


def count_right_guesses(beliefs: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return for how many people of each group the best guess is right; ties share the success.

    Beliefs come from sums and fits, so values whose beliefs differ by less than `TIE` are equally likely.
    """
    best = beliefs >= beliefs.max(axis=1, keepdims=True) * (1 - TIE)
    found: np.ndarray = (true * best).sum(axis=1) / best.sum(axis=1)
    return found


class LearnedBeliefs(NamedTuple):
    """Beliefs about units (people with identical quasi-identifiers in one class): the learning attacker's, those from
    the class alone, and those of models of the population. `true` has the true counts; `seconds` is processor time.
    """

    learning: np.ndarray
    own: np.ndarray
    population: AdversaryBeliefs  # about the units in each fold
    true: np.ndarray
    quasi: np.ndarray  # attributes x units: codes
    people: np.ndarray  # number of people per unit
    of_record: np.ndarray  # the unit of each record
    seconds: float
    fits: tuple[Fit, ...]

    @property
    def posterior(self) -> Posterior:
        """The beliefs of the learning attacker."""
        return Posterior(self.true.sum(axis=1), self.learning)

    def right(self, beliefs: np.ndarray) -> float:
        """Return the expected number of people for whom the best guess is right."""
        return AdversaryBeliefs(beliefs, self.true).right

    def mean_log_gain(self, beliefs: np.ndarray, prior: np.ndarray) -> float:
        """Return the average gain in the logarithm of the belief in the true value."""
        return AdversaryBeliefs(beliefs, self.true).mean_log_gain(prior)


def learned_beliefs(release: Release, sensitive: str, learner: str = LOGISTIC) -> LearnedBeliefs:
    """Return the beliefs about a sensitive column, computed once per release."""
    key = "learning", sensitive, learner
    found = release.remember(key, lambda: _learn(release, sensitive, learner))
    for fit in found.fits:
        report_fit(fit)
    return found


def _learn(release: Release, sensitive: str, learner: str) -> LearnedBeliefs:
    table, began, model_of = release.table, time.thread_time(), ADVERSARY_MODELS[learner].from_table
    if sensitive in release.unpublished_columns:
        raise Undefined(f"{sensitive} is not published, so nothing is learned about it")
    table.engine.require_memory("a learning attacker considers people one by one")
    kind, values = _kinds(table), len(table.sensitive[sensitive])
    if 8 * ARRAYS * (kinds := int(kind.max()) + 1) * values > MEMORY:
        raise Undefined(
            f"{kinds:,} kinds of people with {values:,} values of {sensitive} do not fit in {MEMORY / 1e9:g} GB of "
            f"memory; declare a level for {sensitive}, or choose fewer quasi-identifiers"
        )
    try:
        classes = release.own_classes
    except Undefined:
        units = _of_rows(release, sensitive, kind)
    else:
        units = _of_classes(release, classes, sensitive, kind)
    of_kind = units.of_kind
    true = np.bincount(units.of_record * values + table.model_view.codes[sensitive], minlength=len(of_kind) * values)
    true = true.reshape(-1, values)
    with threadpool_limits(1):  # the matrices are small
        model = model_of(table, kind, values)
        found, sizes = units.own, true.sum(axis=1, keepdims=True) * units.there[:, None]
        moved, missing = 0.0, 0.0
        for number in range(ROUNDS):
            checkpoint(f"learning about {sensitive}, round {number + 1} of {ROUNDS}")
            model.fit(_sum_by_group(of_kind, found * sizes, model.kinds), STEPS)
            before = found
            found, missing = units.revised(model.beliefs()[of_kind])
            moved = float(np.abs(found - before).max(initial=0))
        fits = [Fit("expectation maximization of the learning attacker", ROUNDS, moved, moved <= STILL)]
        fits.append(Fit("Sinkhorn scaling of the learning attacker", SINKHORN, missing, missing <= ADDED_UP))
        population, fit = _of_population(table, sensitive, units, lambda: model_of(table, kind, values))
    first = np.unique(units.of_record, return_index=True)[1]
    quasi = np.stack([table.codes[name][first] for name in table.quasi]).astype(np.int32)
    people = np.bincount(units.of_record, None if table.weight is None else weights.of_record(table))
    seconds = time.thread_time() - began
    return LearnedBeliefs(found, units.own, population, true, quasi, people, units.of_record, seconds, (*fits, fit))


Revised = tuple[np.ndarray, float]  # beliefs, and the largest deviation of a share from what its class publishes


class _Units(NamedTuple):
    """Units of indistinguishable people, and what a release shows of them."""

    of_record: np.ndarray
    of_kind: np.ndarray  # the kind of people of each unit
    own: np.ndarray  # beliefs without learning
    there: np.ndarray  # whether they are published
    revised: Callable[[np.ndarray], Revised]  # combines a model's beliefs with what the release shows


def _of_population(
    table: Table, sensitive: str, units: _Units, model_of: Callable[[], Model]
) -> tuple[AdversaryBeliefs, Fit]:
    """Return the beliefs of models of the original about people outside their training folds, to exclude memorized
    values."""
    values, many = len(table.sensitive[sensitive]), len(units.of_kind)
    fold = np.random.default_rng(0).permutation(table.records) % FOLDS
    place = (fold * many + units.of_record) * values + table.model_view.codes[sensitive]
    true = np.bincount(place, minlength=FOLDS * many * values).reshape(FOLDS, many, values)
    beliefs, fits = np.empty(true.shape), []
    for f in range(FOLDS):
        checkpoint(f"model of the population, fold {f + 1} of {FOLDS}")
        model = model_of()
        counts = _sum_by_group(units.of_kind, true.sum(axis=0) - true[f], model.kinds)
        fits.append(model.fit(counts, POPULATION_STEPS))
        beliefs[f] = model.beliefs()[units.of_kind]
    worst = max(fits, key=lambda fit: (not fit.converged, fit.residual))
    guesses = AdversaryBeliefs(beliefs.reshape(-1, values), true.reshape(-1, values))
    return guesses, worst._replace(name=f"{worst.name} of the population")


def _of_classes(release: Release, classes: Classes, sensitive: str, kind: np.ndarray) -> _Units:
    """Return units of identical quasi-identifiers in one class; beliefs add up to the published counts of each
    class.
    """
    prior = release.table.sensitive[sensitive].prior
    key, of_record = np.unique(kind * (len(classes) + 1) + release.group_of_record, return_inverse=True)
    of_kind, of_class = key // (len(classes) + 1), key % (len(classes) + 1)
    in_class, sizes = of_class < len(classes), np.bincount(of_record)  # suppressed records are in no class
    published = np.vstack([classes.histograms[sensitive], prior])
    own = published[of_class] / published[of_class].sum(axis=1, keepdims=True)
    return _Units(
        of_record, of_kind, own, in_class, lambda told: _scale_to_classes(told, sizes, of_class, published, in_class)
    )


def _of_rows(release: Release, sensitive: str, kind: np.ndarray) -> _Units:
    """Return units of identical quasi-identifiers, whose rows are indistinguishable and updated by Bayes' rule."""
    likelihood, of_row = likelihood_of_rows(release, sensitive)
    sizes = np.bincount(kind)
    counts = np.bincount(kind * likelihood.shape[1] + of_row, minlength=len(sizes) * likelihood.shape[1])
    shares = counts.reshape(len(sizes), -1) / sizes[:, None]

    def revised(beliefs: np.ndarray) -> Revised:
        return beliefs * ((shares / np.maximum(beliefs @ likelihood, TINY)) @ likelihood.T), 0.0

    prior = release.table.sensitive[sensitive].prior
    own, _ = revised(np.broadcast_to(prior, (len(sizes), len(prior))))
    return _Units(kind, np.arange(len(sizes)), own, np.ones(len(sizes), bool), revised)


def _kinds(table: Table) -> np.ndarray:
    """Return for each record the number of its combination of quasi-identifiers."""
    return distinct_rows(np.stack([table.codes[name] for name in table.quasi], axis=1))[1]


def _sum_by_group(group: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    return np.stack([np.bincount(group, one, size) for one in counts.T], axis=1)


def _scale_to_classes(
    beliefs: np.ndarray, sizes: np.ndarray, of_class: np.ndarray, published: np.ndarray, in_class: np.ndarray
) -> Revised:
    """Scale beliefs to add up to the published counts of each class; beliefs about suppressed records are unchanged."""
    found, weight, group = beliefs[in_class], sizes[in_class, None], of_class[in_class]
    for _ in range(SINKHORN):
        checkpoint()
        sums = _sum_by_group(group, found * weight, len(published))
        found = found * (published / np.maximum(sums, TINY))[group]
        found /= np.maximum(found.sum(axis=1, keepdims=True), TINY)
    made = beliefs.copy()
    made[in_class] = found
    missing = np.abs(_sum_by_group(group, found * weight, len(published)) - published) / published.sum(
        axis=1, keepdims=True
    )
    return made, float(missing[np.unique(group)].max(initial=0))
