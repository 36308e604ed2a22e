"""Population uniques: how many of the population that the records were drawn from are unique in it, estimated.

`best` chooses as Dankar et al. (2012) found best: Pitman's model for a sample of at most a tenth of the population; of
more, the slide negative binomial, or Zayatz's estimate where that is lower. By what simulations say it differs in two
things: where Pitman's does not fit, the slide negative binomial comes before Zayatz's, which in small samples is
several times too high; and Zayatz's counts as lower only where it is below the other's interval.

The 95 % intervals cover the truth in 90 to 98 % of samples where the population is as the model has it: `pitman`, and
`best` up to a tenth, where people spread over classes as in Pitman's model; `slnb`, and `best` beyond a tenth, where
the sizes of classes are slide negative binomial and most of them small. They cover less where hardly any two records of
the sample are alike, and where a few classes hold most people `best` covers about 80 %. In a population of another
kind an estimate may be wrong by half and more, and the interval does not say so; Zayatz's is meant for no kind of
population, and is near the truth in most where the sample is half of it.

All take the records for a random sample, and the classes for given beforehand: of classes that a method has made from
these records, of at least k each, it is only said that no record is unique.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.figures import per_cent
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, apart
from workbench.measures.privacy.attackers import counted
from workbench.measures.privacy.uniques import Estimate, Sizes, none_seen, pitman, slide_negative_binomial, zayatz
from workbench.releases.base import Release

FEW = 0.1  # of the population: a sample up to which Pitman's model estimates best


@dataclass(frozen=True)
class PopulationUniques(Measure):
    """The share of the population, and on average of the records, that is unique in it on the quasi-identifiers."""

    fraction: float = parameter(
        1.0, "the share of the population that the records are", low=0, high=1, above=True, scale="log"
    )
    estimator: str = parameter(
        "best", "the model of class sizes; best: by the fraction", choices=("best", "pitman", "slnb", "zayatz")
    )
    name = "population uniques"
    symbol = "R_pop"
    side = "privacy"
    unit = "share of the population"
    told = "as an average"

    def measure(self, release: Release) -> Measured:
        apart(release)
        sizes = Sizes.of(*counted(release))
        if self.fraction == 1:
            share = sizes.unique / sizes.records
            return Measured(
                share, f"{per_cent(share, 'lower')} of the population are unique; the records are all of it."
            )
        name, found = self._estimated(sizes)
        if found is None:
            raise Undefined(f"the sizes of the classes do not fit the estimator {name}; choose another")
        about, low, high = (per_cent(one, "lower") for one in found)
        sentence = (
            f"About {about} of the population are unique on the released quasi-identifiers ({low} to {high} with "
            f"95 %), by the estimator {name}; {sizes.unique:,} of {sizes.records:,} records are in the release."
        )
        return Measured(found.share, sentence, {"estimator": name}, (found.low, found.high))

    def _estimated(self, sizes: Sizes) -> tuple[str, Estimate | None]:
        """By which model, and what; None where that does not fit."""
        every = {"pitman": pitman, "slnb": slide_negative_binomial, "zayatz": zayatz}
        if not sizes.unique:
            return self.estimator, none_seen(sizes)
        if self.estimator != "best":
            return self.estimator, every[self.estimator](sizes, self.fraction)
        if self.fraction <= FEW and (found := pitman(sizes, self.fraction)):
            return "pitman", found
        found, other = slide_negative_binomial(sizes, self.fraction), zayatz(sizes, self.fraction)
        if found is None or (self.fraction > FEW and other.share < found.low):
            return "zayatz", other
        return "slnb", found
