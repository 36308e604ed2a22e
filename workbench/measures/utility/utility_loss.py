"""U_loss (Li & Li 2009, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.parameters import parameter
from workbench.data import weights
from workbench.measures import Measured, Publication, SensitiveMeasure, require_sensitive, size_in_thresholds
from workbench.measures.utility.estimators import estimator_note, estimator_parameter, with_estimator
from workbench.models.distribution_distances import DISTANCE_HELP, distance, explain_unordered
from workbench.queries.populations import COUNTED, large_populations
from workbench.redaction.controlled_rounding import may_list_groups, round_average
from workbench.releases.base import Release
from workbench.releases.published_classes import COST, disclosure_costs, round_to_quarters


@dataclass(frozen=True)
class UtilityLoss(SensitiveMeasure):
    min_support: float = parameter(0.05, "minimum share of records of a large population", low=0, high=1, above=True)
    distance: str = parameter("js", DISTANCE_HELP, choices=("js", "variation", "ordered", "hierarchical"))
    estimator: str = estimator_parameter()
    name = "utility loss"
    title = "U_loss (Li & Li 2009, section 4.2)"
    summary = "a researcher's average error about large populations"
    symbol = "U_loss"
    side = "utility"
    published_as = Publication.AVERAGE
    unit = "difference from the truth, averaged over large populations"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        value, few = self._round(measured.value, release, smallest), self._is_small(release, smallest)
        wording, large = release.table.settings.wording, f"at least {100 * self.min_support:g} %"
        return value, (
            f"What the release says about the {wording.columns(require_sensitive(release))} in groups of {large} of "
            f"{wording.everybody} is {'at most ' * few}{format_number(value, 'lower')} from the truth on average"
            + f" (rounded up in large steps, since the table has so few {wording.many})" * few
            + (", estimated from randomly chosen groups." if measured.interval else ".")
        )

    def _round(self, loss: float, release: Release, smallest: int) -> float:
        """Round a loss up; in a small table to quarters of a disclosure, where no loss looks like a small one."""
        if not self._is_small(release, smallest):
            return round_average(
                loss, self.rounding_step(release, smallest), crowd=size_in_thresholds(release, smallest)
            )
        _, dearest = disclosure_costs(release.table.sensitive.values(), self.distance, smallest)
        return round_to_quarters(max(loss, COST), dearest)

    def _is_small(self, release: Release, smallest: int) -> bool:
        return not may_list_groups(release.table.records, smallest)

    def publish_interval(
        self, interval: tuple[float, float], release: Release, smallest: int
    ) -> tuple[float, float] | None:
        return None if self._is_small(release, smallest) else super().publish_interval(interval, release, smallest)

    def rounding_step(self, release: Release, smallest: int) -> float:
        """The change if the threshold of people in the smallest large population had a different value."""
        support = large_populations(release.table, self.min_support).support
        moved = min(smallest * weights.max_weight(release.table) / float(support.min()), 1.0) if smallest > 1 else 0.0
        ends = np.array([1.0, 0.0]), np.array([1 - moved, moved])
        return float(distance("js" if self.distance == "js" else "variation", *ends)) / len(support)

    def measure_column(self, release: Release, name: str) -> Measured:
        seen, populations = release.table.sensitive[name], large_populations(release.table, self.min_support)
        every = "the records" if release.table.weight is None else "the people whom the records represent"
        large = f"at least {100 * self.min_support:g} % of {every}"
        if why := explain_unordered(self.distance, seen.ordered, name):
            raise Undefined(why)
        if not populations.every:
            raise Undefined(f"no population has {100 * self.min_support:g} % of the records; lower min_support")
        if not len(populations):
            raise Undefined(
                f"more than {COUNTED:,} populations have {large}; raise min_support, or choose fewer quasi-identifiers"
            )
        truth = populations.truth[name] / populations.support[:, None]
        estimated = with_estimator(release, [name], self.estimator).estimate(populations, name)
        estimated = estimated / estimated.sum(axis=1, keepdims=True)
        loss = distance(self.distance, truth, estimated, seen.levels)
        mean, most = float(loss.mean()), float(loss.max())
        over, wide, interval = f"Over {len(loss):,} populations of {large}", "", None
        if populations.sampled:
            off = populations.margin(loss)
            over = f"Estimated from {len(loss):,} of {populations.every:,} populations of {large}, drawn at random"
            wide, interval = f" ± {format_number(off, 'lower', 1)}", (max(mean - off, 0.0), mean + off)
        sentence = (
            f"{over}, the estimated distribution of {name} is {format_number(mean)}{wide} from the truth on average,"
            f" {format_number(most)} at worst.{estimator_note(release, [name], self.estimator)}"
        )
        about = {"sensitive": name, "every": populations.every, "runs": populations.runs}
        detail = {**about, "support": populations.support, "loss": loss, "told": estimated, "truth": truth}
        return Measured(mean, sentence, detail, interval)
