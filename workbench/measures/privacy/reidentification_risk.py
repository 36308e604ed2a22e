"""Re-identification risk."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.data.published import published_total
from workbench.measures import Measure, Measured, record_mean, size_in_thresholds
from workbench.measures.privacy.attackers import PROSECUTOR, WHO, largest_published_risk, search_groups
from workbench.models import Model
from workbench.models.alpha_k import AlphaK
from workbench.models.k_anonymity import KAnonymity
from workbench.redaction.controlled_rounding import round_average, round_count
from workbench.releases.base import Release

NEARLY = 1 + 1e-9  # a probability equal to the threshold is not above it


@dataclass(frozen=True)
class ReidentificationRisk(Measure):
    """Over groups with equal published quasi-identifiers; a bucketized release publishes them exactly."""

    statistic: str = parameter(
        "largest", "the largest probability, or the average record's; or the share of records above the threshold, or "
        "unique in the release", choices=("largest", "average", "above", "unique"),
    )  # fmt: skip
    attacker: str = parameter(
        PROSECUTOR, "prosecutor: knows who is in the release; journalist: does not; marketer: searches for many people",
        choices=tuple(WHO),
    )  # fmt: skip
    threshold: float = parameter(0.2, "statistic above: the largest probability that does not count", low=0, high=1)
    fraction: float = parameter(
        1.0, "sampling fraction (records / population), if the table has no population", low=0, high=1,
        above=True, scale="log",
    )  # fmt: skip
    name = "re-identification risk"
    title = "Re-identification risk"
    summary = "the probability of finding the right record among indistinguishable ones"
    symbol = "R_id"
    side = "privacy"
    unit = "probability"

    @property
    def worst_case(self) -> bool:  # type: ignore[override]
        return self.statistic == "largest"

    def measure(self, release: Release) -> Measured:
        sizes, people, risk = search_groups(self.attacker, release, self.fraction)
        if self.attacker == "marketer" and self.statistic != "average":
            raise Undefined("a marketer's risk is an average over as many people as possible; use statistic = average")
        largest, mean, records = float(risk.max()), record_mean(risk, people), int(people.sum())
        unique, above = int(people[sizes == 1].sum()), int(people[risk > self.threshold * NEARLY].sum())
        value = {"largest": largest, "average": mean, "unique": unique / records, "above": above / records}
        over = (
            f"; {above:,} with a probability above {format_percent(self.threshold)}"
            if self.statistic == "above"
            else ""
        )
        by = "" if self.attacker == PROSECUTOR else f" by a {self.attacker}, {WHO[self.attacker]},"
        sentence = (
            f"The easiest record is found{by} with probability {format_percent(largest)}, the "
            f"average one with {format_percent(mean)}{over}; "
            f"{unique:,} of {records:,} records {'is' if unique == 1 else 'are'} unique."
        )
        return Measured(value[self.statistic], sentence, {"sizes": sizes})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        sizes, people, risk = search_groups(self.attacker, release, self.fraction)
        everybody, wording = published_total(release.table, smallest), release.table.settings.wording
        above = self.statistic == "above"
        count = int(people[risk > self.threshold * NEARLY].sum()) if above else int(people[sizes == 1].sum())
        value = {
            "largest": largest_published_risk(self.attacker, release, self.fraction, smallest),
            "average": round_average(
                measured.value, self.rounding_step(release, smallest), crowd=size_in_thresholds(release, smallest)
            ),
        }.get(self.statistic, min(round_count(count, smallest) / everybody, 1.0))
        limit = f"found by a {self.attacker} with a probability above {format_percent(self.threshold)}"
        who = f"{wording.some_of(count, everybody, smallest)} are" if count else f"{wording.nobody} is"
        what = limit if above else "unique on the released quasi-identifiers"
        return round(value, 4), f"{who[0].upper()}{who[1:]} {what}."

    def guaranteed_bound(self, release: Release, model: Model, smallest: int) -> float | None:
        of_largest = self.statistic == "largest" and not release.classes.exact
        return 1 / model.k if of_largest and isinstance(model, (KAnonymity, AlphaK)) else None
