"""Certified lower bounds on the utility loss at each privacy loss.

The bound holds for attackers and researchers that use each class by itself, not all jointly (P_loss and U_loss as in Li
& Li 2009, by the Jensen-Shannon divergence), for records without weights. It does not apply to a reader who learns from
all classes jointly or corrects for noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.base.progress import checkpoint
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.estimators import UNIFORM
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods.raking.atoms import Atoms, Limit, rake_beliefs
from workbench.models.distribution_distances import LEAST, jensen_shannon
from workbench.models.t_closeness import TCloseness
from workbench.queries.populations import Populations, large_populations
from workbench.releases.base import OWN_CLASS, Release
from workbench.releases.exchanged import is_one_file

PARTS = (0.08, 0.16, 0.27, 0.42, 0.65)  # of the smallest t that admits the true distribution of every population


class LowerBounds(NamedTuple):
    """Lower bounds as lines, for each sensitive column: the loss of a release is the maximum over the columns."""

    lines: tuple[tuple[Line, ...], ...]

    def value_at(self, t: float) -> float:
        """Return a lower bound on the utility loss of all releases whose classes are within distance t of the prior."""
        return max([0.0, *(line.value_at(t) for lines in self.lines for line in lines)])


def bound(table: Table, t: float, *, exact: bool = False, min_support: float = 0.05) -> float:
    """Return a lower bound on the utility loss of any release in classes that satisfies t, for a reader who uses each
    class by itself. The bound is certified; the true minimum may be somewhat higher.

    `exact` is the (higher) bound for releases that publish quasi-identifiers unchanged (bucketized, exchanged). The
    bound does not apply to releases with noise and to flat files whose rows are counted: they have no classes.
    """
    if isinstance(t, bool) or not isinstance(t, Real) or not 0 <= t <= 1:
        raise BadInput(f"t = {safe_repr(t)} must be a number between 0 and 1: a Jensen-Shannon divergence")
    names = _bounded_columns(table, min_support)
    if t == 0:
        return max(float(_distances_from_prior(table, name, min_support).mean()) for name in names)
    return LowerBounds(tuple(_lines(table, name, (t,), exact, min_support) for name in names)).value_at(t)


def compute_lower_bounds(table: Table, *, exact: bool = False, min_support: float = 0.05) -> LowerBounds:
    """Compute the bound for all t, slightly lower between the computed ones; once per table."""
    names = _bounded_columns(table, min_support)
    farthest = {name: float(_distances_from_prior(table, name, min_support).max()) for name in names}
    found = LowerBounds(
        tuple(_lines(table, name, [part * farthest[name] for part in PARTS], exact, min_support) for name in names)
    )
    return _cached_bounds(table).setdefault((exact, min_support), found)


def known_lower_bounds(table: Table, *, exact: bool = False, min_support: float = 0.05) -> LowerBounds | None:
    """Return the bound if it was computed before."""
    return _cached_bounds(table).get((exact, min_support))


def bounded_support(privacy: Measure, utility: Measure) -> float | None:
    """Return the minimum support of the populations of U_loss if the bound applies to these two axes, else None."""
    own = isinstance(privacy, PrivacyLoss) and (privacy.distance, privacy.adversary) == ("js", OWN_CLASS)
    plain = isinstance(utility, UtilityLoss) and (utility.distance, utility.estimator) == ("js", UNIFORM)
    return utility.min_support if own and isinstance(utility, UtilityLoss) and plain else None


def compare_with_minimum(release: Release, privacy: float, loss: float, min_support: float) -> str:
    """Describe the utility loss as a multiple of the certified minimum; empty if no useful bound is known."""
    if is_one_file(release):  # by chance, assigned rows may be nearer to the truth than their classes
        return ""
    exact = release.classes.exact and not release.suppressed
    found = known_lower_bounds(release.table, exact=exact, min_support=min_support)
    return "" if found is None else describe_multiple(found, privacy, loss, exact)


def describe_multiple(possible: LowerBounds, privacy: float, loss: float, exact: bool) -> str:
    """Describe the loss as a multiple of the certified minimum; empty if the minimum is 0."""
    whose = "a release with exact quasi-identifiers" if exact else "any release in classes"
    minimum = possible.value_at(privacy)
    if minimum <= 0 or not loss < np.inf:
        return ""
    return (
        f"That is {format_number(max(loss / minimum, 1.0), 'lower')} times the certified minimum for {whose} at "
        f"this privacy loss ({format_number(minimum, 'higher')})."
    )


def _cached_bounds(table: Table) -> dict[tuple[bool, float], LowerBounds]:
    return table.remember("least utility losses", dict)


def _bounded_columns(table: Table, min_support: float) -> list[str]:
    """Return the sensitive columns; raise Undefined if no bound is known."""
    if table.weight is not None:
        raise Undefined("no minimum utility loss is known for records with weights")
    if not table.sensitive:
        raise Undefined("the table has no sensitive column; declare one")
    if not len(large_populations(table, min_support)):
        raise Undefined("there are no large populations to list; change min_support")
    return list(table.sensitive)


def _lines(table: Table, name: str, at: Sequence[float], exact: bool, min_support: float) -> tuple[Line, ...]:
    """Return a line for each t above 0; with `exact`, a second one for releases with unchanged quasi-identifiers."""
    kinds = (False, True) if exact else (False,)
    return tuple(_line(table, name, t, kind, min_support) for t in at if t > 0 for kind in kinds)


def _line(table: Table, name: str, t: float, exact: bool, min_support: float) -> Line:
    sensitive, populations = table.sensitive[name], large_populations(table, min_support)

    def found() -> Line:
        if not exact:
            return bound_per_population(_truth(populations, name), sensitive, t)
        atoms = Atoms.from_table(table, min_support)
        if len(atoms.populations) < len(populations):
            raise Undefined("too many populations for a bound of exact quasi-identifiers; set exact=False")
        return bound_jointly(atoms, sensitive, t)

    return table.remember(("least utility loss", name, t, exact, min_support), found)


def _distances_from_prior(table: Table, name: str, min_support: float) -> np.ndarray:
    """Return the distance of each population's true distribution from the prior."""
    return jensen_shannon(_truth(large_populations(table, min_support), name), table.sensitive[name].prior)


