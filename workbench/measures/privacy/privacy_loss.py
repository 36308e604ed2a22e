"""P_loss (Li & Li 2009, section 4.1): how far the most exposed person's distribution is from the whole table's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import figures, per_cent
from workbench.base.variants import parameter
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.measures import LEARNERS, Measure, Measured, adversary, average, sensitive_of, worst
from workbench.measures.privacy.learning import about_learning, believed
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.models.distances import COMPARED, from_everybody
from workbench.releases.base import OWN_CLASS, Release
from workbench.releases.published_classes import most_told
from workbench.releases.scale import Scale, farthest_allowed, scale


@dataclass(frozen=True)
class PrivacyLoss(Measure):
    distance: str = parameter("js", COMPARED, choices=("js", "variation", "ordered", "hierarchical"))
    adversary: str = adversary(learning=True)
    name = "privacy loss"
    symbol = "P_loss"
    side = "privacy"
    unit = "difference from what is known without the release"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.adversary in LEARNERS:  # what is learnt of people is not bounded by what classes tell
            return super().publish(measured, release, smallest)
        if not (classes := release.classes).histograms:
            return 0.0, "It does not publish the sensitive column, so nothing is learnt about it."
        told = most_told(classes, release.table.sensitive.values(), self.distance, smallest, release.table.records)
        value = told[0] if len(classes) > 1 or release.left_out else 0.0  # everybody's mix is known without it
        return value, f"Full disclosure would cost {figures(told[1], 'higher')} or more."

    def of_class(self, classes: Classes, table: Table) -> np.ndarray | None:
        if self.adversary != OWN_CLASS or not table.sensitive:
            return None
        shares = ((classes.distributions(name), seen) for name, seen in table.sensitive.items())
        return np.max([from_everybody(self.distance, *one) for one in shares], axis=0)

    def promised(self, release: Release, model: Model, smallest: int) -> float | None:
        every = release.table.sensitive.values()
        return None if self.adversary in LEARNERS else farthest_allowed(model, every, self.distance, smallest)

    def scale(self, table: Table, smallest: int) -> Scale | None:
        return scale(table.sensitive.values(), self.distance, smallest)

    def _one(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], believed(release, name, self.adversary)
        loss = from_everybody(self.distance, posterior.beliefs, seen)
        group, reveal = int(loss.argmax()), self.revealed(seen)
        possible, cost = float(reveal.min()), figures(loss[group], "lower")
        at_risk = int(posterior.sizes[loss >= possible].sum())
        belief, alike = posterior.beliefs[group], int(posterior.sizes[group])
        value = int((belief - seen.prior).argmax())
        cheap, dear = (seen.labels[int(which)] for which in (reveal.argmin(), reveal.argmax()))
        more = f" {about_learning(release, name, self.adversary, loss)}" if self.adversary in LEARNERS else ""
        most_exposed = "The most exposed person loses" if alike == 1 else f"The {alike:,} most exposed people each lose"
        sentence = (
            f"{most_exposed} {cost}: the belief about their {name} changes most for {seen.labels[value]!r}, "
            f"from {per_cent(seen.prior[value])} to {per_cent(belief[value])}. "
            f"Full disclosure costs {figures(possible, 'higher')} ({cheap!r}) to "
            f"{figures(reveal.max(), 'lower')} ({dear!r}); "
            f"{at_risk:,} record{' loses' if at_risk == 1 else 's lose'} at least {figures(possible, 'higher')}.{more}"
        )
        detail = {"sensitive": name, "sizes": posterior.sizes, "loss": loss, "mean": average(loss, posterior.sizes)}
        return Measured(float(loss[group]), sentence, {**detail, "possible_from": possible})

    def revealed(self, sensitive: Sensitive) -> np.ndarray:
        """What a full disclosure of each value costs (section 5.1); from the least on, a disclosure is possible."""
        return from_everybody(self.distance, np.eye(len(sensitive)), sensitive)
