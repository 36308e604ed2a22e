"""Attackers who search for a person's record: among whom they search, and how likely they find it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.small_counts import lower_bound
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.releases.base import Release

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
    of = sizes * groups if release.own_classes is release.classes else release.own_classes.sizes
    if attacker == PROSECUTOR:
        return SearchGroups(sizes, of, 1 / sizes)
    if release.table.population is None:
        return SearchGroups(sizes, of, expected_chance(sizes, fraction))
    return SearchGroups(sizes, of, 1 / np.maximum(population_matches(release), sizes))


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
        return table.remember("sizes of people alike", lambda: _count_groups(table))
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
