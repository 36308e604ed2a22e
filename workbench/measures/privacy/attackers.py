"""Attackers who search for a person's record, or learn from all classes: their chances, beliefs and guesses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number, format_percent
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.measures import LEARNERS, LEARNING, LEARNING_BAYES, record_mean
from workbench.miners.adversary import BAYES, LOGISTIC, AdversaryBeliefs, count_right_guesses, learned_beliefs
from workbench.redaction.controlled_rounding import lower_bound
from workbench.releases.base import OWN_CLASS, Posterior, Release
from workbench.releases.partition import group_of_cell

TERMS = 60  # of a series whose terms at least halve
FINE = 60  # sizes from which the series needs no recursion
PROSECUTOR = "prosecutor"
WHO = {
    PROSECUTOR: "who knows that a person is in the release",
    "journalist": "who only knows that a person is in the population",
    "marketer": "who searches for as many people as possible",
}


class SearchGroups(NamedTuple):
    """Groups of indistinguishable records: their sizes, the records in each, and the probability of finding each."""

    sizes: np.ndarray
    of: np.ndarray
    risk: np.ndarray


def search_groups(attacker: str, release: Release, fraction: float) -> SearchGroups:
    """Return the groups among which an attacker searches, with the probability of finding a record.

    A prosecutor finds one of a group of f records with probability 1 / f; the others search among all F people of the
    population who match the group: counted there (at least f), or expected for a sample of that fraction.
    """
    sizes, groups = count_groups(release)
    people = sizes * groups if release.own_classes is release.classes else release.own_classes.sizes
    if attacker == PROSECUTOR:
        return SearchGroups(sizes, people, 1 / sizes)
    if release.table.population is None:
        return SearchGroups(sizes, people, expected_chance(sizes, fraction))
    return SearchGroups(sizes, people, 1 / np.maximum(population_matches(release), sizes))


def largest_published_risk(attacker: str, release: Release, fraction: float, smallest: int) -> float:
    """Return the largest probability for the smallest group size that is published like the actual one."""
    sizes, _ = count_groups(release)
    if attacker == PROSECUTOR:
        return 1 / lower_bound(int(sizes.min()), smallest)
    if release.table.population is not None:
        return 1 / lower_bound(int(np.maximum(population_matches(release), sizes).min()), smallest)
    return float(expected_chance(np.array([lower_bound(int(sizes.min()), smallest)]), fraction)[0])


def group_sizes(release: Release) -> np.ndarray:
    """Return the sizes of the groups with identical published quasi-identifiers."""
    if not release.classes.exact:
        return release.classes.sizes
    cells = release.table.cells()
    _, group = distinct_rows(cells.quasi.T)
    return np.bincount(group, weights=cells.weight).astype(np.int64)


def count_groups(release: Release) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of these groups, and the number of groups of each size; without enough memory for one entry per
    group, one entry per size."""
    table = release.table
    if release.classes.exact and not table.engine.cells_fit:
        return table.remember("sizes of identical groups", lambda: _count_groups(table))
    sizes = group_sizes(release)
    return sizes, np.ones(len(sizes), np.int64)


def _count_groups(table: Table) -> tuple[np.ndarray, np.ndarray]:
    sizes, groups = [], []
    for piece in table.engine.slices(table.quasi, table.columns):
        one, many = np.unique(piece.collapse(table.quasi, ()).weight, return_counts=True)
        sizes.append(one)
        groups.append(many)
    found, place = np.unique(np.concatenate(sizes), return_inverse=True)
    return found, np.bincount(place, np.concatenate(groups)).astype(np.int64)


def population_matches(release: Release) -> np.ndarray:
    """Return how many people of the population match each of these groups."""
    population = release.table.population
    if not release.classes.exact or population is None:
        return release.classes.population_matches()
    cells = release.table.cells()
    codes = np.ascontiguousarray(cells.quasi.T[distinct_rows(cells.quasi.T)[0]], np.int32)
    return population.fitting(codes, codes)


