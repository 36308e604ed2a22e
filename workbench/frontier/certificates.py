"""Certificates: linear lower bounds of the utility loss, as functions of the privacy loss t.

The utility loss is the mean Jensen-Shannon divergence between the estimated and the true distributions of large
populations; it is convex in the estimates. The privacy loss is at most t if every belief lies in a ball around the
prior. So each linear function below the loss yields a bound: its minimum over that ball (`ball_kernels`).
`bound_jointly` applies to releases with unchanged quasi-identifiers: the estimate for a population is the mean of the
beliefs about its people, atom by atom. `bound_per_population` considers each population separately: any estimate is a
point of the ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.progress import checkpoint
from workbench.data.sensitive import Sensitive
from workbench.frontier import ball_kernels
from workbench.frontier.ascent import maximize
from workbench.methods.raking.atoms import Atoms, Limit, rake_beliefs
from workbench.models.distribution_distances import LEAST, jensen_shannon
from workbench.models.t_closeness import TCloseness

TOP = np.log(2) / 2  # the steepest slope of a divergence
CLIMBS, STEPS = 4, 20
PRICE = 0.001, 0.03  # minimum price of t: at first as a share of t, then of the bound
RARE = 0.001  # smaller shares count as this one where the curvature limits the length of steps
ROUNDS, HALVINGS = 60, 30


class Line(NamedTuple):
    """The bound `fixed - rate * t`."""

    fixed: float
    rate: float

    def value_at(self, t: float) -> float:
        return self.fixed - self.rate * t


class _Ball:
    """The distributions within distance t of the prior, with minima of linear functions over them, one per row."""

    def __init__(self, sensitive: Sensitive, t: float, rows: int) -> None:
        self.prior, self.t = sensitive.prior, t
        self.steep, self.fixed, self.rate = np.ones((3, rows))
        self.reached = np.empty((rows, len(sensitive)))

    def minimize(self, slope: np.ndarray, price: np.ndarray) -> None:
        rows = np.ascontiguousarray(slope)
        ball_kernels.minimize_linear_over_ball(
            rows, self.prior, self.t, price, self.steep, self.reached, self.fixed, self.rate
        )


def bound_jointly(atoms: Atoms, sensitive: Sensitive, t: float) -> Line:
    """Return the line that is (nearly) the highest at t, for beliefs about each atom."""
    truth, ball = atoms.truth[sensitive.name], _Ball(sensitive, t, len(atoms))
    many, people, true = len(truth), atoms.people[:, None], truth > 0
    scale = np.sqrt(np.maximum(truth, RARE))
    best, price = Line(0.0, 0.0), PRICE[0] * t

    def value(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        slope = scaled / scale
        if (slope[true] >= TOP).any():
            return -np.inf, slope
        fixed, estimates = _conjugate(slope, truth)
        ball.minimize(people * atoms.back(slope / atoms.held) / many, price * atoms.people / atoms.people.sum())
        line = Line(float(fixed.mean() + ball.fixed.sum()), float(ball.rate.sum()))
        best = max(best, line, key=lambda one: one.value_at(t))
        return line.value_at(t), np.where(
            true, (atoms.sums(people * ball.reached) / atoms.held - estimates) / many / scale, 0
        )

    begin = rake_beliefs(atoms, Limit(TCloseness(t, distance="js"), sensitive))
    place = np.where(true, _slope(atoms.sums(people * begin) / atoms.held, truth), TOP) * scale
    for number in range(CLIMBS):
        checkpoint(f"lower bound, {number + 1} of {CLIMBS}")
        place = maximize(value, place, STEPS)
        price = max(PRICE[1] * best.value_at(t) / t, price / 10)
    return best


def bound_per_population(truth: np.ndarray, sensitive: Sensitive, t: float) -> Line:
    """Return the line for each population considered separately, from the estimate in the ball nearest to the truth
    (Frank & Wolfe 1956).
    """
    far = truth[jensen_shannon(truth, sensitive.prior) > t]
    ball, free = _Ball(sensitive, t, len(far)), np.zeros(len(far))
    estimates, lines = np.repeat(sensitive.prior[None, :], len(far), axis=0), np.zeros((2, len(far)))
    for _ in range(ROUNDS if len(far) else 0):
        checkpoint()
        slope = _slope(estimates, far)
        fixed, _ = _conjugate(slope, far)
        ball.minimize(slope, free)
        found = np.stack([fixed + ball.fixed, ball.rate])
        lines = np.where(found[0] - found[1] * t > lines[0] - lines[1] * t, found, lines)
        estimates = _nearest_between(estimates, ball.reached, far)
    fixed, rate = lines.sum(axis=1) / max(len(truth), 1)
    return Line(float(fixed), float(rate))


def _nearest_between(estimates: np.ndarray, other: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the distribution nearest to the truth on the segment between two distributions, row by row."""
    way, least, most = other - estimates, np.zeros((len(estimates), 1)), np.ones((len(estimates), 1))
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        beyond = (_slope(estimates + middle * way, truth) * way).sum(axis=1, keepdims=True) > 0
        least, most = np.where(beyond, least, middle), np.where(beyond, middle, most)
    return estimates + least * way


def _slope(estimates: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the derivative of the divergence from the truth with respect to each estimated share."""
    return np.log(np.maximum(2 * estimates, LEAST) / np.maximum(estimates + truth, LEAST)) / 2


def _conjugate(slope: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, per population, the constant of the highest linear function below the divergence with this slope, and the
    estimate at which both are equal.
    """
    ratio = np.exp(2 * slope)
    left = np.maximum(2 - ratio, LEAST)
    return (truth * np.log(left)).sum(axis=1) / 2, truth * ratio / left
