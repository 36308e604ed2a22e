"""Gain(S, Q) (Brickell & Shmatikov 2008, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.measures import (
    Measured,
    Publication,
    SensitiveMeasure,
    attacker_parameter,
    record_mean,
    require_disjoint,
)
from workbench.measures.privacy.largest_quotient import LargestQuotient
from workbench.models import entropy
from workbench.releases.base import Release


@dataclass(frozen=True)
class InformationGain(SensitiveMeasure):
    """H(S) - H(S|Q), natural logarithm. Lemma 1: it is below the delta that the release satisfies."""

    adversary: str = attacker_parameter()
    name = "information gain"
    title = "Gain(S, Q) (Brickell & Shmatikov 2008, section 4.2)"
    summary = "how much quasi-identifiers reveal about the sensitive column"
    symbol = "Gain"
    side = "privacy"
    unit = "nats"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        require_disjoint(release)
        return super().measure(release)

    def measure_column(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], release.posterior(name, self.adversary)
        whole = float(entropy(seen.totals))
        value = max(whole - record_mean(entropy(posterior.beliefs), posterior.sizes), 0.0)
        bound = LargestQuotient(self.adversary).measure_column(release, name).value
        limit = f", at most {format_number(bound, 'lower')} by Lemma 1" if np.isfinite(bound) else ""
        taken = f"Quasi-identifiers remove {format_number(value)} of the {format_number(whole)} nats of uncertainty"
        sentence = f"{taken} about {name}{limit}."
        return Measured(value, sentence, {"sensitive": name, "entropy": whole, "bound": bound})
