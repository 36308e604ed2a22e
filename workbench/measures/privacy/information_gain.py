"""Gain(S, Q) (Brickell & Shmatikov 2008, section 4.2): what quasi-identifiers tell about the sensitive column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures
from workbench.measures import Measure, Measured, adversary, average, refuse_overlapping, sensitive_of, worst
from workbench.measures.privacy.largest_quotient import LargestQuotient
from workbench.models import entropy
from workbench.releases.base import Release


@dataclass(frozen=True)
class InformationGain(Measure):
    """H(S) - H(S|Q), natural logarithm. Lemma 1: it stays below the delta that the release keeps."""

    adversary: str = adversary()
    name = "information gain"
    symbol = "Gain"
    side = "privacy"
    unit = "nats"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        refuse_overlapping(release)
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], release.posterior(name, self.adversary)
        whole = float(entropy(seen.totals))
        value = max(whole - average(entropy(posterior.beliefs), posterior.sizes), 0.0)
        bound = LargestQuotient(self.adversary)._one(release, name).value
        limit = f", at most {figures(bound, 'lower')} by Lemma 1" if np.isfinite(bound) else ""
        taken = f"Quasi-identifiers take {figures(value, 'lower')} of the {figures(whole)} nats of doubt"
        sentence = f"{taken} about {name}{limit}."
        return Measured(value, sentence, {"sensitive": name, "entropy": whole, "bound": bound})
