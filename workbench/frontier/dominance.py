"""Dominance: which points no other dominates, and how much better one point is than another."""

from __future__ import annotations

import math

import numpy as np

from workbench.base.figures import format_number

BLOCK = 256  # rows compared with all others at once


def undominated(losses: np.ndarray) -> np.ndarray:
    """Return which rows no other dominates: at least as low in every column, and lower in one.

    Equal rows do not dominate each other.
    """
    if losses.shape[1] == 2 and len(losses) and not np.isnan(losses).any():  # for two columns, sorting is enough
        _, group = np.unique(losses[:, 0], return_inverse=True)
        lowest = np.full(group.max() + 1, np.inf)
        np.minimum.at(lowest, group, losses[:, 1])
        before = np.append(np.inf, np.minimum.accumulate(lowest)[:-1])
        return ~(((group > 0) & (before[group] <= losses[:, 1])) | (lowest[group] < losses[:, 1]))
    dominated = np.zeros(len(losses), bool)
    for start in range(0, len(losses), BLOCK):
        here = losses[start : start + BLOCK, None, :]
        beats = np.logical_and((losses <= here).all(axis=2), (losses < here).any(axis=2))
        dominated[start : start + BLOCK] = beats.any(axis=1)
    return ~dominated


def clearest_dominator(own: np.ndarray, dominators: np.ndarray, all_losses: np.ndarray) -> int:
    """Return the row of the efficient dominator with the largest advantage, in units of each column's range."""
    efficient = np.flatnonzero(undominated(dominators))
    finite = all_losses[np.isfinite(all_losses).all(axis=1)]
    ranges = np.ptp(finite, axis=0) if len(finite) else np.ones(len(own))
    with np.errstate(invalid="ignore", over="ignore"):
        advantage = np.nan_to_num((own - dominators[efficient]) / np.where(ranges > 0, ranges, 1), posinf=1e9)
    return int(efficient[advantage.sum(axis=1).argmax()])


def describe_gain(key: str, value: float, own: float, better: str = "") -> str:
    """Describe the difference between another point's value and the own one."""
    if value == own:
        return f"{key} the same ({format_number(own)})"
    word = "higher" if value > own else "lower"
    by = f" by {format_number(abs(value - own))}" if math.isfinite(value - own) else ""
    return f"{key} {word}{by} ({format_number(value, better)} instead of {format_number(own, better)})"
