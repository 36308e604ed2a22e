"""A_acc (Brickell & Shmatikov 2008, section 4.4): how much more often an adversary's best guess is right."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.measures import Measure, Measured, average, sensitive_of, worst
from workbench.release import Release


@dataclass(frozen=True)
class AccuracyGain(Measure):
    name = "adversary's accuracy gain"
    symbol = "A_acc"
    side = "privacy"
    unit = "share of records"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        posterior = release.posterior(name)
        best = posterior.beliefs.max(axis=1)
        base = float(release.table.sensitive[name].prior.max())
        value = average(best, posterior.sizes) - base
        sentence = (
            f"An adversary guesses {name} right for {base + value:.2%} of the records, {base:.2%} without the release."
        )
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "best": best, "baseline": base})
