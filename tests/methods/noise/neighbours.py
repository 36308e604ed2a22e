"""Two values of a record, each released many times: does the output distinguish them by more than epsilon?"""

import math

import numpy as np
from scipy import stats

PAIRS = 10_000
FALSE_ALARM = 1e-7  # over all events of one test


def distinguishing_events(of_one, of_other, events, epsilon):
    """Return the events that are likelier by more than e^epsilon for one value than for the other, beyond chance.

    Each chance has a bound by Clopper & Pearson, so that a mechanism within epsilon is blamed once in ten million.
    """
    level, found = FALSE_ALARM / (4 * len(events)), []
    for name, event in events.items():
        for one, other in ((of_one, of_other), (of_other, of_one)):
            hits, misses = int(event(one).sum()), int(event(other).sum())
            least = stats.beta.ppf(level, hits, len(one) - hits + 1) if hits else 0.0
            most = stats.beta.ppf(1 - level, misses + 1, len(other) - misses) if misses < len(other) else 1.0
            if least > math.exp(epsilon) * most:
                found.append(name)
    return found


def thresholds(low, high):
    """Return the events that a number is at most, or at least, one of some."""
    cuts = np.linspace(low, high, 9).tolist()
    return {f"<= {cut}": lambda y, cut=cut: y <= cut for cut in cuts} | {
        f">= {cut}": lambda y, cut=cut: y >= cut for cut in cuts
    }


def each_value(size):
    """Return the events that a value is released, and that another one is."""
    return {f"= {v}": lambda y, v=v: y == v for v in range(size)} | {
        f"!= {v}": lambda y, v=v: y != v for v in range(size)
    }
