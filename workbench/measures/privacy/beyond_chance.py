"""The risk of an attack beyond chance: how often it succeeds on people for whom it would fail without their own record.

An attack on a person succeeds with one probability, and in the control, on the same person without their own record,
with another. risk = (attack - control) / (1 - control), as in Anonymeter (Giomi et al. 2022), is one minus a ratio of
two shares of failures of the same people. Its interval is the score interval of that ratio (Nam & Blackwelder 2002). If
a record never makes an attack fail, it is Wilson's, among those on whom the control fails. Probabilities between 0 and
1 vary less than successes, and people who are shown identically succeed or fail together: the interval uses the
effective number of people (Korn & Graubard 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NORMAL = 1.959963984540054  # standard deviations on each side of a 95 % interval of a normal distribution
HALVINGS = 40
EDGE = 1e-12
FEW = 1.0  # successes that a sample may have missed


class BeyondChance(NamedTuple):
    """The share of successful attacks, with and without the person's record, and the risk with its 95 % interval."""

    attack: float
    control: float
    risk: float
    low: float
    high: float
    failing: float  # number of attacked people on whom the control fails


class _Pairs(NamedTuple):
    """Shares of people by what fails on them; `people` is their effective number."""

    people: float
    control_alone: float
    attack_alone: float
    both: float

    def score(self, ratio: float) -> float:
        """Return by how many standard deviations the failures exceed those of this ratio."""
        off = self.attack_alone + self.both - ratio * (self.control_alone + self.both)
        attack_alone, control_alone = self._allowed(ratio)
        deviation = np.sqrt(ratio * (attack_alone + control_alone) / self.people)
        return float(off / deviation) if deviation > 0 else float(np.sign(off) * np.inf) if off else 0.0

    def _allowed(self, ratio: float) -> tuple[float, float]:
        """Return the maximum likelihood shares of failures of only one of the two, given this ratio."""

        def shares(at: float) -> tuple[float, float, float]:
            parts = (
                (self.attack_alone, 1 + at),
                (self.control_alone, 1 - ratio * at),
                (self.both, 1 + at * (1 - ratio)),
            )
            one, other, both = (share / by if share else 0.0 for share, by in parts)
            return one, other, one + both * (1 - ratio) - ratio * other

        found = _falls(lambda at: shares(at)[2], -1 + EDGE, 1 / ratio - EDGE)
        attack_alone, control_alone, excess = shares(found)
        if excess > 0:  # at the boundary, where an unobserved share compensates
            return attack_alone, control_alone + excess / ratio
        return attack_alone - excess, control_alone


def _falls(what: Callable[[float], float], low: float, high: float) -> float:
    """Return where a decreasing function is 0, or the nearer end if it is nowhere 0."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if what(middle) > 0 else (low, middle)
    return (low + high) / 2


def beyond_chance(attack: np.ndarray, control: np.ndarray, alike: np.ndarray | None = None) -> BeyondChance:
    """Return the risk from each person's probabilities of success with and without their own record.

    `alike` has numbers of groups of people who are shown identically: one column, or several of which the first is for
    everything that is shown and the others are for parts of it.
    """
    attack, control = attack.astype(float), control.astype(float)
    failed, without = 1 - attack, 1 - control
    gain, harm = float(np.maximum(attack - control, 0).mean()), float(np.maximum(control - attack, 0).mean())
    both = float((1 - np.maximum(attack, control)).mean())
    if without.mean() == 0:  # the control always succeeds, so a release can add nothing
        return BeyondChance(float(attack.mean()), 1.0, 0.0, 0.0, 1.0 if failed.mean() == 0 else 0.0, 0.0)
    ratio = float(failed.mean() / without.mean())
    off, at_most = failed - ratio * without, len(attack) * ratio * (gain + harm)
    spread = _spread(off, None if alike is None else alike.reshape(len(off), -1))
    people = len(attack) * (at_most + FEW) / (spread + FEW)
    low, high = _interval(_Pairs(people, gain, harm, both))
    return BeyondChance(
        float(attack.mean()), float(control.mean()), max(1 - ratio, 0.0), low, high, float(without.sum())
    )  # fmt: skip


def _spread(off: np.ndarray, alike: np.ndarray | None) -> float:
    """Return the sum of squares of group sums, over people who vary together.

    If sharing a part is enough for that, the sums over groups that share each part, minus the sums over groups that
    share everything, which are counted in each (Cameron, Gelbach & Miller 2011).
    """
    if alike is None:
        return float(np.square(off).sum())
    whole, *parts = (float(np.square(np.bincount(number, off)).sum()) for number in alike.T)
    return max(whole, sum(parts) - (len(parts) - 1) * whole) if parts else whole


def _interval(pairs: _Pairs) -> tuple[float, float]:
    """Return the risks that the pairs do not reject, for ratios up to 1, since no risk is negative."""
    lowest = _falls(lambda ratio: pairs.score(ratio) - NORMAL, EDGE, 1.0)  # below, the failures are too many
    highest = _falls(lambda ratio: pairs.score(ratio) + NORMAL, EDGE, 1.0)
    return max(1 - highest, 0.0) if highest < 1 - 1e-9 else 0.0, min(1 - lowest, 1.0) if lowest > 1e-9 else 1.0