def _truth(populations: Populations, name: str) -> np.ndarray:
    return populations.truth[name] / populations.support[:, None]


# Certificates. The utility loss is the mean Jensen-Shannon divergence between the estimated and the true distributions
# of large populations; it is convex in the estimates. The privacy loss is at most t if every belief lies in a ball
# around the prior. So each linear function below the loss yields a bound: its minimum over that ball. `bound_jointly`
# applies to releases with unchanged quasi-identifiers: the estimate for a population is the mean of the beliefs about
# its people, atom by atom. `bound_per_population` considers each population separately: any estimate is a point of the
# ball.

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
        minimize_linear_over_ball(rows, self.prior, self.t, price, self.steep, self.reached, self.fixed, self.rate)


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


# Minima of linear functions over distributions near a prior, with a certificate. The ball is the set of distributions
# whose Jensen-Shannon divergence from `prior` is at most t. Each row of `slope` is a linear function of distributions.
# By Lagrange duality, for any a > 0 and any shift with all r[v] = exp(-a * slope[v] - shift) below 2, no distribution
# in the ball has a smaller value than
#
#     (sum(prior * log(2 - r)) - shift - 2 * t) / a
#
# The maximum of this bound is the minimum of the function, reached where s[v] = prior[v] * r[v] / (2 - r[v]) adds up to
# 1 and is on the edge of the ball. Wherever the search stops, the result is a lower bound, and a line in t: it is valid
# for every t.

GENTLEST, STEEPEST = 1e-7, 1e7  # bounds on a, for slopes between 0 and 1
KERNEL_ROUNDS, ENOUGH = 60, 1e-9
HIGHEST = 2 - 1e-12  # the largest r
TINY = 1e-300


@compiled
def minimize_linear_over_ball(
    slope: np.ndarray,
    prior: np.ndarray,
    t: float,
    price: np.ndarray,
    steep: np.ndarray,
    reached: np.ndarray,
    fixed: np.ndarray,
    rate: np.ndarray,
) -> None:
    """Find for each row the bound `fixed - rate * t`, with a rate of at least `price`.

    The lower limit on the rate keeps `reached`, which is close to the minimizer, from jumping; `steep` is a, for the
    next call.
    """
    weight, ratio = np.empty(slope.shape[1]), np.empty(slope.shape[1])
    for i in range(len(slope)):
        low = slope[i].min()
        scale = slope[i].max() - low
        if scale == 0:
            reached[i], fixed[i], rate[i] = prior, low, 0.0
            continue
        weight[:] = (slope[i] - low) / scale
        steepest = max(min(STEEPEST, 2 * scale / max(price[i], TINY)), GENTLEST)
        a, shift = _edge(weight, prior, t, min(max(steep[i], GENTLEST), steepest), steepest, ratio)
        total = 0.0
        for v in range(len(prior)):
            total += prior[v] * np.log(2 - ratio[v])
            reached[i, v] = prior[v] * ratio[v] / (2 - ratio[v])
        steep[i], fixed[i], rate[i] = a, low + scale * (total - shift) / a, 2 * scale / a


