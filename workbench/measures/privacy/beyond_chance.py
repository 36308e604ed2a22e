"""The risk of an attack beyond chance: how often it succeeds on people of whom it would fail without their own records.

An attack on a person succeeds with a chance, and with another in the control group: on the same person with the
person's own record taken out. risk = (attack - control) / (1 - control), as in Anonymeter (Giomi et al. 2022), is one
minus a ratio of two shares of failures of the same people. Its interval is the score interval of that ratio (Nam &
Blackwelder 2002). Where a record never makes an attack fail, it is Wilson's, among those on whom the control fails.
Chances between 0 and 1 vary less than successes do, and people who are shown alike succeed or fail together: the
interval is that of as many more people, or fewer, as tell so much (Korn & Graubard 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NORMAL = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
HALVINGS = 40
EDGE = 1e-12
FEW = 1.0  # successes that a sample may have missed, which would have varied as successes do


class BeyondChance(NamedTuple):
    """The share of attacks that succeed, with the person's record and without, and the risk with its 95 % interval."""

    attack: float
    control: float
    risk: float
    low: float
    high: float
    failing: float  # people, of those attacked, on whom the control fails


class _Pairs(NamedTuple):
    """Shares of people, by what fails on them; `people` as many as tell so much."""

    people: float
    control_alone: float
    attack_alone: float
    both: float

    def score(self, ratio: float) -> float:
        """How many standard deviations the failures are off what this ratio says; positive where there are more."""
        off = self.attack_alone + self.both - ratio * (self.control_alone + self.both)
        attack_alone, control_alone = self._allowed(ratio)
        deviation = np.sqrt(ratio * (attack_alone + control_alone) / self.people)
        return float(off / deviation) if deviation > 0 else float(np.sign(off) * np.inf) if off else 0.0

    def _allowed(self, ratio: float) -> tuple[float, float]:
        """The likeliest shares of failures of one alone under which the ratio is this one."""

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
        if excess > 0:  # at an end of what is possible, where a share that was not seen makes up for it
            return attack_alone, control_alone + excess / ratio
        return attack_alone - excess, control_alone


def _falls(what: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function passes 0; the end that is nearer where it does not."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if what(middle) > 0 else (low, middle)
    return (low + high) / 2


def beyond_chance(attack: np.ndarray, control: np.ndarray, alike: np.ndarray | None = None) -> BeyondChance:
    """Of the chances with which each person is attacked with success, with the own record and without it; `alike` are
    numbers of people who are shown alike: a column of them, or several of which the first is of all that is shown and
    the others of parts of it."""
    attack, control = attack.astype(float), control.astype(float)
    failed, without = 1 - attack, 1 - control
    gain, harm = float(np.maximum(attack - control, 0).mean()), float(np.maximum(control - attack, 0).mean())
    both = float((1 - np.maximum(attack, control)).mean())
    if without.mean() == 0:  # nobody is left of whom a release could tell more
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
    """The squared sums of what varies, over people who vary together. Where sharing a part is enough for that, over
    those who share each, less over those who share all, whom each counted (Cameron, Gelbach & Miller 2011)."""
    if alike is None:
        return float(np.square(off).sum())
    whole, *parts = (float(np.square(np.bincount(number, off)).sum()) for number in alike.T)
    return max(whole, sum(parts) - (len(parts) - 1) * whole) if parts else whole


def _interval(pairs: _Pairs) -> tuple[float, float]:
    """Risks that the pairs do not speak against: those of ratios up to 1, since no risk is below 0."""
    lowest = _falls(lambda ratio: pairs.score(ratio) - NORMAL, EDGE, 1.0)  # fewer failures than so few are unlikely
    highest = _falls(lambda ratio: pairs.score(ratio) + NORMAL, EDGE, 1.0)
    return max(1 - highest, 0.0) if highest < 1 - 1e-9 else 0.0, min(1 - lowest, 1.0) if lowest > 1e-9 else 1.0
