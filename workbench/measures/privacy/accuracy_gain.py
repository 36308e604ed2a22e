"""A_acc (Brickell & Shmatikov 2008, section 4.4): how much more often an adversary's best guess is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.figures import about_per_cent, per_cent
from workbench.base.small_counts import coarse, named
from workbench.measures import Measure, Measured, adversary, average, refuse_overlapping, sensitive_of, worst
from workbench.measures.privacy.learning import guessed_right
from workbench.releases.base import OWN_CLASS, Release


@dataclass(frozen=True)
class AccuracyGain(Measure):
    adversary: str = adversary(learning=True)
    name = "adversary's accuracy gain"
    symbol = "A_acc"
    side = "privacy"
    unit = "share of records"

    def measure(self, release: Release) -> Measured:
        refuse_overlapping(release)
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        guess = max(
            (guesses(release, name, smallest, self.adversary) for name in sensitive_of(release)),
            key=lambda one: one.gain,
        )
        if guess.commonest is None:
            return guess.gain, self.plain
        wording = release.table.wording
        name, right = wording.column(guess.sensitive), about_per_cent(guess.right, "lower")
        return guess.gain, (
            f"An attacker's best guess of the {name} is right for {right} of the {wording.many}; without the release, "
            f"{about_per_cent(guess.chance)}."
        )

    def _one(self, release: Release, name: str) -> Measured:
        sizes, best = guessed_right(release, name, self.adversary)
        base = float(release.table.sensitive[name].prior.max())
        value = average(best, sizes) - base
        sentence = (
            f"An adversary guesses {name} right for {per_cent(base + value)} of the records, {per_cent(base)} without "
            "the release."
        )
        return Measured(value, sentence, {"sensitive": name, "sizes": sizes, "best": best, "baseline": base})


class Guesses(NamedTuple):
    """How often the best guess is right, with a release and without, in numbers of people that may be told."""

    sensitive: str
    commonest: str | None  # the value that is guessed without it, if it may be named
    right: float
    chance: float

    @property
    def gain(self) -> float:
        return round(self.right - self.chance, 4)


def guesses(release: Release, name: str, smallest: int, adversary: str = OWN_CLASS) -> Guesses:
    """The guesses of one sensitive column."""
    seen, (sizes, found) = release.table.sensitive[name], guessed_right(release, name, adversary)
    right, everybody = float(found @ sizes), release.table.records
    best, of = int(seen.totals.argmax()), coarse(everybody, smallest)
    right, chance = (min(coarse(count, smallest) / of, 1.0) for count in (right, seen.totals[best]))
    label = seen.labels[best] if named(seen.totals, smallest)[best] else None
    return Guesses(name, label, round(max(right, chance), 4), round(chance, 4))