@compiled
def _edge(
    weight: np.ndarray, prior: np.ndarray, t: float, begin: float, steepest: float, ratio: np.ndarray
) -> tuple[float, float]:
    """Return the a that reaches the edge of the ball, or the steepest, and its shift.

    The search uses the secant rule on logarithms, and bisection where that leaves the bracket.
    """
    below, above, at = np.log(GENTLEST), np.log(steepest), np.log(begin)
    before, missing, shift = at, 0.0, 0.0
    for number in range(KERNEL_ROUNDS):
        shift = _shift(weight, prior, np.exp(at), ratio)
        last, missing = missing, np.log(max(_divergence(prior, ratio), TINY) / t)
        if missing > 0:
            above = at
        else:
            below = at
        if abs(missing) < ENOUGH or above - below < ENOUGH or number == KERNEL_ROUNDS - 1:
            break
        rise = (missing - last) / (at - before) if number and at != before else 2.0
        before = at
        at -= missing / rise if rise > 0 else 0.0
        if at >= above and above == np.log(steepest):
            at = above
        elif not below < at < above:
            at = (below + above) / 2
    return np.exp(at), shift


@compiled
def _divergence(prior: np.ndarray, ratio: np.ndarray) -> float:
    """Return the Jensen-Shannon divergence of the shares that these ratios represent."""
    found = 0.0
    for v in range(len(prior)):
        if ratio[v] > 0:
            found += prior[v] * ratio[v] / (2 - ratio[v]) * np.log(ratio[v])
        found += prior[v] * np.log(2 - ratio[v])
    return found / 2


@compiled
def _shift(weight: np.ndarray, prior: np.ndarray, a: float, ratio: np.ndarray) -> float:
    """Return the shift with which shares add up to 1, by Newton's rule; `ratio` receives the r of each value."""
    below, above = -np.log(HIGHEST), 0.0
    at = below / 2
    for _ in range(KERNEL_ROUNDS):
        extra, fall = -1.0, 0.0
        for v in range(len(prior)):
            ratio[v] = np.exp(-a * weight[v] - at)
            extra += prior[v] * ratio[v] / (2 - ratio[v])
            fall += 2 * prior[v] * ratio[v] / (2 - ratio[v]) ** 2
        shift = at
        if extra > 0:
            below = at
        else:
            above = at
        if abs(extra) < ENOUGH:
            break
        at += extra / fall
        if not below < at < above:
            at = (below + above) / 2
    return shift


MEMORY = 10  # stored steps
STEP_HALVINGS, RISE = 20, 1e-4  # at most; minimum increase of a step, as a share of what the slope predicts
FIRST_STEP = 0.01  # length of the first step
FLAT = 1e-18

Value = Callable[[np.ndarray], tuple[float, np.ndarray]]  # minus infinity outside the domain


def maximize(value: Value, begin: np.ndarray, steps: int) -> np.ndarray:
    """Maximize a smooth concave function by limited-memory BFGS, until no step increases the value."""
    point, (height, slope) = begin, value(begin)
    known: list[tuple[np.ndarray, np.ndarray, float]] = []
    for _ in range(steps):
        checkpoint()
        direction = _search_direction(slope, known)
        predicted, part = float((direction * slope).sum()), 1.0
        for _ in range(STEP_HALVINGS):
            candidate = point + part * direction
            higher, next_slope = value(candidate)
            if higher >= height + RISE * part * predicted:
                break
            part /= 2
        else:
            return point
        moved, bent = candidate - point, slope - next_slope
        if (both := float((moved * bent).sum())) > FLAT:
            known = [*known, (moved, bent, 1 / both)][-MEMORY:]
        point, height, slope = candidate, higher, next_slope
    return point


def _search_direction(slope: np.ndarray, known: list[tuple[np.ndarray, np.ndarray, float]]) -> np.ndarray:
    """Return the search direction: the gradient, corrected by the stored curvature (two-loop recursion)."""
    direction, parts = slope.copy(), list[float]()
    for moved, bent, one in reversed(known):
        parts.append(one * float((moved * direction).sum()))
        direction -= parts[-1] * bent
    if known:
        _, bent, one = known[-1]
        direction /= one * float((bent * bent).sum())
    else:
        direction *= FIRST_STEP / max(float(np.abs(direction).max(initial=0)), np.finfo(float).tiny)
    for (moved, bent, one), part in zip(known, reversed(parts), strict=True):
        direction += moved * (part - one * float((bent * direction).sum()))
    return direction
