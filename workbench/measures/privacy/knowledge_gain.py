"""A_know (Brickell & Shmatikov 2008, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.figures import format_percent
from workbench.measures import (
    Measured,
    Publication,
    SensitiveMeasure,
    attacker_parameter,
    record_mean,
)
from workbench.measures.privacy.attackers import attacker_beliefs
from workbench.models.distribution_distances import variation
from workbench.releases.base import Release


@dataclass(frozen=True)
class KnowledgeGain(SensitiveMeasure):
    adversary: str = attacker_parameter(learning=True)
    name = "adversary's knowledge gain"
    title = "A_know (Brickell & Shmatikov 2008, section 4.4)"
    summary = "how much the belief about an average person changes"
    symbol = "A_know"
    side = "privacy"
    unit = "share of belief changed, 0 to 1"
    published_as = Publication.AVERAGE

    def measure_column(self, release: Release, name: str) -> Measured:
        posterior = attacker_beliefs(release, name, self.adversary)
        moved = variation(posterior.beliefs, release.table.sensitive[name].prior)
        value = record_mean(moved, posterior.sizes)
        most = format_percent(value)
        sentence = f"Knowing someone's quasi-identifiers changes {most} of the belief about their {name}, on average."
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "moved": moved})
