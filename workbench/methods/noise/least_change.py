"""The matrix of chances that changes least under a cap on how far a released value moves beliefs: linear programs.

What is believed after a released value is a mix of beliefs within the cap, since the Jensen-Shannon divergence from Q
is convex; and weighted by how often each is met, beliefs add up to Q. So a program weighs some beliefs, its prices say
which further ones would be worth most, and those join the next, until none is worth much. What is made as large as
possible is the mean chance that a value is kept, each value counted by the square root of its share: by the share
rare values would never be released, and could not be estimated; all alike, common ones would change more than need be.
"""

from __future__ import annotations

import numpy as np

from workbench.base.progress import step
from workbench.models.distances import jensen_shannon

ROUNDS, NEAR = 100, 0.002  # programs at most; the share of the best that may be missed
HALVINGS = 50


def least_change(prior: np.ndarray, cap: float) -> np.ndarray:
    """True x released values. Values that nobody has are drawn like all others."""
    there = np.flatnonzero(prior > 0)
    found = np.tile(prior, (len(prior), 1))
    if len(there) > 1:
        found[np.ix_(there, there)] = _solved(prior[there], cap)
    return found


def farthest(chances: np.ndarray, prior: np.ndarray) -> float:
    """How far a released value moves the belief at most."""
    joint = prior[:, None] * chances
    total = joint.sum(axis=0)
    return float(jensen_shannon((joint[:, total > 0] / total[total > 0]).T, prior).max())


def _solved(prior: np.ndarray, cap: float) -> np.ndarray:
    values = np.arange(len(prior))
    worth = 1 / np.sqrt(prior)  # of a belief in the value that is released, which is counted as often as it is met
    sure = np.eye(len(prior))
    beliefs, released = np.vstack([_within(sure, prior, cap), np.tile(prior, (len(prior), 1))]), np.tile(values, 2)
    for _ in range(ROUNDS):
        step()
        weights, prices, value = _program(beliefs, beliefs[np.arange(len(beliefs)), released] * worth[released], prior)
        more = _within(_best(np.diag(worth) - prices, prior, cap), prior, cap)
        gains = more[values, values] * worth - more @ prices
        if gains.max() <= NEAR * value:
            break
        new = gains > 0
        beliefs, released = np.vstack([beliefs, more[new]]), np.append(released, values[new])
    joint = np.zeros((len(prior), len(prior)))
    np.add.at(joint.T, released, weights[:, None] * beliefs)
    chances = joint / joint.sum(axis=1, keepdims=True)
    return _within_cap(chances, prior, cap)


def _program(beliefs: np.ndarray, worth: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """How often each belief is met, so that they add up to the prior and are worth most; the price of each value."""
    from scipy.optimize import linprog

    found = linprog(-worth, A_eq=beliefs.T, b_eq=prior, bounds=(0, None), method="highs")
    if not found.success:
        raise RuntimeError(f"the linear program of the matrix of chances failed: {found.message}")
    return np.maximum(found.x, 0), -found.eqlin.marginals, -float(found.fun)


def _best(worth: np.ndarray, prior: np.ndarray, cap: float) -> np.ndarray:
    """For each row of worths the belief within the cap that is worth most: p = q e^s / (2 - e^s), where s is the worth
    less a level, in units that make it as far from the prior as the cap."""
    top = worth.max(axis=1, keepdims=True)
    low, high = np.full_like(top, -25.0), np.full_like(top, 10.0)  # logarithms of the unit
    for _ in range(HALVINGS):
        unit = (low + high) / 2
        far = jensen_shannon(_normal(worth - top, np.exp(unit), prior), prior)[:, None] > cap
        low, high = np.where(far, unit, low), np.where(far, high, unit)
    return _normal(worth - top, np.exp(high), prior)


def _normal(worth: np.ndarray, unit: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """The beliefs of that unit: their level is found so that they add up to 1."""
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
    """Each belief, drawn towards the prior as far as the cap asks."""
    low, high = np.zeros((len(beliefs), 1)), np.ones((len(beliefs), 1))
    for _ in range(HALVINGS):
        part = (low + high) / 2
        near = jensen_shannon(part * beliefs + (1 - part) * prior, prior)[:, None] <= cap
        low, high = np.where(near, part, low), np.where(near, high, part)
    whole = jensen_shannon(beliefs, prior)[:, None] <= cap
    return np.where(whole, beliefs, low * beliefs + (1 - low) * prior)


def _within_cap(chances: np.ndarray, prior: np.ndarray, cap: float) -> np.ndarray:
    """The same without what rounding adds."""
    part = 1.0
    while farthest(part * chances + (1 - part) * prior, prior) > cap and part > 0.9:
        part -= 1e-9 if part > 1 - 1e-7 else 1e-3
    return part * chances + (1 - part) * prior
