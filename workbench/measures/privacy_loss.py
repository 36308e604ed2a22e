"""P_loss (Li & Li 2009, section 4.1): how far the worst-off person's distribution is from the whole table's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.classes import Sensitive
from workbench.distances import distance, unordered
from workbench.errors import Undefined
from workbench.figures import per_cent
from workbench.measures import Measure, Measured, average, sensitive_of, worst
from workbench.parameters import parameter
from workbench.release import Release


@dataclass(frozen=True)
class PrivacyLoss(Measure):
    distance: str = parameter(
        "js", "how distributions are compared", choices=("js", "variation", "ordered", "hierarchical")
    )
    name = "privacy loss"
    symbol = "P_loss"
    side = "privacy"
    unit = "distance from what is known without the release"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], release.posterior(name)
        if why := unordered(self.distance, seen.ordered, name):
            raise Undefined(why)
        loss = distance(self.distance, posterior.beliefs, seen.prior, seen.levels)
        group = int(loss.argmax())
        reveal = self.revealed(seen)
        possible = float(reveal.min())
        at_risk = int(posterior.sizes[loss >= possible].sum())
        belief, alike = posterior.beliefs[group], int(posterior.sizes[group])
        value = int((belief - seen.prior).argmax())
        cheap, dear = (seen.labels[int(which)] for which in (reveal.argmin(), reveal.argmax()))
        sentence = (
            f"The worst-off ({alike:,} {'person' if alike == 1 else 'people alike'}) lose {loss[group]:.3g}: "
            f"what is believed of their {name} moves most for {seen.labels[value]!r}, "
            f"from {per_cent(seen.prior[value])} to {per_cent(belief[value])}. "
            f"A full disclosure would cost {possible:.3g} ({cheap!r}) to {reveal.max():.3g} ({dear!r}); "
            f"{at_risk:,} records lose at least {possible:.3g}."
        )
        detail = {"sensitive": name, "sizes": posterior.sizes, "loss": loss, "mean": average(loss, posterior.sizes)}
        return Measured(float(loss[group]), sentence, {**detail, "possible_from": possible})

    def revealed(self, sensitive: Sensitive) -> np.ndarray:
        """What a full disclosure of each value costs (section 5.1); from the least on, a disclosure is possible."""
        return distance(self.distance, np.eye(len(sensitive)), sensitive.prior, sensitive.levels)
