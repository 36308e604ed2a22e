"""Population uniques.

`best` chooses as Dankar et al. (2012) recommend: Pitman's model for a sample of at most a tenth of the population;
above, the slide negative binomial, or Zayatz's estimate if that is lower. Because of simulations it deviates in two
points: if Pitman's does not fit, the slide negative binomial comes before Zayatz's, which is several times too high in
small samples; and Zayatz's only counts as lower if it is below the other's interval.

The 95 % intervals cover the truth in 90 to 98 % of samples if the population follows the model: `pitman`, and `best` up
to a tenth, if class sizes follow Pitman's model; `slnb`, and `best` above a tenth, if class sizes are slide negative
binomial and most of them small. They cover less if hardly any two records of the sample are identical; if a few classes
contain most people, `best` covers about 80 %. In other populations an estimate may be wrong by half or more, and the
interval does not show it; Zayatz's assumes no particular population, and is close to the truth in most if the sample is
half of it.

All assume that the records are a random sample, and that classes were fixed beforehand: for classes that a method made
from these records, of at least k records each, the measure only reports that no record is unique.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.base.convergence import Fit, report_fit
from workbench.base.errors import Undefined
from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.measures.privacy.attackers import count_groups
from workbench.releases.base import Release

# Estimates of the number of unique people in a population, from the class sizes of a random sample.
#
# Three models of class sizes, each with its prediction for the population and an interval: Pitman's (Hoshino 2001), the
# slide negative binomial (Chen & Keller-McNulty 1998), and Zayatz's (1991), which assumes that sizes in the population
# are distributed as in the sample. The first two are fitted by maximum likelihood; the interval includes the
# uncertainty of the fit (by the delta method) and of the population, given the sample.

CERTAIN = 1.96  # standard errors on each side of a 95 % interval
LARGE = 1e4  # above, a ratio of gamma functions is expanded
STEPS = 200  # maximum number of steps of a fit
NEAR = 1e-9  # relative gain at which a fit stops
FARTHEST = 600.0  # logarithm of a ratio that excludes nothing
CONVERGED = 1e-6  # gain in log-likelihood of one more Newton step at convergence
EDGE = 12.0  # logits beyond which a share is 0 or 1


class Sizes(NamedTuple):
    """The class sizes of a sample: the distinct sizes, ascending, and the number of classes of each size."""

    size: np.ndarray
    classes: np.ndarray

    @classmethod
    def from_classes(cls, sizes: np.ndarray, classes: np.ndarray | None = None) -> Sizes:
        """Count the sizes of classes, optionally with the number of classes of each given size."""
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
    """A share of the population with its 95 % interval."""

    share: float
    low: float
    high: float

    @classmethod
    def around(cls, count: float, variance: float, people: float) -> Estimate | None:
        """Return an estimate from a number of people and its variance, with an interval on the logarithmic scale.

        None if the interval excludes nothing: from less than one person to everybody.
        """
        if not (count > 0 and math.isfinite(variance)):
            return None
        off = min(CERTAIN * math.sqrt(max(variance, 0.0)) / count, FARTHEST)
        low, high = (min(count * math.exp(way * off) / people, 1.0) for way in (-1, 1))
        return None if low * people < 1 and high == 1 else cls(min(count / people, 1.0), low, high)


def estimate_without_uniques(sizes: Sizes) -> Estimate:
    """Return the estimate if no record of the sample is unique: then none is unique in the population."""
    return Estimate(0.0, 0.0, 1 - 0.025 ** (1 / sizes.records))


def zayatz(sizes: Sizes, fraction: float) -> Estimate | None:
    """Return Zayatz's estimate, with the variance of counts of classes; None if there are too few classes."""
    drawn = sizes.size * (1 - fraction) ** (sizes.size - 1.0)  # probability of sampling one record, by class size
    total = float(drawn @ sizes.classes)
    alone = sizes.unique**2 / (fraction * total)
    change = np.where(sizes.size == 1, 2 / sizes.unique, 0.0) - drawn / total
    missed = sizes.unique / total  # share of the sample uniques that are unique in the population
    variance = alone**2 * float(change**2 @ sizes.classes) + missed * sizes.unique * (1 - fraction) / fraction**2
    return Estimate.around(alone, variance, sizes.records / fraction)


