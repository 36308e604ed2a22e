"""Attackers who look for a person's record: among whom they look, and how likely they find it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.small_counts import least
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.releases.base import Release

TERMS = 60  # of a series whose terms halve at least
FINE = 60  # sizes from which the series needs no recursion
PROSECUTOR = "prosecutor"
WHO = {
    PROSECUTOR: "who knows that a person is in the release",
    "journalist": "who knows only that a person is in the population",
    "marketer": "who looks for as many as possible",
}


class Alike(NamedTuple):
    """Groups that look alike: their sizes, the records in each, and how likely each of these is the one looked for."""

    sizes: np.ndarray
    of: np.ndarray
    risk: np.ndarray


def seen_by(attacker: str, release: Release, fraction: float) -> Alike:
    """Who knows that a person is in the release finds one of a group of f with 1 / f; who does not looks among all F
    people of the population whom the group fits: counted there (never fewer than f), or expected of a sample of that
    fraction."""
    sizes, groups = counted(release)
    of = sizes * groups if release.own_classes is release.classes else release.own_classes.sizes
    if attacker == PROSECUTOR:
        return Alike(sizes, of, 1 / sizes)
    if release.table.population is None:
        return Alike(sizes, of, expected_chance(sizes, fraction))
    return Alike(sizes, of, 1 / np.maximum(fitting(release), sizes))


def largest_told(attacker: str, release: Release, fraction: float, smallest: int) -> float:
    """The largest chance that the least number of people allows which is told in the same words."""
    sizes, _ = counted(release)
    if attacker == PROSECUTOR:
        return 1 / least(int(sizes.min()), smallest)
    if release.table.population is not None:
        return 1 / least(int(np.maximum(fitting(release), sizes).min()), smallest)
    return float(expected_chance(np.array([least(int(sizes.min()), smallest)]), fraction)[0])


def alike(release: Release) -> np.ndarray:
    """The sizes of the groups that share their published quasi-identifiers."""
    if not release.classes.exact:
        return release.classes.sizes
    cells = release.table.cells()
    _, group = distinct_rows(cells.quasi.T)
    return np.bincount(group, weights=cells.weight).astype(np.int64)


def counted(release: Release) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of these groups, and how many groups each is the size of: one, or where they do not fit into memory as
    many as there are."""
    table = release.table
    if release.classes.exact and not table.engine.cells_fit:
        return table.remember("sizes of people alike", lambda: _counted(table))
    sizes = alike(release)
    return sizes, np.ones(len(sizes), np.int64)


def _counted(table: Table) -> tuple[np.ndarray, np.ndarray]:
    sizes, groups = [], []
    for piece in table.engine.slices(table.quasi, table.columns):
        one, many = np.unique(piece.collapse(table.quasi, ()).weight, return_counts=True)
        sizes.append(one)
        groups.append(many)
    found, place = np.unique(np.concatenate(sizes), return_inverse=True)
    return found, np.bincount(place, np.concatenate(groups)).astype(np.int64)


def fitting(release: Release) -> np.ndarray:
    """How many people of the population each of these groups fits."""
    population = release.table.population
    if not release.classes.exact or population is None:
        return release.classes.fitting()
    cells = release.table.cells()
    codes = np.ascontiguousarray(cells.quasi.T[distinct_rows(cells.quasi.T)[0]], np.int32)
    return population.fitting(codes, codes)


def expected_chance(sizes: np.ndarray, fraction: float) -> np.ndarray:
    """1 / F as it is expected of a group of f records in a sample of that fraction.

    F - f is negative binomial then: as many people are missed until f are drawn (Benedetti & Franconi 1998). The chance
    of f is fraction times the integral of u ** (f - 1) / (fraction + (1 - fraction) u) from 0 to 1.
    """
    if fraction == 1:
        return 1 / sizes
    every, place = np.unique(sizes, return_inverse=True)
    rest, found = 1 - fraction, np.zeros(len(every))
    term = fraction / every
    for k in range(1, TERMS + 1):  # powers of the rest times beta functions
        found += term
        term = term * rest * k / (every + k)
    if fraction < 0.5:  # for few records the terms fall too slowly: from one size to the next
        chances = [0.0, fraction / rest * float(-np.log(fraction))]
        for size in range(1, FINE):
            chances.append(fraction / rest * (1 / size - chances[-1]))
        found = np.where(every < FINE, np.array(chances)[np.minimum(every, FINE - 1)], found)
    return found[place.reshape(sizes.shape)]
