"""The adversary who learns: from all classes together she learns how sensitive values go with the quasi-identifiers of
everybody, whom she knows, and tells the people of a class apart by that.

Expectation maximisation: a model (logistic, or naive Bayes) is fitted to what is believed of everybody; beliefs are
then the model's, made to add up to what each class publishes (Sinkhorn), or revised by what a row with noise tells
(Bayes). A model of the original, which no release has told, says what is true of the population, and so is not learnt
about anybody from a release.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from workbench.base.errors import Undefined
from workbench.base.progress import step
from workbench.data import weights
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.miners.learners import LEARNERS, LOGISTIC, Model
from workbench.models.classes import Classes
from workbench.releases.base import Posterior, Release

ROUNDS, SINKHORN = 12, 12
STEPS, POPULATION_STEPS, FOLDS = 15, 60, 3  # of the model in a round, and of those of the original
TINY, DOUBT = 1e-300, 1e-9  # no belief that is wrong counts as less
MEMORY, ARRAYS = 4_000_000_000, 12  # bytes that beliefs may take, and how many times they are there at once


class Guesses(NamedTuple):
    """What is believed of units of people, and how many of these have each value; for the analyst alone."""

    beliefs: np.ndarray
    true: np.ndarray

    @property
    def right(self) -> float:
        """Of how many people the best guess is right."""
        return float(self.true[np.arange(len(self.beliefs)), self.beliefs.argmax(axis=1)].sum())

    def nats(self, prior: np.ndarray) -> float:
        """By how much the logarithm of the belief in the true value grows, on average."""
        unit, value = self.true.nonzero()
        gained = np.log(np.maximum(self.beliefs[unit, value], DOUBT) / prior[value])
        return float(gained @ self.true[unit, value] / self.true.sum())


class Learnt(NamedTuple):
    """Beliefs of who learns and of who goes by the class alone, about units: people alike in all quasi-identifiers and
    in their class, with what is `true` of them; and of who knows the population. It took so many `seconds` of a
    processor."""

    learning: np.ndarray
    own: np.ndarray
    population: Guesses  # of the units in each fold
    true: np.ndarray
    quasi: np.ndarray  # attributes x units: their codes
    people: np.ndarray  # how many they stand for
    of_record: np.ndarray  # the unit of each record
    seconds: float

    @property
    def posterior(self) -> Posterior:
        """What she believes."""
        return Posterior(self.true.sum(axis=1), self.learning)

    def right(self, beliefs: np.ndarray) -> float:
        """Of how many people the best guess is right."""
        return Guesses(beliefs, self.true).right

    def nats(self, beliefs: np.ndarray, prior: np.ndarray) -> float:
        """By how much the logarithm of the belief in the true value grows, on average."""
        return Guesses(beliefs, self.true).nats(prior)


def learnt(release: Release, sensitive: str, learner: str = LOGISTIC) -> Learnt:
    """Found once a release."""
    key = "learning", sensitive, learner
    if key not in release.mined:
        release.mined[key] = _learnt(release, sensitive, learner)
    found: Learnt = release.mined[key]
    return found


def _learnt(release: Release, sensitive: str, learner: str) -> Learnt:
    table, began, model_of = release.table, time.thread_time(), LEARNERS[learner].of
    if sensitive in release.removed:
        raise Undefined(f"{sensitive} is not published, so nothing is learnt about it")
    table.engine.require_memory("whoever learns looks at people one by one")
    kind, values = _kinds(table), len(table.sensitive[sensitive])
    if 8 * ARRAYS * (kinds := int(kind.max()) + 1) * values > MEMORY:
        raise Undefined(
            f"{kinds:,} kinds of people with {values:,} values of {sensitive} are too many for {MEMORY / 1e9:g} GB of "
            f"memory; declare a level for {sensitive}, or choose fewer quasi-identifiers"
        )
    try:
        classes = release.own_classes
    except Undefined:
        units = _of_rows(release, sensitive, kind)
    else:
        units = _of_classes(release, classes, sensitive, kind)
    of_kind = units.of_kind
    true = np.bincount(units.of_record * values + table.sensitive_codes(sensitive), minlength=len(of_kind) * values)
    true = true.reshape(-1, values)
    with threadpool_limits(1):  # the matrices are small
        model = model_of(table, kind, values)
        found, sizes = units.own, true.sum(axis=1, keepdims=True) * units.there[:, None]
        for number in range(ROUNDS):
            step(f"learning about {sensitive}, round {number + 1} of {ROUNDS}")
            model.fit(_summed(of_kind, found * sizes, model.kinds), STEPS)
            found = units.revised(model.beliefs()[of_kind])
        population = _of_population(table, sensitive, units, lambda: model_of(table, kind, values))
    first = np.unique(units.of_record, return_index=True)[1]
    quasi = np.stack([table.codes[name][first] for name in table.quasi]).astype(np.int32)
    people = np.bincount(units.of_record, None if table.weight is None else weights.of_record(table))
    seconds = time.thread_time() - began
    return Learnt(found, units.own, population, true, quasi, people, units.of_record, seconds)


class _Units(NamedTuple):
    """People whom nobody tells apart, and what a release tells of them."""

    of_record: np.ndarray
    of_kind: np.ndarray  # each is of one kind of people
    own: np.ndarray  # what is believed without learning
    there: np.ndarray  # whether they are published
    revised: Callable[[np.ndarray], np.ndarray]  # what a model believes, with what the release tells


def _of_population(table: Table, sensitive: str, units: _Units, model_of: Callable[[], Model]) -> Guesses:
    """What models of the original tell of people whom they have not seen: what is learnt by heart is true of nobody
    else."""
    values, many = len(table.sensitive[sensitive]), len(units.of_kind)
    fold = np.random.default_rng(0).permutation(table.records) % FOLDS
    place = (fold * many + units.of_record) * values + table.sensitive_codes(sensitive)
    true = np.bincount(place, minlength=FOLDS * many * values).reshape(FOLDS, many, values)
    beliefs = np.empty(true.shape)
    for f in range(FOLDS):
        step(f"what is true of the population, {f + 1} of {FOLDS}")
        model = model_of()
        model.fit(_summed(units.of_kind, true.sum(axis=0) - true[f], model.kinds), POPULATION_STEPS)
        beliefs[f] = model.beliefs()[units.of_kind]
    return Guesses(beliefs.reshape(-1, values), true.reshape(-1, values))


def _of_classes(release: Release, classes: Classes, sensitive: str, kind: np.ndarray) -> _Units:
    """Alike in all quasi-identifiers and in their class; beliefs come to what each class publishes."""
    prior = release.table.sensitive[sensitive].prior
    key, of_record = np.unique(kind * (len(classes) + 1) + release.group_of_record, return_inverse=True)
    of_kind, of_class = key // (len(classes) + 1), key % (len(classes) + 1)
    there, sizes = of_class < len(classes), np.bincount(of_record)  # who is left out is in no class
    published = np.vstack([classes.histograms[sensitive], prior])
    own = published[of_class] / published[of_class].sum(axis=1, keepdims=True)
    return _Units(of_record, of_kind, own, there, lambda told: _adding_up(told, sizes, of_class, published, there))


def _of_rows(release: Release, sensitive: str, kind: np.ndarray) -> _Units:
    """Alike in all quasi-identifiers; of each row with these Bayes' rule tells the value, and which is whose nobody."""
    likelihood, of_row = release.likelihood_of_rows(sensitive)
    sizes = np.bincount(kind)
    counts = np.bincount(kind * likelihood.shape[1] + of_row, minlength=len(sizes) * likelihood.shape[1])
    shares = counts.reshape(len(sizes), -1) / sizes[:, None]

    def revised(told: np.ndarray) -> np.ndarray:
        return told * ((shares / np.maximum(told @ likelihood, TINY)) @ likelihood.T)

    prior = release.table.sensitive[sensitive].prior
    own = revised(np.broadcast_to(prior, (len(sizes), len(prior))))
    return _Units(kind, np.arange(len(sizes)), own, np.ones(len(sizes), bool), revised)


def _kinds(table: Table) -> np.ndarray:
    """Of each record, which people it is alike in all quasi-identifiers."""
    return distinct_rows(np.stack([table.codes[name] for name in table.quasi], axis=1))[1]


def _summed(of: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    return np.stack([np.bincount(of, one, size) for one in counts.T], axis=1)


def _adding_up(
    beliefs: np.ndarray, sizes: np.ndarray, of_class: np.ndarray, published: np.ndarray, there: np.ndarray
) -> np.ndarray:
    """Beliefs that come to what each class publishes; of who is left out they stay."""
    found, weight, group = beliefs[there], sizes[there, None], of_class[there]
    for _ in range(SINKHORN):
        step()
        told = _summed(group, found * weight, len(published))
        found = found * (published / np.maximum(told, TINY))[group]
        found /= np.maximum(found.sum(axis=1, keepdims=True), TINY)
    made = beliefs.copy()
    made[there] = found
    return made