def expected_chance(sizes: np.ndarray, fraction: float) -> np.ndarray:
    """Return the expected 1 / F for a group of f records in a sample of that fraction.

    F - f is then negative binomial: the number of people missed until f are drawn (Benedetti & Franconi 1998). The
    expectation is fraction times the integral of u ** (f - 1) / (fraction + (1 - fraction) u) from 0 to 1.
    """
    if fraction == 1:
        return 1 / sizes
    every, place = np.unique(sizes, return_inverse=True)
    rest, found = 1 - fraction, np.zeros(len(every))
    term = fraction / every
    for k in range(1, TERMS + 1):  # powers of the remainder times beta functions
        found += term
        term = term * rest * k / (every + k)
    if fraction < 0.5:  # for small groups the series converges too slowly: recursion over sizes
        chances = [0.0, fraction / rest * float(-np.log(fraction))]
        for size in range(1, FINE):
            chances.append(fraction / rest * (1 / size - chances[-1]))
        found = np.where(every < FINE, np.array(chances)[np.minimum(every, FINE - 1)], found)
    return found[place.reshape(sizes.shape)]


# The figures of learning attackers, compared with general knowledge about the population.

MODEL_OF_ATTACKER = {LEARNING: LOGISTIC, LEARNING_BAYES: BAYES}
NEARLY_ALL = 0.999


def attacker_beliefs(release: Release, sensitive: str, adversary: str) -> Posterior:
    """Return an attacker's beliefs about groups of people."""
    if adversary not in LEARNERS:
        return release.posterior(sensitive, adversary)
    return learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary]).posterior


def learning_sentence(release: Release, sensitive: str, adversary: str, loss: np.ndarray) -> str:
    """Describe how much people lose and how often each attacker guesses correctly.

    The largest loss alone also counts beliefs that are confident but wrong.
    """
    found, seen = learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary]), release.table.sensitive[sensitive]
    sizes, order = found.posterior.sizes, np.argsort(loss)
    nearly = loss[order][np.searchsorted(np.cumsum(sizes[order]), NEARLY_ALL * sizes.sum())]
    guessed = [
        f"{format_percent(one.right / sizes.sum())} ({format_number(one.mean_log_gain(seen.prior))} nats)"
        for one in (
            AdversaryBeliefs(found.learning, found.true),
            AdversaryBeliefs(found.own, found.true),
            found.population,
        )
    ]
    return (
        f"{100 * NEARLY_ALL:g} % of the people lose at most {format_number(nearly, 'lower')}, on average "
        f"{format_number(record_mean(loss, sizes))}. A learning attacker guesses correctly for {guessed[0]} of them; "
        f"by the class alone it is {guessed[1]}, and by a model of the population fitted to other people, {guessed[2]}."
    )


def guess_accuracy(release: Release, sensitive: str, adversary: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of groups with equal beliefs, and the share of each for which the best guess is right.

    For published classes the share is the belief; for a learning attacker, and where values were swapped, it is
    counted.
    """
    if adversary in LEARNERS:
        found = learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary])
        return found.true.sum(axis=1), count_right_guesses(found.learning, found.true) / found.true.sum(axis=1)
    sizes, beliefs = release.posterior(sensitive, adversary)
    if release.about.is_truthful or sensitive in release.unpublished_columns:
        return sizes, beliefs.max(axis=1)
    return sizes, count_right_guesses(beliefs, _true(release, sensitive, adversary)) / sizes


def _true(release: Release, sensitive: str, adversary: str) -> np.ndarray:
    """Return how many people of each group with equal beliefs have each value."""
    cells, values = release.table.cells(), len(release.table.sensitive[sensitive])
    group = group_of_cell(release) if adversary == OWN_CLASS else distinct_rows(cells.quasi.T)[1]
    if group is None:
        raise Undefined("the records of each group are unknown for this release, so right guesses cannot be counted")
    place = group.astype(np.int64) * values + cells.others[sensitive]
    return np.bincount(place, cells.weight, (int(group.max()) + 1) * values).reshape(-1, values)
