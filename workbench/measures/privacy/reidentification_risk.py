"""Re-identification risk: how likely the right record is found among those that look alike."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.figures import per_cent
from workbench.base.small_counts import averaged, coarse
from workbench.base.variants import parameter
from workbench.measures import Measure, Measured, average, crowd
from workbench.measures.privacy.attackers import PROSECUTOR, WHO, largest_told, seen_by
from workbench.models import Model
from workbench.models.alpha_k import AlphaK
from workbench.models.k_anonymity import KAnonymity
from workbench.releases.base import Release

NEARLY = 1 + 1e-9  # a chance that is the threshold is not above it


@dataclass(frozen=True)
class ReidentificationRisk(Measure):
    """Over groups with equal published quasi-identifiers; a bucketized release publishes them exactly."""

    statistic: str = parameter(
        "largest", "of the chances: the largest, or the average record's; or the share of records above the threshold, "
        "or unique in the release", choices=("largest", "average", "above", "unique"),
    )  # fmt: skip
    attacker: str = parameter(
        PROSECUTOR, "who looks: knowing that the person is in the release; not knowing it; for as many as possible",
        choices=tuple(WHO),
    )  # fmt: skip
    threshold: float = parameter(0.2, "statistic above: the largest chance that is not counted", low=0, high=1)
    fraction: float = parameter(
        1.0, "the share of the population that the records are, where the table has no population", low=0, high=1,
        above=True, scale="log",
    )  # fmt: skip
    name = "re-identification risk"
    symbol = "R_id"
    side = "privacy"
    unit = "probability"

    def measure(self, release: Release) -> Measured:
        sizes, of, risk = seen_by(self.attacker, release, self.fraction)
        if self.attacker == "marketer" and self.statistic != "average":
            raise Undefined("a marketer looks for as many as possible: the risk is an average; use statistic = average")
        largest, mean, records = float(risk.max()), average(risk, of), int(of.sum())
        unique, above = int(of[sizes == 1].sum()), int(of[risk > self.threshold * NEARLY].sum())
        value = {"largest": largest, "average": mean, "unique": unique / records, "above": above / records}
        over = f"; {above:,} with more than {per_cent(self.threshold, 'lower')}" if self.statistic == "above" else ""
        by = "" if self.attacker == PROSECUTOR else f" by a {self.attacker}, {WHO[self.attacker]},"
        sentence = (
            f"The easiest record is found{by} with probability {per_cent(largest, 'lower')}, the "
            f"average one with {per_cent(mean, 'lower')}{over}; "
            f"{unique:,} of {records:,} records {'is' if unique == 1 else 'are'} unique."
        )
        return Measured(value[self.statistic], sentence, {"sizes": sizes})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        sizes, of, risk = seen_by(self.attacker, release, self.fraction)
        everybody, wording, above = release.table.records, release.table.wording, self.statistic == "above"
        count = int(of[risk > self.threshold * NEARLY].sum()) if above else int(of[sizes == 1].sum())
        value = {
            "largest": largest_told(self.attacker, release, self.fraction, smallest),
            "average": averaged(measured.value, self.step(release, smallest), crowd=crowd(release, smallest)),
        }.get(self.statistic, coarse(count, smallest) / coarse(everybody, smallest))
        limit = f"found by a {self.attacker} with more than {per_cent(self.threshold, 'lower')}"
        who = f"{wording.some_of(count, everybody, smallest)} are" if count else f"{wording.nobody} is"
        what = limit if above else "unique on the released quasi-identifiers"
        return round(value, 4), f"{who[0].upper()}{who[1:]} {what}."

    def promised(self, release: Release, model: Model, smallest: int) -> float | None:
        of_largest = self.statistic == "largest" and not release.classes.exact
        return 1 / model.k if of_largest and isinstance(model, (KAnonymity, AlphaK)) else None
