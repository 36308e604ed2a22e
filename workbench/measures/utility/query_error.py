"""Query error (LeFevre et al. 2006; Li & Li 2009, section 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.parameters import RANDOM, Plain, WorkloadChoice, parameter
from workbench.measures import Measure, Measured, size_in_thresholds
from workbench.measures.utility.estimators import UNIFORM, estimator_note, estimator_parameter, with_estimator
from workbench.queries.evaluator import expected_answers, select_records
from workbench.queries.exact import denominators, largest_change
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import Release
from workbench.releases.in_parts import InParts, whole
from workbench.releases.partition import Partition

# Errors of the answers to each query of a workload, by several statistics, with the worst queries and their causes.

WORST = 10  # number of worst queries to list
GROUPS = 5  # groups with equally many queries, by the number of people who meet them


class Statistic(NamedTuple):
    """A figure that is averaged over queries, with its texts for charts and pages."""

    unit: str
    sentence: str  # with {value}, in per cent or as a number, and {queries}
    per_cent: bool = True

    def sentence_for(self, value: float, queries: int) -> str:
        """Return the figure in a sentence."""
        shown = _percent(value) if self.per_cent else format_number(value)
        return self.sentence.format(value=shown, queries=f"{queries:,}")


STATISTICS = {
    "relative": Statistic(
        "relative error of the average query", "Answers to {queries} queries are {value} from the truth on average."
    ),
    "normalised": Statistic(
        "error of the average query, relative to that without quasi-identifiers",
        "Answers to {queries} queries are {value} times as far from the truth, on average, as they would be without "
        "any quasi-identifiers.",
        per_cent=False,
    ),
    "width": Statistic(
        "width of the interval that contains the true answer to the average query, as a share of the answer",
        "The intervals that contain the true answers to {queries} queries are {value} of the answers wide on average.",
    ),
    "selection": Statistic(
        "share of false and missing records of the average query, among all that it returns or should return",
        "On average over {queries} queries, {value} of the records to return or returned are false or missing.",
    ),
}


class WorstQuery(NamedTuple):
    """A query with a large error, and the column whose exact publication would reduce its error most, to `then`."""

    query: int
    error: float
    column: str | None
    then: float


class QueryErrors(NamedTuple):
    """A figure of a workload, the error of each query, its sentence, and further details of each query."""

    value: float
    errors: np.ndarray
    sentence: str
    more: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class WorkloadErrors:
    """The errors of a release's answers to a workload; answers below `guard` people are treated as `guard`."""

    release: Release
    workload: Workload
    guard: float = 1.0
    estimator: str = UNIFORM

    def evaluate(self, statistic: str) -> QueryErrors:
        """Return one of the statistics; raise Undefined if every query is an average over no records."""
        if np.isnan(self.workload.truth).all():
            raise Undefined("every query is an average over no records")
        ways = (self._relative, self._normalised, self._width, self._selection)
        return dict(zip(STATISTICS, ways, strict=True))[statistic]()

    # --- the statistics

    def _relative(self) -> QueryErrors:
        """Return the mean distance of an answer from the truth, as a share of it."""
        errors = self.relative_errors(self.answers)
        worst = _percent(np.nanmax(errors))
        words = f"the answers are {_percent(_mean(errors))} from the truth on average, {worst} at worst"
        return self._made(_mean(errors), errors, words)

    def _normalised(self) -> QueryErrors:
        """Return the mean error relative to that with all quasi-identifiers removed."""
        errors, most = self.relative_errors(self.answers), self._mean_without_quasi_identifiers()
        if not most:
            raise Undefined(
                "the answers are exact without any quasi-identifier, so errors relative to these are undefined"
            )
        words = (
            f"the answers are {_percent(_mean(errors))} from the truth on average, where without quasi-identifiers "
            f"they would be {format_number(100 * most)} % from it"
        )
        return self._made(_mean(errors) / most, errors / most, words)

    def _width(self) -> QueryErrors:
        """Return the mean width of the interval that contains the true answer (Srivastava & Weis 2005)."""
        least, most = self.release.bounds(self.workload)
        wide = (np.nan_to_num(most) - np.nan_to_num(least)) / self._scale
        wide[np.isnan(self.workload.truth)] = np.nan  # without a true answer there is no error
        words = (
            f"the intervals that contain the true answer are {_percent(_mean(wide))} of it wide on average and "
            f"at most {_percent(np.nanmax(wide))}"
        )
        return self._made(_mean(wide), wide, words, least=least, most=most)

    def _selection(self) -> QueryErrors:
        """Return 1 - F, with F the harmonic mean of precision and recall of the returned records."""
        returned, right = select_records(self.release, self.workload)
        people = self.workload.people
        false, missing = _share(returned - right, returned), _share(people - right, people)
        errors = _share(returned + people - 2 * right, returned + people)
        words = (
            f"{_percent(_mean(false))} of the records that are returned do not meet the conditions, and "
            f"{_percent(_mean(missing))} of those that do are not returned, on average"
        )
        return self._made(_mean(errors), errors, words, false=false, missing=missing)

    def _made(self, value: float, errors: np.ndarray, words: str, **more: np.ndarray) -> QueryErrors:
        empty = int((self.workload.truth == 0).sum())
        also = f"; the true answer to {empty:,} of them is 0" if empty else ""
        queries = f"{len(self.workload):,} queries" if len(self.workload) > 1 else "1 query"
        return QueryErrors(value, errors, f"Over {queries} {words}{also}.", more)

    # --- errors

    @cached_property
    def answers(self) -> np.ndarray:
        """The release's answers."""
        return self.estimated_release.count(self.workload)

    @cached_property
    def estimated_release(self) -> Release:
        """The release with the researcher's estimates."""
        return with_estimator(self.release, self.sensitive, self.estimator)

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns in the workload."""
        return [name for name in self.workload.columns if name in self.release.table.sensitive]

    @cached_property
    def _scale(self) -> np.ndarray:
        return denominators(self.workload, self.guard)

    def relative_errors(self, answers: np.ndarray) -> np.ndarray:
        """Return the distance of each answer from the truth, as a share of it; a missing answer counts as 0."""
        return np.abs(np.nan_to_num(answers) - self.workload.truth) / self._scale

    def sensitivity(self, statistic: str, value: float) -> float:
        """Return the approximate factor by which a relative change of the true answers may change a statistic."""
        if statistic == "normalised":
            most = self._mean_without_quasi_identifiers()
            return (1 + 2 * value * most + value) / most
        return 2.0 if statistic == "selection" else 1 + value

    def _mean_without_quasi_identifiers(self) -> float:
        bare = without_quasi_identifiers(self.release)
        return _mean(self.relative_errors(expected_answers(bare, self.workload)))

    # --- which

    @property
    def group_means(self) -> dict[str, Callable[[np.ndarray], Any]]:
        """The groups of queries over which errors are averaged."""
        return {"by_dimension": self.by_dimension, "by_selectivity": self.by_selectivity}

    def by_dimension(self, errors: np.ndarray) -> dict[int, float]:
        """Return the mean error of the queries by number of conditions."""
        dimension = self.workload.dimension
        return {int(n): _mean(errors[dimension == n]) for n in np.unique(dimension)}

    def by_selectivity(self, errors: np.ndarray) -> list[tuple[float, float]]:
        """Return the mean error of each fifth of the queries, the most selective first, and the largest share of people
        who meet a query of that fifth."""
        people = self.workload.people
        order = np.argsort(people, kind="stable")
        total = float(self.workload.everybody)
        groups = (some for some in np.array_split(order, GROUPS) if len(some))
        return [(float(people[some].max()) / total, _mean(errors[some])) for some in groups]

    def worst(self) -> list[WorstQuery]:
        """Return the queries with the largest errors, each with the column whose exact values would reduce the error
        most (None if no column would)."""
        errors = np.nan_to_num(self.relative_errors(self.answers))
        which = np.argsort(-errors, kind="stable")[:WORST]
        which = which[errors[which] > 0]
        best = [WorstQuery(int(q), float(errors[q]), None, float(errors[q])) for q in which]
        for name in self._inexact_columns():
            asking = np.flatnonzero(self.workload.conditions.at[which, self.workload.columns.index(name)] >= 0)
            if not len(asking):
                continue
            answers = expected_answers(self.estimated_release, self.workload, which[asking], known=[name])
            then = np.abs(np.nan_to_num(answers) - self.workload.truth[which[asking]]) / self._scale[which[asking]]
            for i, error in zip(asking.tolist(), then.tolist(), strict=True):
                if error < best[i].then - 1e-12:
                    best[i] = best[i]._replace(column=name, then=error)
        return best

    def _inexact_columns(self) -> list[str]:
        """Return the columns of the workload that are not published exactly."""
        release, table = self.release, self.release.table
        exact = {name for name in release.neutral if name not in release.unpublished_columns}
        if release.classes.exact:
            exact |= {*table.quasi} - release.unpublished_columns
        else:
            exact |= {name for name in table.sensitive if not table.levels.get(name, 0)} - release.unpublished_columns
        return [name for name in self.workload.columns if name not in exact]


class Detail(dict[str, Any]):
    """Details of a workload's errors, of which slow ones are computed on first use."""

    def __init__(self, given: dict[str, Any], later: dict[str, Callable[[], Any]]) -> None:
        super().__init__(given)
        self._later = later

    def __missing__(self, key: str) -> Any:
        self[key] = self._later[key]()
        return self[key]


