"""Compiled kernel of lower bounds: minimize linear functions over distributions near a prior, with a certificate.

Conventions. The ball is the set of distributions whose Jensen-Shannon divergence from `prior` is at most t. Each row of
`slope` is a linear function of distributions. By Lagrange duality, for any a > 0 and any shift with all r[v] = exp(-a *
slope[v] - shift) below 2, no distribution in the ball has a smaller value than

    (sum(prior * log(2 - r)) - shift - 2 * t) / a

The maximum of this bound is the minimum of the function, reached where s[v] = prior[v] * r[v] / (2 - r[v]) adds up to 1
and is on the edge of the ball. Wherever the search stops, the result is a lower bound, and a line in t: it is valid for
every t.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled

GENTLEST, STEEPEST = 1e-7, 1e7  # bounds on a, for slopes between 0 and 1
ROUNDS, ENOUGH = 60, 1e-9
HIGHEST = 2 - 1e-12  # the largest r
TINY = 1e-300


@compiled
def minimize_linear_over_ball(slope, prior, t, price, steep, reached, fixed, rate):
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
def _edge(weight, prior, t, begin, steepest, ratio):
    """Return the a that reaches the edge of the ball, or the steepest, and its shift.

    The search uses the secant rule on logarithms, and bisection where that leaves the bracket.
    """
    below, above, at = np.log(GENTLEST), np.log(steepest), np.log(begin)
    before, missing, shift = at, 0.0, 0.0
    for number in range(ROUNDS):
        shift = _shift(weight, prior, np.exp(at), ratio)
        last, missing = missing, np.log(max(_divergence(prior, ratio), TINY) / t)
        if missing > 0:
            above = at
        else:
            below = at
        if abs(missing) < ENOUGH or above - below < ENOUGH or number == ROUNDS - 1:
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
def _divergence(prior, ratio):
    """Return the Jensen-Shannon divergence of the shares that these ratios represent."""
    found = 0.0
    for v in range(len(prior)):
        if ratio[v] > 0:
            found += prior[v] * ratio[v] / (2 - ratio[v]) * np.log(ratio[v])
        found += prior[v] * np.log(2 - ratio[v])
    return found / 2


@compiled
def _shift(weight, prior, a, ratio):
    """Return the shift with which shares add up to 1, by Newton's rule; `ratio` receives the r of each value."""
    below, above = -np.log(HIGHEST), 0.0
    at = below / 2
    for _ in range(ROUNDS):
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
