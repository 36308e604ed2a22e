"""Certificates: lines in t below which no release with a privacy loss of t has its utility loss.

Utility loss is the mean Jensen-Shannon divergence of what is told of large populations from the truth, which is convex
in what is told, and the privacy loss is at most t where beliefs lie in a ball around everybody's distribution. So every
linear function below the loss gives a bound: its least value over that ball (`ball_kernels`). `together` is about
releases that publish quasi-identifiers unchanged: what they tell of a population is the mean of what is believed of
its people, atom by atom. `apart` takes one population after the other: whatever is told of it lies in the ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base import ball_kernels
from workbench.base.progress import step
from workbench.data.sensitive import Sensitive
from workbench.frontier.ascent import climbed
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.beliefs import raked
from workbench.methods.raking.limits import Limit
from workbench.models.distances import LEAST, jensen_shannon
from workbench.models.t_closeness import TCloseness

TOP = np.log(2) / 2  # the steepest slope of a divergence
CLIMBS, STEPS = 4, 20
PRICE = 0.001, 0.03  # the least price of t: in parts of t at first, then of the bound
RARE = 0.001  # shares below count as this one where steps are as long as curvature allows
ROUNDS, HALVINGS = 60, 30


class Line(NamedTuple):
    """The bound `fixed - rate * t`."""

    fixed: float
    rate: float

    def at(self, t: float) -> float:
        return self.fixed - self.rate * t


class _Ball:
    """Distributions within t of everybody's: the least of linear functions over it, a row each."""

    def __init__(self, sensitive: Sensitive, t: float, rows: int) -> None:
        self.prior, self.t = sensitive.prior, t
        self.steep, self.fixed, self.rate = np.ones((3, rows))
        self.reached = np.empty((rows, len(sensitive)))

    def least(self, slope: np.ndarray, price: np.ndarray) -> None:
        rows = np.ascontiguousarray(slope)
        ball_kernels.least(rows, self.prior, self.t, price, self.steep, self.reached, self.fixed, self.rate)


def together(atoms: Atoms, sensitive: Sensitive, t: float) -> Line:
    """The line that is highest at t, nearly, for beliefs about each atom."""
    truth, ball = atoms.truth[sensitive.name], _Ball(sensitive, t, len(atoms))
    many, people, true = len(truth), atoms.people[:, None], truth > 0
    scale = np.sqrt(np.maximum(truth, RARE))
    best, price = Line(0.0, 0.0), PRICE[0] * t

    def value(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        slope = scaled / scale
        if (slope[true] >= TOP).any():
            return -np.inf, slope
        fixed, told = _conjugate(slope, truth)
        ball.least(people * atoms.back(slope / atoms.held) / many, price * atoms.people / atoms.people.sum())
        line = Line(float(fixed.mean() + ball.fixed.sum()), float(ball.rate.sum()))
        best = max(best, line, key=lambda one: one.at(t))
        return line.at(t), np.where(true, (atoms.sums(people * ball.reached) / atoms.held - told) / many / scale, 0)

    begin = raked(atoms, Limit(TCloseness(t, distance="js"), sensitive))
    place = np.where(true, _slope(atoms.sums(people * begin) / atoms.held, truth), TOP) * scale
    for number in range(CLIMBS):
        step(f"what is possible, {number + 1} of {CLIMBS}")
        place = climbed(value, place, STEPS)
        price = max(PRICE[1] * best.at(t) / t, price / 10)
    return best


def apart(truth: np.ndarray, sensitive: Sensitive, t: float) -> Line:
    """The same for each population by itself: the nearest to its truth in the ball (Frank & Wolfe 1956)."""
    far = truth[jensen_shannon(truth, sensitive.prior) > t]
    ball, free = _Ball(sensitive, t, len(far)), np.zeros(len(far))
    told, lines = np.repeat(sensitive.prior[None, :], len(far), axis=0), np.zeros((2, len(far)))
    for _ in range(ROUNDS if len(far) else 0):
        step()
        slope = _slope(told, far)
        fixed, _ = _conjugate(slope, far)
        ball.least(slope, free)
        found = np.stack([fixed + ball.fixed, ball.rate])
        lines = np.where(found[0] - found[1] * t > lines[0] - lines[1] * t, found, lines)
        told = _nearest_between(told, ball.reached, far)
    fixed, rate = lines.sum(axis=1) / max(len(truth), 1)
    return Line(float(fixed), float(rate))


def _nearest_between(told: np.ndarray, other: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Row by row what is nearest to the truth on the line between two distributions."""
    way, least, most = other - told, np.zeros((len(told), 1)), np.ones((len(told), 1))
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        beyond = (_slope(told + middle * way, truth) * way).sum(axis=1, keepdims=True) > 0
        least, most = np.where(beyond, least, middle), np.where(beyond, middle, most)
    return told + least * way


def _slope(told: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """How the divergence from the truth grows with each share that is told."""
    return np.log(np.maximum(2 * told, LEAST) / np.maximum(told + truth, LEAST)) / 2


def _conjugate(slope: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each population where the highest linear function with that slope below the divergence begins, and what is
    told where the two touch."""
    ratio = np.exp(2 * slope)
    left = np.maximum(2 - ratio, LEAST)
    return (truth * np.log(left)).sum(axis=1) / 2, truth * ratio / left