def without_quasi_identifiers(release: Release) -> Release:
    """Return the table without quasi-identifiers as a release: everybody is in one class."""
    table = release.table
    if not table.engine.cells_fit:
        return InParts.from_parts(table, lambda: iter([whole(table)]), frozenset(table.quasi))
    cells = table.cells()
    return Partition(table, cells, np.zeros(len(cells), np.int32), unpublished_columns=frozenset(table.quasi))


def _share(some: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return a share, 0 for a share of nothing."""
    return np.divide(some, of, out=np.zeros(np.shape(some)), where=of > 0)


def _mean(errors: np.ndarray) -> float:
    """Return the mean over the queries with a true answer."""
    known = errors[~np.isnan(errors)]
    return float(known.mean()) if len(known) else float("nan")


def _percent(share: float) -> str:
    return f"{format_number(100 * float(share))} %"


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
        errors = self._workload_errors(release)
        found = errors.evaluate(self.statistic)
        groups = {name: by(found.errors) for name, by in errors.group_means.items()}
        known = {"error": found.errors, "told": errors.answers, "truth": errors.workload.truth, **found.more, **groups}
        sentence = found.sentence + estimator_note(release, errors.sensitive, self.estimator)
        return Measured(found.value, sentence, Detail(known, {"worst": errors.worst}))

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        errors, step = self._workload_errors(release), self.rounding_step(release, smallest)
        if smallest > 1:
            step *= errors.sensitivity(self.statistic, measured.value)
        if smallest > 1 and (errors.workload.different < MANY or step > COARSEST):
            return None, f"{self.description[:-1]}: not published, since it would reveal queries about few people."
        value = round_average(measured.value, step, self.better, size_in_thresholds(release, smallest))
        return value, STATISTICS[self.statistic].sentence_for(value, len(errors.workload))

    def rounding_step(self, release: Release, smallest: int) -> float:
        """The change if the threshold of people join or leave each query."""
        return largest_change(self._workload_errors(release).workload, self.guard, smallest) if smallest > 1 else 0.0

    def _workload_errors(self, release: Release) -> WorkloadErrors:
        return WorkloadErrors(release, Workload.named(release.table, self.workload), self.guard, self.estimator)
