"""A_know (Brickell & Shmatikov 2008, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.figures import format_percent
from workbench.measures import (
    Measure,
    Measured,
    Publication,
    attacker_parameter,
    record_mean,
    require_sensitive,
    worst_column,
)
from workbench.measures.privacy.attackers import attacker_beliefs
from workbench.models.distribution_distances import variation
from workbench.releases.base import Release


@dataclass(frozen=True)
class KnowledgeGain(Measure):
    adversary: str = attacker_parameter(learning=True)
    name = "adversary's knowledge gain"
    title = "A_know (Brickell & Shmatikov 2008, section 4.4)"
    summary = "how much the belief about an average person changes"
    symbol = "A_know"
    side = "privacy"
    needs_sensitive = True
    unit = "share of belief changed, 0 to 1"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        return worst_column({name: self._one(release, name) for name in require_sensitive(release)})

    def _one(self, release: Release, name: str) -> Measured:
        posterior = attacker_beliefs(release, name, self.adversary)
        moved = variation(posterior.beliefs, release.table.sensitive[name].prior)
        value = record_mean(moved, posterior.sizes)
        most = format_percent(value)
        sentence = f"Knowing someone's quasi-identifiers changes {most} of the belief about their {name}, on average."
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "moved": moved})
