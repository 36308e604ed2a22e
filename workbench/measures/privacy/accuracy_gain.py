"""A_acc (Brickell & Shmatikov 2008, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.figures import format_percent, format_whole_percent
from workbench.data.published import published_total
from workbench.measures import (
    Measured,
    SensitiveMeasure,
    attacker_parameter,
    record_mean,
    require_disjoint,
    require_sensitive,
)
from workbench.measures.privacy.attackers import guess_accuracy
from workbench.redaction.controlled_rounding import round_count
from workbench.releases.base import OWN_CLASS, Release

ROUNDING = 1e-12  # a smaller difference of two means is due to rounding, and depends on the processor


@dataclass(frozen=True)
class AccuracyGain(SensitiveMeasure):
    adversary: str = attacker_parameter(learning=True)
    name = "adversary's accuracy gain"
    title = "A_acc (Brickell & Shmatikov 2008, section 4.4)"
    summary = "how much more often an attacker's best guess is right"
    symbol = "A_acc"
    side = "privacy"
    unit = "share of records"

    def measure(self, release: Release) -> Measured:
        require_disjoint(release)
        return super().measure(release)

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        guess = max(
            (rounded_guess_accuracy(release, name, smallest, self.adversary) for name in require_sensitive(release)),
            key=lambda one: one.gain,
        )
        if guess.commonest is None:
            return guess.gain, self.description
        wording = release.table.settings.wording
        name, right = wording.column(guess.sensitive), format_whole_percent(guess.right, "lower")
        return guess.gain, (
            f"An attacker's best guess of the {name} is right for {right} of the {wording.many}; without the release, "
            f"{format_whole_percent(guess.chance)}."
        )

    def measure_column(self, release: Release, name: str) -> Measured:
        sizes, best = guess_accuracy(release, name, self.adversary)
        base = float(release.table.sensitive[name].prior.max())
        gain = record_mean(best, sizes) - base
        value = 0.0 if abs(gain) < ROUNDING else gain
        right, before = format_percent(base + value), format_percent(base)
        sentence = f"An attacker guesses {name} correctly for {right} of the records, {before} without the release."
        return Measured(value, sentence, {"sensitive": name, "sizes": sizes, "best": best, "baseline": base})


class GuessAccuracy(NamedTuple):
    """The share of correct best guesses, with and without the release, from rounded counts."""

    sensitive: str
    commonest: str | None  # the best guess without the release, if it may be named
    right: float
    chance: float

    @property
    def gain(self) -> float:
        return round(self.right - self.chance, 4)


def rounded_guess_accuracy(release: Release, name: str, smallest: int, adversary: str = OWN_CLASS) -> GuessAccuracy:
    """Return the rounded guess accuracy for one sensitive column."""
    seen, (sizes, found) = release.table.sensitive[name], guess_accuracy(release, name, adversary)
    best, total = int(seen.totals.argmax()), published_total(release.table, smallest)
    more = max(float(found @ sizes) - float(seen.totals[best]), 0.0)
    guessed = int(seen.published(smallest)[best])
    right, chance = (min(count / total, 1.0) for count in (guessed + round_count(more, smallest), guessed))
    label = seen.labels[best] if seen.may_name(smallest)[best] else None
    return GuessAccuracy(name, label, round(right, 4), round(chance, 4))