def pitman(sizes: Sizes, fraction: float) -> Estimate | None:
    """Return the estimate by Pitman's model; None if it does not fit, for example if all records are unique."""

    def likelihood(at: np.ndarray) -> float:
        return _pitman(sizes, *_of_pitman(at))

    n, people = sizes.records, sizes.records / fraction
    fit = _maximize("Pitman's", likelihood, np.array([0.0, math.log(max(sizes.every / 2, 1.0))]))
    if fit is None:
        return None
    at, spread = fit
    mean, variance = _predicted_by_pitman(sizes, people, *_of_pitman(at))
    slope = _slope(lambda here: _predicted_by_pitman(sizes, people, *_of_pitman(here))[0], at)
    return Estimate.around(mean, variance + float(slope @ spread @ slope), people) if n < people else None


def slide_negative_binomial(sizes: Sizes, fraction: float) -> Estimate | None:
    """Return the estimate by the slide negative binomial model; None if it does not fit."""

    def likelihood(at: np.ndarray) -> float:
        return _sliding(sizes, fraction, *_of_sliding(at))

    mean_size = sizes.records / fraction / sizes.every
    fit = _maximize("slide negative binomial", likelihood, np.array([0.0, -math.log(max(mean_size - 1, 0.1))]))
    if fit is None:
        return None
    at, spread = fit
    mean, variance = _predicted_by_sliding(sizes, fraction, *_of_sliding(at))
    slope = _slope(lambda here: _predicted_by_sliding(sizes, fraction, *_of_sliding(here))[0], at)
    return Estimate.around(mean, variance + float(slope @ spread @ slope), sizes.records / fraction)


# --- Pitman's model: the next person starts a new class with probability (theta + alpha u) / (theta + n), and joins one
# of size f with (f - alpha) / (theta + n)


def _of_pitman(at: np.ndarray) -> tuple[float, float]:
    alpha = _share(at[0])
    return math.exp(at[1]) - alpha, alpha


def _pitman(sizes: Sizes, theta: float, alpha: float) -> float:
    new = (sizes.every - 1) * math.log(alpha) + _rising(theta / alpha + 1, sizes.every - 1)
    within = sum(c * (math.lgamma(f - alpha) - math.lgamma(1 - alpha)) for f, c in zip(*sizes, strict=True) if f > 1)
    return new + within - _rising(theta + 1, sizes.records - 1)


def _predicted_by_pitman(sizes: Sizes, people: float, theta: float, alpha: float) -> tuple[float, float]:
    """Return the mean and variance of the number of unique people, given the sample and the parameters.

    They follow from the probabilities that one person, sampled or not, is unique at the end, and that two are.
    """
    n, u, seen, others = sizes.records, sizes.every, sizes.unique, people - sizes.records
    beta = 1 - alpha

    def stay(count: int, start: int) -> float:
        """Return the probability that `count` unique people stay unique as others come, from person `start` on."""
        return math.exp(_ratio(theta + people, -count * beta) - _ratio(theta + start, -count * beta))

    first, second = (theta + u * alpha) / (theta + n), (theta + (u + 1) * alpha) / (theta + n + 1)
    old, new = stay(1, n), first * stay(1, n + 1)
    mean = seen * old + others * new
    pairs = seen * (seen - 1) * stay(2, n) + others * (others - 1) * first * second * stay(2, n + 2)
    pairs += 2 * seen * others * first * stay(2, n + 1)
    return mean, pairs + mean - mean**2


# --- slide negative binomial: the size of a class minus one is negative binomial, of shape a and probability p


def _of_sliding(at: np.ndarray) -> tuple[float, float]:
    return math.exp(at[0]), _share(at[1])


def _sliding(sizes: Sizes, fraction: float, shape: float, chance: float) -> float:
    """Return the log-likelihood of the sampled classes: one person is sampled or not, the others are thinned."""
    thinned = chance / (chance + (1 - chance) * fraction)

    def log_binomial(count: np.ndarray) -> np.ndarray:
        ways = [math.lgamma(shape + c) - math.lgamma(c + 1) if c >= 0 else -math.inf for c in count.tolist()]
        rest = shape * math.log(thinned) - math.lgamma(shape) + np.maximum(count, 0) * math.log1p(-thinned)
        return np.array(ways) + rest

    size = sizes.size
    drawn = np.logaddexp(math.log1p(-fraction) + log_binomial(size), math.log(fraction) + log_binomial(size - 1))
    return float((drawn - math.log1p(-(1 - fraction) * thinned**shape)) @ sizes.classes)


def _predicted_by_sliding(sizes: Sizes, fraction: float, shape: float, chance: float) -> tuple[float, float]:
    """Return the mean and variance of the number of unique people: sampled ones, and those in unsampled classes."""
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
    """Return the logarithm of start (start + 1) ..., with `count` factors."""
    return math.lgamma(start + count) - math.lgamma(start)


