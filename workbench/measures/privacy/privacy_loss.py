"""P_loss (Li & Li 2009, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import format_number, format_percent
from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.measures import (
    LEARNERS,
    Measured,
    SensitiveMeasure,
    attacker_parameter,
    record_mean,
)
from workbench.measures.privacy.attackers import attacker_beliefs, learning_sentence
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.models.distribution_distances import DISTANCE_HELP, distance_from_prior
from workbench.releases.base import OWN_CLASS, Release
from workbench.releases.published_classes import Scale, max_allowed_distance, redact_max_loss, scale


@dataclass(frozen=True)
class PrivacyLoss(SensitiveMeasure):
    distance: str = parameter("js", DISTANCE_HELP, choices=("js", "variation", "ordered", "hierarchical"))
    adversary: str = attacker_parameter(learning=True)
    name = "privacy loss"
    title = "P_loss (Li & Li 2009, section 4.1)"
    summary = "the distance of the most exposed person's distribution from the whole table's"
    symbol = "P_loss"
    worst_case = True
    side = "privacy"
    unit = "difference from the knowledge without the release"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        if self.adversary in LEARNERS:  # published classes do not bound what can be learned about people
            return super().publish(measured, release, smallest)
        if not (classes := release.classes).histograms:
            return 0.0, "It does not publish the sensitive column, so nothing is learned about it."
        published = redact_max_loss(
            classes, release.table.sensitive.values(), self.distance, smallest, release.table.records
        )
        value = (
            published[0] if len(classes) > 1 or release.suppressed else 0.0
        )  # the distribution of the whole table is known
        least = format_number(published[1], "higher")
        return value, f"A group in which everybody has the same sensitive value would lose {least} or more."

    def figures_by_class(self, classes: Classes, table: Table) -> np.ndarray | None:
        if self.adversary != OWN_CLASS or not table.sensitive:
            return None
        shares = ((classes.distributions(name), seen) for name, seen in table.sensitive.items())
        return np.max([distance_from_prior(self.distance, *one) for one in shares], axis=0)

    def guaranteed_bound(self, release: Release, model: Model, smallest: int) -> float | None:
        every = release.table.sensitive.values()
        return None if self.adversary in LEARNERS else max_allowed_distance(model, every, self.distance, smallest)

    def scale(self, table: Table, smallest: int) -> Scale | None:
        return scale(table.sensitive.values(), self.distance, smallest)

    def measure_column(self, release: Release, name: str) -> Measured:
        seen, posterior = release.table.sensitive[name], attacker_beliefs(release, name, self.adversary)
        loss = distance_from_prior(self.distance, posterior.beliefs, seen)
        group, reveal = int(loss.argmax()), self.revealed(seen)
        possible, belief, alike = float(reveal.min()), posterior.beliefs[group], int(posterior.sizes[group])
        at_risk, value = int(posterior.sizes[loss >= possible].sum()), int((belief - seen.prior).argmax())
        cheap, dear = (seen.labels[int(which)] for which in (reveal.argmin(), reveal.argmax()))
        more = f" {learning_sentence(release, name, self.adversary, loss)}" if self.adversary in LEARNERS else ""
        most_exposed = "The most exposed person loses" if alike == 1 else f"The {alike:,} most exposed people each lose"
        sentence = (
            f"{most_exposed} {format_number(loss[group])}: the belief about their {name} changes most for "
            f"{seen.labels[value]!r}, from {format_percent(seen.prior[value])} to {format_percent(belief[value])}. "
            f"Full disclosure costs {format_number(possible)} ({cheap!r}) to {format_number(reveal.max())} ({dear!r}); "
            f"{at_risk:,} record{' loses' if at_risk == 1 else 's lose'} at least {format_number(possible)}.{more}"
        )
        detail = {"sensitive": name, "sizes": posterior.sizes, "loss": loss, "mean": record_mean(loss, posterior.sizes)}
        return Measured(float(loss[group]), sentence, {**detail, "possible_from": possible})

    def revealed(self, sensitive: Sensitive) -> np.ndarray:
        """Return the loss if each value is disclosed (section 5.1); from the smallest on, disclosure is possible."""
        return distance_from_prior(self.distance, np.eye(len(sensitive)), sensitive)
