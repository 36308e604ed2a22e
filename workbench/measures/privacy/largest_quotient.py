"""Largest A_quot (Brickell & Shmatikov 2008, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number
from workbench.measures import Measured, SensitiveMeasure, attacker_parameter
from workbench.models import Model, quotient
from workbench.models.delta_disclosure import DeltaDisclosure
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import Release
from workbench.releases.published_classes import class_share_bounds, prior_bounds


@dataclass(frozen=True)
class LargestQuotient(SensitiveMeasure):
    adversary: str = attacker_parameter()
    name = "largest quotient"
    title = "Largest A_quot (Brickell & Shmatikov 2008, section 4.1)"
    summary = "the largest factor by which any value's share changes"
    symbol = "A_quot"
    worst_case = True
    side = "privacy"
    unit = "natural logarithm of a factor; infinite if a class lacks a value"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        classes, factors = release.classes, [1.0]
        for name, seen in classes.sensitive.items():
            present = seen.totals > 0
            shares = class_share_bounds(classes.histograms[name], seen.totals, smallest)
            prior = prior_bounds(seen, smallest)
            with np.errstate(divide="ignore"):
                factors += [
                    (high / low)[:, present].max() for low, high in ((prior.low, shares.high), (shares.low, prior.high))
                ]
        value = round_average(float(np.log(max(factors))))
        if not np.isfinite(value):
            return value, "In some group a value can, or may, be ruled out."
        factor = format_number(np.exp(value), "lower")
        return value, f"No value becomes more than {factor} times as likely, or as unlikely, as before."

    def guaranteed_bound(self, release: Release, model: Model, smallest: int) -> float | None:
        return model.delta if isinstance(model, DeltaDisclosure) and model.absent == "breaks" else None

    def measure_column(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], release.posterior(name, self.adversary)
        factor = quotient(posterior.beliefs, seen.prior)
        logs = np.abs(np.log(factor, out=np.full_like(factor, np.inf), where=factor > 0))
        value = float(logs.max())
        lacking = int(posterior.sizes[(factor == 0).any(axis=1)].sum())
        sentence = (
            f"For {lacking:,} records some value of {name} can be ruled out."
            if lacking
            else f"No value of {name} becomes more than {format_number(np.exp(value), 'lower')} times as likely, or as "
            "unlikely, as before."
        )
        return Measured(value, sentence, {"sensitive": name, "sizes": posterior.sizes, "quotient": logs.max(axis=1)})
