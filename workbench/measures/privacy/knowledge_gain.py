"""A_know (Brickell & Shmatikov 2008, section 4.4): how far the belief about an average person moves."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.figures import per_cent
from workbench.measures import Measure, Measured, adversary, average, sensitive_of, worst
from workbench.measures.privacy.learning import believed
from workbench.models.distances import variation
from workbench.releases.base import Release


@dataclass(frozen=True)
class KnowledgeGain(Measure):
    adversary: str = adversary(learning=True)
    name = "adversary's knowledge gain"
    symbol = "A_know"
    side = "privacy"
    unit = "share of belief moved, 0 to 1"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        posterior = believed(release, name, self.adversary)
        moved = variation(posterior.beliefs, release.table.sensitive[name].prior)
        value = average(moved, posterior.sizes)
        most = per_cent(value, "lower")
        sentence = f"Knowing someone's quasi-identifiers moves {most} of the belief about their {name}, on average."
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "moved": moved})
