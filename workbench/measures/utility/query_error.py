"""Query error (LeFevre et al. 2006; Li & Li 2009, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.parameters import RANDOM, Plain, WorkloadChoice, parameter
from workbench.base.small_counts import round_average
from workbench.measures import Measure, Measured, size_in_thresholds
from workbench.measures.utility.estimators import UNIFORM, estimator_note, estimator_parameter
from workbench.measures.utility.query_errors import STATISTICS, Detail, WorkloadErrors
from workbench.queries.exact import largest_change
from workbench.queries.workload import Workload
from workbench.releases.base import Release

MANY = 100  # minimum number of different queries for publishing their average
ESTIMATED = ("relative", "normalised")  # statistics that use estimates
COARSEST = 0.1  # largest rounding step for publication


@dataclass(frozen=True)
class QueryError(Measure):
    workload: str | Plain | Workload = parameter(
        RANDOM, "queries: the name of a workload of the study, or random", kind=WorkloadChoice
    )
    statistic: str = parameter(
        "relative",
        "error of answers; the same relative to answers without quasi-identifiers; width of the interval that contains "
        "the true answer; or error of the set of records that is returned",
        choices=tuple(STATISTICS),
    )
    guard: float = parameter(1.0, "smallest denominator of a relative error, in people", low=0, above=True)
    estimator: str = estimator_parameter()
    name = "query error"
    title = "Query error (LeFevre et al. 2006; Li & Li 2009, section 5.2)"
    summary = "the error of the answers to many queries"
    symbol = "Q_err"
    side = "utility"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return STATISTICS[self.statistic].unit

    def measure(self, release: Release) -> Measured:
        if self.estimator != UNIFORM and self.statistic not in ESTIMATED:
            raise Undefined(f"statistic = {self.statistic} uses no estimate; use estimator = uniform")
        asked = self._asked(release)
        found = asked.evaluate(self.statistic)
        groups = {name: by(found.errors) for name, by in asked.group_means.items()}
        known = {"error": found.errors, "told": asked.answers, "truth": asked.workload.truth, **found.more, **groups}
        sentence = found.sentence + estimator_note(release, asked.sensitive, self.estimator)
        return Measured(found.value, sentence, Detail(known, {"worst": asked.worst}))

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        asked, step = self._asked(release), self.rounding_step(release, smallest)
        if smallest > 1:
            step *= asked.sensitivity(self.statistic, measured.value)
        if smallest > 1 and (asked.workload.different < MANY or step > COARSEST):
            return None, f"{self.description[:-1]}: not published, since it would reveal queries about few people."
        value = round_average(measured.value, step, self.better, size_in_thresholds(release, smallest))
        return value, STATISTICS[self.statistic].sentence_for(value, len(asked.workload))

    def rounding_step(self, release: Release, smallest: int) -> float:
        """The change if each query has as many people more or fewer as the threshold."""
        return largest_change(self._asked(release).workload, self.guard, smallest) if smallest > 1 else 0.0

    def _asked(self, release: Release) -> WorkloadErrors:
        return WorkloadErrors(release, Workload.named(release.table, self.workload), self.guard, self.estimator)
