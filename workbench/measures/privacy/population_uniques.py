"""Population uniques.

`best` chooses as Dankar et al. (2012) recommend: Pitman's model for a sample of at most a tenth of the population;
above, the slide negative binomial, or Zayatz's estimate if that is lower. Because of simulations it deviates in two
points: if Pitman's does not fit, the slide negative binomial comes before Zayatz's, which is several times too high in
small samples; and Zayatz's only counts as lower if it is below the other's interval.

The 95 % intervals cover the truth in 90 to 98 % of samples if the population follows the model: `pitman`, and `best` up
to a tenth, if class sizes follow Pitman's model; `slnb`, and `best` above a tenth, if class sizes are slide negative
binomial and most of them small. They cover less if hardly any two records of the sample are identical; if a few classes
contain most people, `best` covers about 80 %. In other populations an estimate may be wrong by half or more, and the
interval does not show it; Zayatz's assumes no particular population, and is close to the truth in most if the sample is
half of it.

All assume that the records are a random sample, and that classes were fixed beforehand: for classes that a method made
from these records, of at least k records each, the measure only reports that no record is unique.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.measures import Measure, Measured, Publication, disjoint_classes
from workbench.measures.privacy.attackers import count_groups
from workbench.measures.privacy.population_estimates import (
    Estimate,
    Sizes,
    estimate_without_uniques,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from workbench.releases.base import Release

FEW = 0.1  # largest sampling fraction for which Pitman's model estimates best


@dataclass(frozen=True)
class PopulationUniques(Measure):
    """The share of the population, and on average of the records, that is unique in it on the quasi-identifiers."""

    fraction: float = parameter(
        1.0, "share of the population that the records are", low=0, high=1, above=True, scale="log"
    )
    estimator: str = parameter(
        "best", "model of class sizes; best: by the fraction", choices=("best", "pitman", "slnb", "zayatz")
    )
    name = "population uniques"
    title = "Population uniques"
    summary = "the estimated share of unique people in the population from which the records were sampled"
    symbol = "R_pop"
    side = "privacy"
    unit = "share of the population"
    published_as = Publication.AVERAGE

    def measure(self, release: Release) -> Measured:
        disjoint_classes(release)
        sizes = Sizes.from_classes(*count_groups(release))
        if self.fraction == 1:
            share = sizes.unique / sizes.records
            return Measured(
                share, f"{format_percent(share)} of the population are unique; the records are the whole population."
            )
        name, found = self._estimated(sizes)
        if found is None:
            why = "does not fit the sizes of the classes, or excludes nothing"
            raise Undefined(f"the estimator {name} {why}: choose another, or a larger sample")
        low, high = format_percent(found.low, "higher"), format_percent(found.high, "lower")
        sentence = (
            f"About {format_percent(found.share)} of the population ({low} to {high}, 95 % confidence) are unique by "
            f"the released columns (estimator {name}); {sizes.unique:,} of {sizes.records:,} records are unique."
        )
        return Measured(found.share, sentence, {"estimator": name}, (found.low, found.high))

    def _estimated(self, sizes: Sizes) -> tuple[str, Estimate | None]:
        """Return the name of the model, and its estimate or None if it does not fit."""
        every = {"pitman": pitman, "slnb": slide_negative_binomial, "zayatz": zayatz}
        if not sizes.unique:
            return self.estimator, estimate_without_uniques(sizes)
        if self.estimator != "best":
            return self.estimator, every[self.estimator](sizes, self.fraction)
        if self.fraction <= FEW and (found := pitman(sizes, self.fraction)):
            return "pitman", found
        found, other = slide_negative_binomial(sizes, self.fraction), zayatz(sizes, self.fraction)
        if found is None or (self.fraction > FEW and other is not None and other.share < found.low):
            return "zayatz" if other else "best", other
        return "slnb", found
