"""The share of a utility that is lost, and the difference of two accuracies, each with its 95 % interval."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number

NORMAL = 1.96  # standard deviations on each side of a 95 % interval


def utility_decline(
    before: np.ndarray, weight: np.ndarray, after: np.ndarray, weight_after: np.ndarray, paired: bool
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Return the share of the utility that is lost, the utility on the original and on the release, and the interval.

    Records with a missing true number do not count.
    """
    first, second = _mean(before, weight), _mean(after, weight_after)
    if first <= 0:
        raise Undefined(f"the utility on the original is {format_number(first)}, so no share of it can be lost")
    ratio = second / first
    spread = _deviations(before, weight), _deviations(after, weight_after)
    if paired:
        error = float(np.sqrt(((spread[1] - ratio * spread[0]) ** 2).sum()))
    else:
        error = float(np.sqrt((spread[1] ** 2).sum() + ratio**2 * (spread[0] ** 2).sum()))
    ends = [max(1 - ratio + side * NORMAL * error / first, 0.0) for side in (-1, 1)]
    return max(1 - ratio, 0.0), (first, second), (ends[0], ends[1])


def _mean(found: np.ndarray, weight: np.ndarray) -> float:
    known = ~np.isnan(found)
    total = weight[known].sum()
    if not total:
        raise Undefined("no record counts: all weights are 0, or all true values are missing")
    return float(weight[known] @ found[known] / total)


def _deviations(found: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return how much each record changes the mean."""
    known = ~np.isnan(found)
    return np.where(known, weight * (np.nan_to_num(found) - _mean(found, weight)), 0.0) / weight[known].sum()


def accuracy_interval(found: np.ndarray, base: np.ndarray, paired: bool) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two accuracies, on the same records or on different ones."""
    value = found.mean() - base.mean()
    if paired:
        error = (found.astype(float) - base).std() / np.sqrt(len(found))
    else:
        error = np.sqrt(found.var() / len(found) + base.var() / len(base))
    return float(value - NORMAL * error), float(value + NORMAL * error)
