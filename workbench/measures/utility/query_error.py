"""Query error (LeFevre et al. 2006; Li & Li 2009, section 5.2): how wrong the answers to many queries are."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Undefined
from workbench.base.small_counts import averaged
from workbench.base.variants import RANDOM, Plain, parameter
from workbench.measures import Measure, Measured, crowd
from workbench.measures.utility.estimators import UNIFORM, also, estimator
from workbench.measures.utility.query_errors import STATISTICS, Asked, Detail
from workbench.releases.base import Release
from workbench.workloads.exact import moved_by
from workbench.workloads.workload import Workload

MANY = 100  # different queries that an average is told of
ESTIMATED = ("relative", "normalised")  # statistics that go by what is expected
COARSEST = 0.1  # step that it is told in


@dataclass(frozen=True)
class QueryError(Measure):
    workload: str | Plain | Workload = parameter(
        RANDOM, "the queries: the name of a workload of the study, or random", workload=True
    )
    statistic: str = parameter(
        "relative",
        "the error of answers; the same beside that without quasi-identifiers; how far apart the least and the most "
        "are that the truth may be; or the error of which records are returned",
        choices=tuple(STATISTICS),
    )
    guard: float = parameter(1.0, "an answer from fewer people counts as one from so many", low=0, above=True)
    estimator: str = estimator()
    name = "query error"
    symbol = "Q_err"
    side = "utility"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return STATISTICS[self.statistic].unit

    def measure(self, release: Release) -> Measured:
        if self.estimator != UNIFORM and self.statistic not in ESTIMATED:
            raise Undefined(f"statistic = {self.statistic} asks for no estimate; use estimator = uniform")
        asked = self._asked(release)
        found = asked.found(self.statistic)
        groups = {name: by(found.errors) for name, by in asked.by.items()}
        known = {"error": found.errors, "told": asked.told, "truth": asked.workload.truth, **found.more, **groups}
        sentence = found.sentence + also(release, asked.sensitive, self.estimator)
        return Measured(found.value, sentence, Detail(known, {"worst": asked.worst}))

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        asked, step = self._asked(release), self.step(release, smallest)
        if smallest > 1:
            step *= asked.moved(self.statistic, measured.value)
        if smallest > 1 and (asked.workload.different < MANY or step > COARSEST):
            return None, f"{self.plain[:-1]}: not told, since queries about few people would show."
        value = averaged(measured.value, step, self.better, crowd(release, smallest))
        return value, STATISTICS[self.statistic].said(value, len(asked.workload))

    def step(self, release: Release, smallest: int) -> float:
        """What it changes if each query has as many people more or fewer as the threshold."""
        return moved_by(self._asked(release).workload, self.guard, smallest) if smallest > 1 else 0.0

    def _asked(self, release: Release) -> Asked:
        return Asked(release, Workload.named(release.table, self.workload), self.guard, self.estimator)
