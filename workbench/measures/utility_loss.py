"""U_loss (Li & Li 2009, section 4.2): how wrong a researcher is about large populations, on average."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.distances import distance, unordered
from workbench.errors import Undefined
from workbench.measures import Measure, Measured, sensitive_of, worst
from workbench.parameters import parameter
from workbench.release import Release


@dataclass(frozen=True)
class UtilityLoss(Measure):
    min_support: float = parameter(
        0.05, "the smallest share of records that counts as large", low=0, high=1, above=True
    )
    distance: str = parameter(
        "js", "how distributions are compared", choices=("js", "variation", "ordered", "hierarchical")
    )
    name = "utility loss"
    symbol = "U_loss"
    side = "utility"
    unit = "distance from the truth, averaged over large populations"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        seen, populations = release.table.sensitive[name], release.table.populations(self.min_support)
        if why := unordered(self.distance, seen.ordered, name):
            raise Undefined(why)
        if not len(populations):
            raise Undefined(f"no population has {100 * self.min_support:g} % of the records; lower min_support")
        truth = populations.truth[name] / populations.support[:, None]
        expected = release.estimate(populations, name)
        told = expected / expected.sum(axis=1, keepdims=True)
        loss = distance(self.distance, truth, told, seen.levels)
        sentence = (
            f"Over {len(populations):,} populations of at least {100 * self.min_support:g} % of the records, "
            f"the estimated distribution of {name} is {loss.mean():.3g} from the truth on average, "
            f"{loss.max():.3g} at worst."
        )
        detail = {"runs": populations.runs, "support": populations.support, "loss": loss, "told": told, "truth": truth}
        return Measured(float(loss.mean()), sentence, {"sensitive": name, **detail})
