"""U_loss (Li & Li 2009, section 4.2): how wrong a researcher is about large populations, on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import averaged
from workbench.base.variants import parameter
from workbench.data import weights
from workbench.measures import Measure, Measured, crowd, sensitive_of, worst
from workbench.measures.utility.estimators import also, estimator, taken
from workbench.models.distances import COMPARED, distance, unordered
from workbench.releases.base import Release
from workbench.workloads.populations import COUNTED, large_populations


@dataclass(frozen=True)
class UtilityLoss(Measure):
    min_support: float = parameter(
        0.05, "the smallest share of records that counts as large", low=0, high=1, above=True
    )
    distance: str = parameter("js", COMPARED, choices=("js", "variation", "ordered", "hierarchical"))
    estimator: str = estimator()
    name = "utility loss"
    symbol = "U_loss"
    side = "utility"
    told = "as an average"
    unit = "difference from the truth, averaged over large populations"

    def measure(self, release: Release) -> Measured:
        return worst({name: self.of(release, name) for name in sensitive_of(release)})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        value = averaged(measured.value, self.step(release, smallest), crowd=crowd(release, smallest))
        wording, large = release.table.wording, f"at least {100 * self.min_support:g} %"
        return value, (
            f"What the release tells of the {wording.columns(sensitive_of(release))} in groups of {large} of "
            f"{wording.everybody} is {figures(value, 'lower')} from the truth on average"
            + (", estimated from groups that were drawn at random." if measured.interval else ".")
        )

    def step(self, release: Release, smallest: int) -> float:
        """What it changes if in the smallest large population as many people as the threshold have another value."""
        support = large_populations(release.table, self.min_support).support
        moved = min(smallest * weights.heaviest(release.table) / float(support.min()), 1.0) if smallest > 1 else 0.0
        ends = np.array([1.0, 0.0]), np.array([1 - moved, moved])
        return float(distance("js" if self.distance == "js" else "variation", *ends)) / len(support)

    def of(self, release: Release, name: str) -> Measured:
        seen, populations = release.table.sensitive[name], large_populations(release.table, self.min_support)
        every = "the records" if release.table.weight is None else "the people that the records stand for"
        large = f"at least {100 * self.min_support:g} % of {every}"
        if why := unordered(self.distance, seen.ordered, name):
            raise Undefined(why)
        if not populations.every:
            raise Undefined(f"no population has {100 * self.min_support:g} % of the records; lower min_support")
        if not len(populations):
            raise Undefined(
                f"more than {COUNTED:,} populations have {large}; raise min_support, or choose fewer quasi-identifiers"
            )
        truth = populations.truth[name] / populations.support[:, None]
        told = taken(release, [name], self.estimator).estimate(populations, name)
        told = told / told.sum(axis=1, keepdims=True)
        loss = distance(self.distance, truth, told, seen.levels)
        mean, most = float(loss.mean()), float(loss.max())
        over, wide, interval = f"Over {len(loss):,} populations of {large}", "", None
        if populations.sampled:
            off = populations.margin(loss)
            over = f"Estimated from {len(loss):,} of {populations.every:,} populations of {large}, drawn at random"
            wide, interval = f" ± {off:.1g}", (max(mean - off, 0.0), mean + off)
        sentence = (
            f"{over}, the estimated distribution of {name} is {figures(mean, 'lower')}{wide} from the truth on average,"
            f" {figures(most, 'lower')} at worst.{also(release, [name], self.estimator)}"
        )
        detail = {"runs": populations.runs, "support": populations.support, "loss": loss, "told": told, "truth": truth}
        return Measured(mean, sentence, {"sensitive": name, "every": populations.every, **detail}, interval)
