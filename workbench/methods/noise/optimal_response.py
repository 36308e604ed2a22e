"""Optimal response (PRAM, Gouweleeuw et al. 1998)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.parameters import Columns, parameter
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.methods.noise import (
    AS_THEY_ARE,
    RecordNoise,
    columns_of,
    epsilon_of,
    numbered,
    prior,
    published_counts,
    released,
    unprotected,
)
from workbench.models.distribution_distances import jensen_shannon
from workbench.releases.responses import Response

# The transition matrix that changes least under a cap on how far a released value moves beliefs: linear programs.
#
# The belief after a released value is a mixture of beliefs within the cap, since the Jensen-Shannon divergence from Q
# is convex; weighted by their probabilities, beliefs add up to Q. So a program weighs some beliefs, its prices show
# which further beliefs would be worth most, and those join the next program, until none is worth much. The objective is
# the mean probability that a value stays unchanged, each value weighted by the square root of its share: weighted by
# the share, rare values would never be released and could not be estimated; weighted equally, common values would
# change more than necessary.

ROUNDS, NEAR = 100, 0.002  # maximum number of programs; accepted relative distance from the optimum
HALVINGS = 50
CORNERS = 64  # random distributions, consistent with the published counts, for which the cap is checked


def least_change(prior: np.ndarray, cap: float) -> np.ndarray:
    """Return the matrix, true x released values; values that no record has are drawn like all others."""
    present = np.flatnonzero(prior > 0)
    found = np.tile(prior, (len(prior), 1))
    if len(present) > 1:
        found[np.ix_(present, present)] = _solved(prior[present], cap)
    return found


def within_cap_of_each(counts: np.ndarray, threshold: int, cap: float) -> np.ndarray:
    """Return the matrix that changes least for rounded counts, and satisfies the cap for the exact counts.

    The codebook lists the matrix, so it may depend on the rounded counts only. The cap is checked for extreme
    distributions that these allow: each count as low or as high as possible, and random combinations of both.
    """
    known = counts / counts.sum()
    found, off = least_change(known, cap), threshold - 1
    sure = (counts / np.maximum(counts + off, 1))[
        :, None
    ]  # the rarer a value, the larger the error of its rounded count
    found = sure * found + (1 - sure) * known
    ends = np.vstack([counts + off * np.diag(np.ones(len(counts))), counts - off * np.diag(np.ones(len(counts)))])
    drawn = np.random.default_rng(0).choice([-off, off], (CORNERS, len(counts)))
    allowed = np.maximum(np.vstack([ends, counts + drawn]), 0)
    priors = allowed / allowed.sum(axis=1, keepdims=True)
    for part in np.linspace(1, 0, 201):
        mixed = part * found + (1 - part) * known
        if all(max_distance_from_prior(mixed, one) <= cap for one in priors):
            return mixed
    return np.tile(known, (len(known), 1))


def max_distance_from_prior(chances: np.ndarray, prior: np.ndarray) -> float:
    """Return the maximum distance by which a released value moves the belief."""
    joint = prior[:, None] * chances
    total = joint.sum(axis=0)
    return float(jensen_shannon((joint[:, total > 0] / total[total > 0]).T, prior).max())


def _solved(prior: np.ndarray, cap: float) -> np.ndarray:
    values = np.arange(len(prior))
    worth = 1 / np.sqrt(prior)  # of a belief in the released value, weighted by its probability
    sure = np.eye(len(prior))
    beliefs, released = np.vstack([_within(sure, prior, cap), np.tile(prior, (len(prior), 1))]), np.tile(values, 2)
    number, gap = 0, 0.0
    while number < ROUNDS:
        checkpoint()
        number += 1
        weights, prices, value = _program(beliefs, beliefs[np.arange(len(beliefs)), released] * worth[released], prior)
        more = _within(_best(np.diag(worth) - prices, prior, cap), prior, cap)
        gains = more[values, values] * worth - more @ prices
        gap = float(gains.max() / value)
        if gap <= NEAR:
            break
        new = gains > 0
        beliefs, released = np.vstack([beliefs, more[new]]), np.append(released, values[new])
    report_fit(Fit("linear programs for the transition matrix", number, max(gap, 0.0), gap <= NEAR))
    joint = np.zeros((len(prior), len(prior)))
    np.add.at(joint.T, released, weights[:, None] * beliefs)
    chances = joint / joint.sum(axis=1, keepdims=True)
    return _within_cap(chances, prior, cap)


def _program(beliefs: np.ndarray, worth: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the probability of each belief, the price of each value, and the optimum of one linear program."""
    from scipy.optimize import linprog

    found = linprog(-worth, A_eq=beliefs.T, b_eq=prior, bounds=(0, None), method="highs")
    if not found.success:
        raise RuntimeError(f"the linear program for the transition matrix failed: {found.message}")
    return np.maximum(found.x, 0), -found.eqlin.marginals, -float(found.fun)


