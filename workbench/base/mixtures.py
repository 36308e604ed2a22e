"""Maximum likelihood of mixture proportions: the distribution of true values that makes observed counts most likely.

The likelihood is concave, so its maximum can be certified: with the proportions p, the mean log-likelihood of an
observation is at most max(gradient) - 1 below the maximum. That is the residual. Expectation maximization, the usual
algorithm, takes many thousand rounds where the components are similar; a primal-dual interior-point method takes 10 to
40 (compare Kim, Carbonetto, Stephens & Anitescu 2020, who use sequential quadratic programming).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench.base.convergence import Fit
from workbench.base.progress import checkpoint

NAME = "maximum likelihood of the true values"
ROUNDS, TOLERANCE = 100, 1e-11
TO_BOUNDARY = 0.995  # share of the way to where a proportion or its multiplier would become 0
TINY = 1e-100
AT_ONCE = 8_000_000  # entries of the Hessian matrices that are in memory together
DENSE = 400  # components up to which all are fitted at once
NEW = 100  # components that join in one round beyond that

Newton = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # from weights, ridge and right side


class Mixture(NamedTuple):
    """Proportions for each row of counts, and how the fit ended."""

    proportions: np.ndarray
    fit: Fit


def fit_proportions(counts: np.ndarray, likelihood: np.ndarray) -> Mixture:
    """Fit the proportions of the components to each row of counts.

    Parameters
    ----------
    counts
        Rows x outcomes. A row without observations has proportions of 0.
    likelihood
        Components x outcomes: the probability of each outcome, up to a factor for each outcome.
    """
    total = counts.sum(axis=1)
    seen = np.flatnonzero(total > 0)
    found, rounds, residual = np.zeros((len(counts), len(likelihood))), 0, 0.0
    newton, size = _newton(likelihood)
    for some in np.array_split(seen, -(-len(seen) // size)) if len(seen) else ():
        part = counts[some] / total[some, None]
        if len(likelihood) > DENSE and len(counts) == 1:
            found[some], used = _solve_by_columns(part, likelihood)
        else:
            found[some], used = _solve(part, likelihood, newton)
        rounds = max(rounds, used)
        residual = max(residual, float(_residuals(found[some], part, likelihood).max()))
    return Mixture(found, Fit(NAME, rounds, residual, residual <= 10 * TOLERANCE))


def _residuals(found: np.ndarray, shares: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """Return how far each mean log-likelihood may be below the maximum."""
    return np.maximum(_gradient(found, shares, likelihood).max(axis=1) - 1, 0)


def _gradient(found: np.ndarray, shares: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    return (shares / np.maximum(found @ likelihood, TINY)) @ likelihood.T


def _solve(shares: np.ndarray, likelihood: np.ndarray, newton: Newton) -> tuple[np.ndarray, int]:
    """Solve all rows by a primal-dual interior-point method; also return the number of rounds.

    The sum of the proportions needs no constraint: sum(p) - sum(shares * log(p @ likelihood)) is minimal where it is 1.
    """
    found = np.full((len(shares), len(likelihood)), 1 / len(likelihood))
    multiplier, active, number = np.ones_like(found), np.arange(len(shares)), 0
    while len(active) and number < ROUNDS:
        checkpoint()
        number += 1
        p, z, s = found[active], multiplier[active], shares[active]
        mixed = np.maximum(p @ likelihood, TINY)
        excess = 1 - (s / mixed) @ likelihood.T - z
        target = 0.1 * np.minimum((p * z).mean(axis=1, keepdims=True), 1) ** 1.5
        change = newton(s / mixed**2, z / p, target / p - z - excess)
        change_of_z = (target - z * change) / p - z
        p, z = _inside(p, change), _inside(z, change_of_z)
        found[active], multiplier[active] = p, z
        active = active[_residuals(p / p.sum(axis=1, keepdims=True), s, likelihood) > TOLERANCE]
    return found / found.sum(axis=1, keepdims=True), number


def _newton(likelihood: np.ndarray) -> tuple[Newton, int]:
    """Return a solver of (likelihood @ diag(weights) @ likelihood.T + diag(ridge)) x = right, and its batch size in
    rows.

    If each value is kept or else drawn from one distribution, the matrix is a diagonal plus the same row for each
    component. The system is then solved in linear time.
    """
    components = len(likelihood)
    diagonal = np.arange(components)

    def dense(weights: np.ndarray, ridge: np.ndarray, right: np.ndarray) -> np.ndarray:
        hessian = (likelihood * weights[:, None, :]) @ likelihood.T
        hessian[:, diagonal, diagonal] += ridge
        return np.linalg.solve(hessian, right[:, :, None])[:, :, 0]

    def kept_or_drawn(weights: np.ndarray, ridge: np.ndarray, right: np.ndarray) -> np.ndarray:
        own = kept**2 * weights + ridge
        columns = np.stack([np.ones_like(own), kept * weights * row], axis=1)
        inner = np.einsum("rai,rbi->rab", columns / own[:, None, :], columns)
        inner[:, 0, 1] += 1
        inner[:, 1, 0] += 1
        inner[:, 1, 1] -= (weights * row**2).sum(axis=1)
        part = np.linalg.solve(inner, np.einsum("rai,ri->ra", columns, right / own)[:, :, None])[:, :, 0]
        return (right - np.einsum("ra,rai->ri", part, columns)) / own

    if likelihood.shape == (components, components) and components > 2:
        row = likelihood[np.roll(diagonal, 1), diagonal]  # none of them on the diagonal
        kept = likelihood[diagonal, diagonal] - row
        if (kept > 0).all() and np.allclose(likelihood, np.diag(kept) + row, rtol=1e-12, atol=1e-15):
            return kept_or_drawn, max(1, AT_ONCE // components)
    return dense, max(1, AT_ONCE // (components * max(likelihood.shape)))


def _inside(value: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Move each row as far as all its entries stay positive."""
    falls = change < 0
    limit = np.where(falls, -value / np.where(falls, change, -1), np.inf).min(axis=1, keepdims=True)
    return np.maximum(value + np.minimum(1, TO_BOUNDARY * limit) * change, TINY)


def _solve_by_columns(shares: np.ndarray, likelihood: np.ndarray) -> tuple[np.ndarray, int]:
    """Solve one row with many components: those with the largest gradient join until none would help."""
    chosen = np.unique(np.linspace(0, len(likelihood) - 1, NEW).astype(int))
    found, number, used = np.zeros((1, len(likelihood))), 0, 0
    while number < ROUNDS:
        number += 1
        part, rounds = _solve(shares, likelihood[chosen], _newton(likelihood[chosen])[0])
        used += rounds
        found[:] = 0
        found[:, chosen] = part
        gradient = _gradient(found, shares, likelihood)[0]
        if gradient.max() - 1 <= 10 * TOLERANCE:
            break
        best = np.array([b[gradient[b].argmax()] for b in np.array_split(np.arange(len(gradient)), NEW)])
        chosen = np.union1d(chosen[part[0] > TOLERANCE], best[gradient[best] > 1])
    return found, used
