"""Largest A_quot (Brickell & Shmatikov 2008, section 4.1): by what factor the share of any value changes, at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures
from workbench.base.small_counts import averaged
from workbench.measures import Measure, Measured, adversary, sensitive_of, worst
from workbench.models import Model
from workbench.models.delta_disclosure import DeltaDisclosure
from workbench.releases.base import Release
from workbench.releases.published_classes import everybodys, those_of


@dataclass(frozen=True)
class LargestQuotient(Measure):
    adversary: str = adversary()
    name = "largest quotient"
    symbol = "A_quot"
    side = "privacy"
    unit = "natural logarithm of a factor; infinite where some class lacks a value"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        classes, factors = release.classes, [1.0]
        for name, seen in classes.sensitive.items():
            there = seen.totals > 0
            shares = those_of(classes.histograms[name], seen.totals, smallest)
            prior = everybodys(seen.totals, smallest)
            with np.errstate(divide="ignore"):
                factors += [
                    (high / low)[:, there].max() for low, high in ((prior.low, shares.high), (shares.low, prior.high))
                ]
        value = averaged(float(np.log(max(factors))))
        if not np.isfinite(value):
            return value, "In some group a value can be ruled out altogether, or may be."
        return (
            value,
            f"No value becomes more than {figures(np.exp(value), 'lower')} times as likely, or unlikely, as it was.",
        )

    def promised(self, release: Release, model: Model, smallest: int) -> float | None:
        return model.delta if isinstance(model, DeltaDisclosure) and model.absent == "breaks" else None

    def _one(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], release.posterior(name, self.adversary)
        quotient = posterior.beliefs / seen.prior
        logs = np.abs(np.log(quotient, out=np.full_like(quotient, np.inf), where=quotient > 0))
        value = float(logs.max())
        lacking = int(posterior.sizes[(quotient == 0).any(axis=1)].sum())
        sentence = (
            f"For {lacking:,} records some value of {name} can be ruled out altogether."
            if lacking
            else f"No value of {name} becomes more than {figures(np.exp(value), 'lower')} times as likely, or "
            "unlikely, as it was."
        )
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "quotient": logs.max(axis=1)})
