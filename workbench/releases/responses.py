"""Responses: what is released of a value at random, how likely each is, and what that tells of the true value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base.errors import Undefined

MOST = 50_000_000  # chances that are looked at together: true values times released ones
ROUNDS, NEAR = 1000, 1e-9  # of expectation maximisation, and how small a step ends it
SINGULAR = 1e8  # the condition from which on a matrix is not undone
STEPS = 20  # parts of the scale of noise that a researcher tells apart


@dataclass(frozen=True, eq=False)
class Categorical:
    """One of the column's own values, drawn by the row of the true one: true x released values."""

    chances: np.ndarray
    words: str = ""  # how the values are drawn, for the codebook
    listed: bool = False  # and each chance with them: they follow from nothing else

    @cached_property
    def undone(self) -> np.ndarray | None:
        """Released x true values: what each released value counts for, so that counts are right on average; None where
        several true values are released alike."""
        singular = np.linalg.cond(self.chances) > SINGULAR
        return None if singular else np.linalg.inv(self.chances)

    @cached_property
    def epsilon(self) -> float:
        """The largest logarithm of how many times likelier a value is released of one true value than of another."""
        most, least = self.chances.max(axis=0), self.chances.min(axis=0)
        there = most > 0
        if (least[there] == 0).any():
            return math.inf
        return math.nextafter(float(np.log(most[there] / least[there]).max()), math.inf)

    def likelihood(self, values: np.ndarray) -> np.ndarray:
        """How likely each true value is released as each of these: true x released."""
        return self.chances[:, values]

    def coarse(self, values: np.ndarray) -> np.ndarray:
        """The released values that a researcher tells apart: all of them."""
        return values

    @property
    def certain(self) -> bool:
        """Whether no released value leaves a doubt."""
        return bool(((self.chances > 0).sum(axis=0) <= 1).all())


@dataclass(frozen=True, eq=False)
class Noise:
    """A number with Laplace noise of a scale: `at` says where each code lies before, within the bounds."""

    scale: float
    at: np.ndarray
    low: float
    high: float
    epsilon: float

    undone = None
    certain = False

    def likelihood(self, values: np.ndarray) -> np.ndarray:
        """Proportional to how likely each code is released as each of these numbers: codes x numbers."""
        if len(self.at) * len(values) > MOST:
            raise Undefined("it has too many different values, beside as many released ones, to weigh each pair")
        far = np.abs(values[None, :] - self.at[:, None]) / self.scale
        return np.exp(far.min(axis=0, keepdims=True) - far)

    def coarse(self, values: np.ndarray) -> np.ndarray:
        """To a twentieth of the scale: the noise hides more."""
        step = self.scale / STEPS
        return values if len(values) * len(self.at) <= MOST // 100 else np.round(values / step) * step


Response = Categorical | Noise


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was released of a column: the distinct values, and which of them each record has."""

    response: Response
    values: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, response: Response, released: np.ndarray) -> Drawn:
        """From what each record has."""
        values, codes = np.unique(released, return_inverse=True)
        return cls(response, values, codes.ravel())

    @property
    def released(self) -> np.ndarray:
        """What each record has."""
        return self.values[self.codes]

    @cached_property
    def coarse(self) -> Drawn:
        """As a researcher tells them apart."""
        return Drawn.of(self.response, self.response.coarse(self.values)[self.codes])

    def given(self, prior: np.ndarray) -> np.ndarray:
        """By Bayes' rule, released x true values: how likely each true value is behind each released one."""
        joint = prior[:, None] * self.response.likelihood(self.values)
        return (joint / joint.sum(axis=0)).T

    @cached_property
    def likeliest(self) -> np.ndarray:
        """The distribution of the true values that makes what was released most likely."""
        counts = np.bincount(self.codes, minlength=len(self.values)).astype(float)
        return most_likely(counts[None, :], self.response.likelihood(self.values))[0]


def most_likely(counts: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """For each row of counts of released values the distribution of true ones that makes them most likely
    (expectation maximisation); nothing where there are none."""
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1)
    found = np.full((len(counts), len(likelihood)), 1 / len(likelihood))
    for _ in range(ROUNDS):
        told = found @ likelihood
        better = found * ((shares / np.where(told > 0, told, 1)) @ likelihood.T)
        moved, found = np.abs(better - found).max(initial=0), better
        if moved < NEAR:
            break
    return found