def _best(worth: np.ndarray, prior: np.ndarray, cap: float) -> np.ndarray:
    """Return, for each row of payoffs, the belief within the cap with the highest expected payoff.

    It is p = q e^s / (2 - e^s), where s is the payoff minus an offset, scaled so that p is at the cap's distance
    from q.
    """
    top = worth.max(axis=1, keepdims=True)
    low, high = np.full_like(top, -25.0), np.full_like(top, 10.0)  # bounds on the logarithm of the unit
    for _ in range(HALVINGS):
        unit = (low + high) / 2
        far = jensen_shannon(_normal(worth - top, np.exp(unit), prior), prior)[:, None] > cap
        low, high = np.where(far, unit, low), np.where(far, high, unit)
    return _normal(worth - top, np.exp(high), prior)


def _normal(worth: np.ndarray, unit: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the beliefs of this unit, with the level at which they add up to 1."""
    low, high = np.full_like(unit, -np.log(2)), np.zeros_like(unit)  # the level, in units, below the largest worth
    for _ in range(HALVINGS):
        level = (low + high) / 2
        growth = np.exp(worth / unit - level)
        much = (prior * growth / np.maximum(2 - growth, 1e-300)).sum(axis=1, keepdims=True) > 1
        low, high = np.where(much, level, low), np.where(much, high, level)
    growth = np.exp(worth / unit - high)
    found = prior * growth / np.maximum(2 - growth, 1e-300)
    return found / found.sum(axis=1, keepdims=True)


def _within(beliefs: np.ndarray, prior: np.ndarray, cap: float) -> np.ndarray:
    """Move each belief towards the prior until it is within the cap."""
    low, high = np.zeros((len(beliefs), 1)), np.ones((len(beliefs), 1))
    for _ in range(HALVINGS):
        part = (low + high) / 2
        near = jensen_shannon(part * beliefs + (1 - part) * prior, prior)[:, None] <= cap
        low, high = np.where(near, part, low), np.where(near, high, part)
    whole = jensen_shannon(beliefs, prior)[:, None] <= cap
    return np.where(whole, beliefs, low * beliefs + (1 - low) * prior)


def _within_cap(chances: np.ndarray, prior: np.ndarray, cap: float) -> np.ndarray:
    """Correct the matrix for rounding errors until it is within the cap."""
    part = 1.0
    while max_distance_from_prior(part * chances + (1 - part) * prior, prior) > cap and part > 0.9:
        part -= 1e-9 if part > 1 - 1e-7 else 1e-3
    return part * chances + (1 - part) * prior


MOST = 200  # maximum number of values of a column: the matrix has its square
ROOM = 1e-9  # share of the cap that is reserved for rounding probabilities


@dataclass(frozen=True)
class OptimalResponse(RecordNoise):
    cap: float = parameter(
        0.1, "the largest distance (js, as in P_loss) by which a released value may move the belief about a column",
        low=0, high=round(math.log(2), 4), above=True,
    )  # fmt: skip
    columns: tuple[str, ...] | None = parameter(
        None, "the columns whose values are drawn (all others are published unchanged); none: the sensitive ones",
        kind=Columns,
    )  # fmt: skip
    name = "optimal response"
    title = "Optimal response (PRAM, Gouweleeuw et al. 1998)"
    summary = "the matrix that changes least under a cap on P_loss"

    @property
    def guarantee(self) -> str:
        which = ", ".join(self.columns) if self.columns else "each sensitive column"
        by = f"{self.cap:g} (js) from the whole table's"
        return f"no row moves the belief about {which} by more than {by}; {AS_THEY_ARE}"

    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        return (
            f"no row moves the belief about {join_names([*responses])} by more than {self.cap:g} (js) from the whole "
            f"table's published distribution, for an attacker who knows that; {epsilon_of(responses)}; "
            f"{unprotected(table, [*responses])}"
        )

    def changed(self, table: Table) -> tuple[str, ...]:
        names = columns_of(table, self.columns, self.name)
        for name in names:
            if (size := len(prior(table, name))) > MOST:
                raise BadInput(
                    f"optimal response: {name!r} has {size:,} values, more than {MOST}; set a model level for it, "
                    "or choose randomized response"
                )
        return names

    def settings_of(self, name: str) -> dict[str, object]:
        return {"cap": self.cap}

    def response(self, table: Table, name: str) -> Response:
        chances = within_cap_of_each(*published_counts(table, name), self.cap * (1 - ROOM))
        return numbered(chances, f"drawn so that beliefs move by at most {self.cap:g} (js)", listed=True)

    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        return released(table, name, response)
