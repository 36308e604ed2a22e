"""Query error (LeFevre et al. 2006; Li & Li 2009, section 5.2): how wrong the answers to many queries are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import averaged
from workbench.base.variants import RANDOM, Plain, parameter
from workbench.measures import Measure, Measured, crowd
from workbench.releases.base import Release
from workbench.workloads.exact import denominators, moved_by
from workbench.workloads.workload import Workload

MANY = 100  # different queries that an average is told of
COARSEST = 0.1  # step that it is told in


@dataclass(frozen=True)
class QueryError(Measure):
    workload: str | Plain | Workload = parameter(
        RANDOM, "the queries: the name of a workload of the study, or random", workload=True
    )
    statistic: str = parameter("relative", "of what the average is taken", choices=("relative",))
    guard: float = parameter(1.0, "an answer from fewer people counts as one from so many", low=0, above=True)
    name = "query error"
    symbol = "Q_err"
    side = "utility"
    unit = "relative error of the average query"

    def measure(self, release: Release) -> Measured:
        workload = Workload.named(release.table, self.workload)
        truth, told = workload.truth, release.count(workload)
        errors = np.abs(np.nan_to_num(told) - truth) / denominators(workload, self.guard)
        asked = ~np.isnan(truth)
        if not asked.any():
            raise Undefined("every query asks for the average of nobody")
        empty = int((truth[asked] == 0).sum())
        value = float(errors[asked].mean())
        sentence = (
            f"Over {len(workload):,} queries the answers are {figures(100 * value, 'lower')} % from the truth "
            f"on average, {figures(100 * float(errors[asked].max()), 'lower')} % at worst"
            + (f"; the true answer to {empty:,} of them is 0." if empty else ".")
        )
        return Measured(value, sentence, {"error": errors, "told": told, "truth": truth})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        workload, step = Workload.named(release.table, self.workload), self.step(release, smallest)
        if smallest > 1 and (workload.different < MANY or step > COARSEST):
            return None, f"{self.plain[:-1]}: not told, since queries about few people would show."
        value = averaged(measured.value, step, self.better, crowd(release, smallest))
        said = f"{len(workload):,} queries are {figures(100 * value, 'lower')} % from the truth on average"
        return value, f"Answers to {said}."

    def step(self, release: Release, smallest: int) -> float:
        """What it changes if each query has as many people more or fewer as the threshold."""
        return moved_by(Workload.named(release.table, self.workload), self.guard, smallest) if smallest > 1 else 0.0
