"""How many of a population are unique, estimated from the sizes of the classes of a random sample of it.

Three models of the sizes, each with what it gives for the population and how far off that may be: Pitman's (Hoshino
2001), the slide negative binomial (Chen & Keller-McNulty 1998), and Zayatz's (1991), which takes the sizes in the
population to be distributed as in the sample. The first two are fitted by maximum likelihood; what varies is the fit
(by the delta method) and the population itself, given the sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

CERTAIN = 1.96  # standard errors on either side: 95 %
LARGE = 1e4  # from which a ratio of gamma functions is expanded
STEPS = 200  # of a fit
NEAR = 1e-9  # changes of a fit that are none
EDGE = 12.0  # logits beyond which a share is 0 or 1


class Sizes(NamedTuple):
    """Of the classes of a sample: which sizes there are, ascending, and how many classes have each."""

    size: np.ndarray
    classes: np.ndarray

    @classmethod
    def of(cls, sizes: np.ndarray, classes: np.ndarray | None = None) -> Sizes:
        """From the size of each class, or of so many."""
        size, place = np.unique(np.asarray(sizes, np.int64), return_inverse=True)
        return cls(size, np.bincount(place, classes).astype(np.int64))

    @property
    def records(self) -> int:
        return int(self.size @ self.classes)

    @property
    def every(self) -> int:
        """The number of classes."""
        return int(self.classes.sum())

    @property
    def unique(self) -> int:
        """The number of classes of one record."""
        return int(self.classes[self.size == 1].sum())


class Estimate(NamedTuple):
    """A share of the population, and where it lies with 95 %."""

    share: float
    low: float
    high: float

    @classmethod
    def around(cls, count: float, variance: float, people: float, least: float = 0.0) -> Estimate:
        """From a number of people and its variance: on the scale of ratios, since it cannot be below 0."""
        off = CERTAIN * math.sqrt(max(variance, 0.0)) / count
        low, high = (min(max(count * math.exp(way * off), least) / people, 1.0) for way in (-1, 1))
        return cls(min(count / people, 1.0), low, high)


def none_seen(sizes: Sizes) -> Estimate:
    """Where no record of the sample is unique: so is nobody of it in the population."""
    return Estimate(0.0, 0.0, 1 - 0.025 ** (1 / sizes.records))


def zayatz(sizes: Sizes, fraction: float) -> Estimate:
    """Its sizes vary as numbers of classes that are counted do."""
    drawn = sizes.size * (1 - fraction) ** (sizes.size - 1.0)  # how likely one is drawn of a class of each size
    total = float(drawn @ sizes.classes)
    alone = sizes.unique**2 / (fraction * total)
    change = np.where(sizes.size == 1, 2 / sizes.unique, 0.0) - drawn / total
    missed = sizes.unique / total  # of those that are unique in the sample how many are in the population
    variance = alone**2 * float(change**2 @ sizes.classes) + missed * sizes.unique * (1 - fraction) / fraction**2
    return Estimate.around(alone, variance, sizes.records / fraction)


def pitman(sizes: Sizes, fraction: float) -> Estimate | None:
    """None where it does not fit: where all are unique, for example, any size of the population fits."""

    def likelihood(at: np.ndarray) -> float:
        return _pitman(sizes, *_of_pitman(at))

    n, people = sizes.records, sizes.records / fraction
    fit = _fitted(likelihood, np.array([0.0, math.log(max(sizes.every / 2, 1.0))]))
    if fit is None:
        return None
    at, spread = fit
    mean, variance = _predicted_by_pitman(sizes, people, *_of_pitman(at))
    slope = _slope(lambda here: _predicted_by_pitman(sizes, people, *_of_pitman(here))[0], at)
    return Estimate.around(mean, variance + float(slope @ spread @ slope), people) if n < people else None


def slide_negative_binomial(sizes: Sizes, fraction: float) -> Estimate | None:
    """None where it does not fit."""

    def likelihood(at: np.ndarray) -> float:
        return _sliding(sizes, fraction, *_of_sliding(at))

    mean_size = sizes.records / fraction / sizes.every
    fit = _fitted(likelihood, np.array([0.0, -math.log(max(mean_size - 1, 0.1))]))
    if fit is None:
        return None
    at, spread = fit
    mean, variance = _predicted_by_sliding(sizes, fraction, *_of_sliding(at))
    slope = _slope(lambda here: _predicted_by_sliding(sizes, fraction, *_of_sliding(here))[0], at)
    return Estimate.around(mean, variance + float(slope @ spread @ slope), sizes.records / fraction)


# --- Pitman's: the next person is of a new class with (theta + alpha u) / (theta + n), of one of size f with
# (f - alpha) / (theta + n)


def _of_pitman(at: np.ndarray) -> tuple[float, float]:
    alpha = _share(at[0])
    return math.exp(at[1]) - alpha, alpha


def _pitman(sizes: Sizes, theta: float, alpha: float) -> float:
    new = (sizes.every - 1) * math.log(alpha) + _rising(theta / alpha + 1, sizes.every - 1)
    within = sum(c * (math.lgamma(f - alpha) - math.lgamma(1 - alpha)) for f, c in zip(*sizes, strict=True) if f > 1)
    return new + within - _rising(theta + 1, sizes.records - 1)


def _predicted_by_pitman(sizes: Sizes, people: float, theta: float, alpha: float) -> tuple[float, float]:
    """The mean and variance of the number of unique people, given the sample and the parameters.

    From the chances that one person is unique at the end, of the sample or not, and that two are.
    """
    n, u, seen, others = sizes.records, sizes.every, sizes.unique, people - sizes.records
    beta = 1 - alpha

    def stay(count: int, start: int) -> float:
        """The chance that so many unique people stay it while the others come, from person `start` on."""
        return math.exp(_ratio(theta + people, -count * beta) - _ratio(theta + start, -count * beta))

    first, second = (theta + u * alpha) / (theta + n), (theta + (u + 1) * alpha) / (theta + n + 1)
    old, new = stay(1, n), first * stay(1, n + 1)
    mean = seen * old + others * new
    pairs = seen * (seen - 1) * stay(2, n) + others * (others - 1) * first * second * stay(2, n + 2)
    pairs += 2 * seen * others * first * stay(2, n + 1)
    return mean, pairs + mean - mean**2


# --- the slide negative binomial: the size of a class, less one, is negative binomial, of shape a and chance p


def _of_sliding(at: np.ndarray) -> tuple[float, float]:
    return math.exp(at[0]), _share(at[1])


def _sliding(sizes: Sizes, fraction: float, shape: float, chance: float) -> float:
    """Of a class that the sample has: one person is drawn or not, of the others so many as a thinned one says."""
    thinned = chance / (chance + (1 - chance) * fraction)

    def log_binomial(count: np.ndarray) -> np.ndarray:
        ways = [math.lgamma(shape + c) - math.lgamma(c + 1) if c >= 0 else -math.inf for c in count.tolist()]
        rest = shape * math.log(thinned) - math.lgamma(shape) + np.maximum(count, 0) * math.log1p(-thinned)
        return np.array(ways) + rest

    size = sizes.size
    drawn = np.logaddexp(math.log1p(-fraction) + log_binomial(size), math.log(fraction) + log_binomial(size - 1))
    return float((drawn - math.log1p(-(1 - fraction) * thinned**shape)) @ sizes.classes)


def _predicted_by_sliding(sizes: Sizes, fraction: float, shape: float, chance: float) -> tuple[float, float]:
    """The mean and variance of the number of unique people: those who were drawn, and those whose class was not."""
    thinned = chance / (chance + (1 - chance) * fraction)
    none, alone = (1 - fraction) * thinned**shape, chance**shape
    one = thinned**shape * ((1 - fraction) * shape * (1 - thinned) + fraction)
    stay = fraction * alone / one
    missed = sizes.every * (1 - fraction) * alone / (1 - none)
    return sizes.unique * stay + missed, sizes.unique * stay * (1 - stay) + missed + missed**2 / sizes.every


# --- numbers


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-min(max(logit, -30.0), 30.0)))


def _rising(start: float, count: float) -> float:
    """The logarithm of start (start + 1) ... over so many factors."""
    return math.lgamma(start + count) - math.lgamma(start)


def _ratio(x: float, more: float) -> float:
    """log gamma(x + more) - log gamma(x), where x is large too."""
    if x < LARGE:
        return math.lgamma(x + more) - math.lgamma(x)
    half = more * (more - 1) / 2
    return more * math.log(x) + half / x - half * (2 * more - 1) / (6 * x * x)


def _slope(of: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-4) -> np.ndarray:
    return np.array([(of(at + way) - of(at - way)) / (2 * step) for way in step * np.eye(2)])


def _fitted(of: Callable[[np.ndarray], float], at: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Where a likelihood of two parameters is largest, and their covariance there; None where it has no peak."""
    best, damp = of(at), 1.0
    for _ in range(STEPS):
        slope, bend = _slope(of, at), -_bend(of, at)
        try:
            low = float(np.linalg.eigvalsh(bend).min())
            ahead = at + np.linalg.solve(bend + max(0.0, damp - low) * np.eye(2), slope)
            there = of(ahead)
        except (OverflowError, ValueError, np.linalg.LinAlgError):
            there = -math.inf
        if there > best:
            gain, at, best, damp = there - best, ahead, there, damp / 4
            if gain < NEAR * (1 + abs(best)) * 1e-3:
                break
        else:
            damp *= 8
            if damp > 1e12:
                break
    bend = -_bend(of, at)
    if not np.isfinite(bend).all() or np.linalg.eigvalsh(bend).min() <= 0 or abs(at[0]) > EDGE:
        return None
    return at, np.linalg.inv(bend)


def _bend(of: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Second derivatives."""
    ways = step * np.eye(2)
    bend = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            ahead = of(at + ways[i] + ways[j]) - of(at + ways[i] - ways[j])
            bend[i, j] = (ahead - of(at - ways[i] + ways[j]) + of(at - ways[i] - ways[j])) / (4 * step * step)
    return bend