def _ratio(x: float, more: float) -> float:
    """Return log gamma(x + more) - log gamma(x), also for large x."""
    if x < LARGE:
        return math.lgamma(x + more) - math.lgamma(x)
    half = more * (more - 1) / 2
    return more * math.log(x) + half / x - half * (2 * more - 1) / (6 * x * x)


def _slope(function: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-4) -> np.ndarray:
    return np.array([(function(at + way) - function(at - way)) / (2 * step) for way in step * np.eye(2)])


def _maximize(
    name: str, function: Callable[[np.ndarray], float], at: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the maximum of a likelihood of two parameters, and their covariance there; None if it has no peak."""
    best, damp, number = function(at), 1.0, 0
    while number < STEPS:
        number += 1
        slope, bend = _slope(function, at), -_bend(function, at)
        try:
            low = float(np.linalg.eigvalsh(bend).min())
            ahead = at + np.linalg.solve(bend + max(0.0, damp - low) * np.eye(2), slope)
            previous = function(ahead)
        except (OverflowError, ValueError, np.linalg.LinAlgError):
            previous = -math.inf
        if previous > best:
            gain, at, best, damp = previous - best, ahead, previous, damp / 4
            if gain < NEAR * (1 + abs(best)) * 1e-3:
                break
        else:
            damp *= 8
            if damp > 1e12:
                break
    bend = -_bend(function, at)
    if not np.isfinite(bend).all() or np.linalg.eigvalsh(bend).min() <= 0 or abs(at[0]) > EDGE:
        return None
    spread, slope = np.linalg.inv(bend), _slope(function, at)
    gain = float(slope @ spread @ slope) / 2
    report_fit(Fit(f"{name} model of class sizes", number, gain, gain <= CONVERGED))
    return at, spread


def _bend(function: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Return the second derivatives."""
    ways = step * np.eye(2)
    bend = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            ahead = function(at + ways[i] + ways[j]) - function(at + ways[i] - ways[j])
            bend[i, j] = (ahead - function(at - ways[i] + ways[j]) + function(at - ways[i] - ways[j])) / (
                4 * step * step
            )
    return bend


FEW = 0.1  # largest sampling fraction for which Pitman's model estimates best


@dataclass(frozen=True)
class PopulationUniques(Measure):
    """The share of the population, and on average of the records, that is unique in it on the quasi-identifiers."""

    fraction: float = parameter(
        1.0, "sampling fraction: records as a share of the population", low=0, high=1, above=True, scale="log"
    )
    estimator: str = parameter(
        "best", "model of class sizes; best: by the fraction", choices=("best", "pitman", "slnb", "zayatz")
    )
    name = "population uniques"
    title = "Population uniques"
    summary = "the estimated share of unique people in the population from which the records were sampled"
    symbol = "R_pop"
    side = "privacy"
    unit = "share of the population"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        disjoint_classes(release)
        sizes = Sizes.from_classes(*count_groups(release))
        if self.fraction == 1:
            share = sizes.unique / sizes.records
            return Measured(
                share, f"{format_percent(share)} of the population are unique; the records are the whole population."
            )
        name, found = self._estimated(sizes)
        if found is None:
            why = "does not fit the sizes of the classes, or excludes nothing"
            raise Undefined(f"the estimator {name} {why}: choose another, or a larger sample")
        low, high = format_percent(found.low, "higher"), format_percent(found.high, "lower")
        sentence = (
            f"About {format_percent(found.share)} of the population ({low} to {high}, 95 % confidence) are unique by "
            f"the released columns (estimator {name}); {sizes.unique:,} of {sizes.records:,} records are unique."
        )
        return Measured(found.share, sentence, {"estimator": name}, (found.low, found.high))

    def _estimated(self, sizes: Sizes) -> tuple[str, Estimate | None]:
        """Return the name of the model, and its estimate or None if it does not fit."""
        every = {"pitman": pitman, "slnb": slide_negative_binomial, "zayatz": zayatz}
        if not sizes.unique:
            return self.estimator, estimate_without_uniques(sizes)
        if self.estimator != "best":
            return self.estimator, every[self.estimator](sizes, self.fraction)
        if self.fraction <= FEW and (found := pitman(sizes, self.fraction)):
            return "pitman", found
        found, other = slide_negative_binomial(sizes, self.fraction), zayatz(sizes, self.fraction)
        if found is None or (self.fraction > FEW and other is not None and other.share < found.low):
            return "zayatz" if other else "best", other
        return "slnb", found
