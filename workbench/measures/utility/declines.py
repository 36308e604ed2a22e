"""How much of a utility is lost, and how far two accuracies are apart, each with its 95 % interval."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined

NORMAL = 1.96  # deviations to each side that hold 95 %


def decline(
    before: np.ndarray, weight: np.ndarray, after: np.ndarray, weight_after: np.ndarray, paired: bool
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """How much of the utility is lost, utility on the original and on the release, and the 95 % interval of the loss.

    Records whose true number is missing do not count.
    """
    first, second = _mean(before, weight), _mean(after, weight_after)
    if first <= 0:
        raise Undefined(f"the utility on the original is {first:.4g}, and of nothing no share can be lost")
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
        raise Undefined("no record counts: all weights are 0, or what is true is missing everywhere")
    return float(weight[known] @ found[known] / total)


def _deviations(found: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What each record moves the mean by."""
    known = ~np.isnan(found)
    return np.where(known, weight * (np.nan_to_num(found) - _mean(found, weight)), 0.0) / weight[known].sum()


def interval(found: np.ndarray, base: np.ndarray, paired: bool) -> tuple[float, float]:
    """The 95 % interval of the difference of two accuracies, of the same records or of others."""
    value = found.mean() - base.mean()
    if paired:
        error = (found.astype(float) - base).std() / np.sqrt(len(found))
    else:
        error = np.sqrt(found.var() / len(found) + base.var() / len(base))
    return float(value - NORMAL * error), float(value + NORMAL * error)
