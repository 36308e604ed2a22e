"""How wrong the answers to each query of a workload are, in several ways, and which queries go most wrong, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.measures.utility.estimators import UNIFORM, taken
from workbench.releases.answers import expected
from workbench.releases.base import Release
from workbench.releases.in_parts import InParts, whole
from workbench.releases.partition import Partition
from workbench.releases.selections import selected
from workbench.workloads.exact import denominators
from workbench.workloads.workload import Workload

WORST = 10  # queries that are told apart
GROUPS = 5  # of as many queries each, by how many people meet them


class Statistic(NamedTuple):
    """What is averaged over queries, as charts and pages say it."""

    unit: str
    sentence: str  # with {value}, in per cent or as it is, and {queries}
    per_cent: bool = True

    def said(self, value: float, queries: int) -> str:
        """The figure in a sentence."""
        shown = _percent(value) if self.per_cent else figures(value, "lower")
        return self.sentence.format(value=shown, queries=f"{queries:,}")


STATISTICS = {
    "relative": Statistic(
        "relative error of the average query", "Answers to {queries} queries are {value} from the truth on average."
    ),
    "normalised": Statistic(
        "error of the average query, as a part of that without quasi-identifiers",
        "Answers to {queries} queries are {value} times as far from the truth, on average, as they would be without "
        "any quasi-identifiers.",
        per_cent=False,
    ),
    "width": Statistic(
        "distance of the least and the most that the truth of the average query may be, as a part of it",
        "The least and the most that the true answers to {queries} queries may be are {value} of these apart on "
        "average.",
    ),
    "selection": Statistic(
        "records that the average query returns falsely or misses, as a part of all that it returns or should",
        "Of the records that each of {queries} queries returns, or should, {value} are false or missing on average.",
    ),
}


class Wrong(NamedTuple):
    """A query that goes wrong, and the column that makes it so: were that published exactly, its error would be
    `then`."""

    query: int
    error: float
    column: str | None
    then: float


class Found(NamedTuple):
    """A figure of a workload, the error of each query, what is said of it, and what else is known of each query."""

    value: float
    errors: np.ndarray
    sentence: str
    more: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Asked:
    """A workload that is asked of a release; answers below those of `guard` people count as theirs."""

    release: Release
    workload: Workload
    guard: float = 1.0
    estimator: str = UNIFORM

    def found(self, statistic: str) -> Found:
        """One of the statistics; Undefined where every query averages nobody."""
        if np.isnan(self.workload.truth).all():
            raise Undefined("every query asks for the average of nobody")
        ways = (self._relative, self._normalised, self._width, self._selection)
        return dict(zip(STATISTICS, ways, strict=True))[statistic]()

    # --- the statistics

    def _relative(self) -> Found:
        """The mean of how far an answer is from the truth, as a share of it."""
        errors = self.off(self.told)
        worst = _percent(np.nanmax(errors))
        words = f"the answers are {_percent(_mean(errors))} from the truth on average, {worst} at worst"
        return self._made(_mean(errors), errors, words)

    def _normalised(self) -> Found:
        """The same in parts of what it is where all quasi-identifiers are removed."""
        errors, most = self.off(self.told), _mean(self.off(expected(removed(self.release), self.workload)))
        if not most:
            raise Undefined("the answers are true without any quasi-identifier, so there is nothing to be wrong about")
        words = (
            f"the answers are {_percent(_mean(errors))} from the truth on average, where without quasi-identifiers "
            f"they would be {figures(100 * most)} % from it"
        )
        return self._made(_mean(errors) / most, errors / most, words)

    def _width(self) -> Found:
        """The mean of how far apart the least and the most are that an answer may be (Srivastava & Weis 2005)."""
        least, most = self.release.bounds(self.workload)
        wide = (np.nan_to_num(most) - np.nan_to_num(least)) / self._scale
        wide[np.isnan(self.workload.truth)] = np.nan  # no truth, no error
        words = (
            f"the least and the most that the truth may be are {_percent(_mean(wide))} of it apart on average, "
            f"{_percent(np.nanmax(wide))} at worst"
        )
        return self._made(_mean(wide), wide, words, least=least, most=most)

    def _selection(self) -> Found:
        """1 - F, the harmonic mean of precision and recall, of the records that are returned."""
        returned, right = selected(self.release, self.workload)
        people = self.workload.people
        false, missing = _part(returned - right, returned), _part(people - right, people)
        errors = _part(returned + people - 2 * right, returned + people)
        words = (
            f"{_percent(_mean(false))} of the records that are returned do not meet the conditions, and "
            f"{_percent(_mean(missing))} of those that do are not returned, on average"
        )
        return self._made(_mean(errors), errors, words, false=false, missing=missing)

    def _made(self, value: float, errors: np.ndarray, words: str, **more: np.ndarray) -> Found:
        empty = int((self.workload.truth == 0).sum())
        also = f"; the true answer to {empty:,} of them is 0" if empty else ""
        queries = f"{len(self.workload):,} queries" if len(self.workload) > 1 else "1 query"
        return Found(value, errors, f"Over {queries} {words}{also}.", more)

    # --- errors

    @cached_property
    def told(self) -> np.ndarray:
        """What the release answers."""
        return self.taken.count(self.workload)

    @cached_property
    def taken(self) -> Release:
        """The release as whoever asks takes it."""
        return taken(self.release, self.sensitive, self.estimator)

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns that are asked about."""
        return [name for name in self.workload.columns if name in self.release.table.sensitive]

    @cached_property
    def _scale(self) -> np.ndarray:
        return denominators(self.workload, self.guard)

    def off(self, answers: np.ndarray) -> np.ndarray:
        """How far each answer is from the truth, as a share of it; an answer that there is not counts as 0."""
        return np.abs(np.nan_to_num(answers) - self.workload.truth) / self._scale

    def moved(self, statistic: str, value: float) -> float:
        """How many times a change of the true answers, as a share of them, may change a statistic, about."""
        if statistic == "normalised":
            most = _mean(self.off(expected(removed(self.release), self.workload)))
            return (1 + 2 * value * most + value) / most
        return 2.0 if statistic == "selection" else 1 + value

    # --- which

    @property
    def by(self) -> dict[str, Callable[[np.ndarray], Any]]:
        """The groups of queries that errors are averaged over."""
        return {"by_dimension": self.by_dimension, "by_selectivity": self.by_selectivity}

    def by_dimension(self, errors: np.ndarray) -> dict[int, float]:
        """The mean error of the queries with so many conditions."""
        dimension = self.workload.dimension
        return {int(n): _mean(errors[dimension == n]) for n in np.unique(dimension)}

    def by_selectivity(self, errors: np.ndarray) -> list[tuple[float, float]]:
        """The mean error of a fifth of the queries after the other, those that fewest people meet first, and the
        largest share of the people who meet one of them."""
        people = self.workload.people
        order = np.argsort(people, kind="stable")
        total = float(self.workload.everybody)
        groups = (some for some in np.array_split(order, GROUPS) if len(some))
        return [(float(people[some].max()) / total, _mean(errors[some])) for some in groups]

    def worst(self) -> list[Wrong]:
        """The queries whose answers are farthest from the truth, each with the column whose exact values would mend
        most of it (none where none would)."""
        errors = np.nan_to_num(self.off(self.told))
        which = np.argsort(-errors, kind="stable")[:WORST]
        which = which[errors[which] > 0]
        best = [Wrong(int(q), float(errors[q]), None, float(errors[q])) for q in which]
        for name in self._blurred():
            asking = np.flatnonzero(self.workload.conditions.at[which, self.workload.columns.index(name)] >= 0)
            if not len(asking):
                continue
            answers = expected(self.taken, self.workload, which[asking], known=[name])
            then = np.abs(np.nan_to_num(answers) - self.workload.truth[which[asking]]) / self._scale[which[asking]]
            for i, error in zip(asking.tolist(), then.tolist(), strict=True):
                if error < best[i].then - 1e-12:
                    best[i] = best[i]._replace(column=name, then=error)
        return best

    def _blurred(self) -> list[str]:
        """The columns asked about that are not published exactly."""
        release, table = self.release, self.release.table
        exact = {name for name in release.neutral if name not in release.removed}
        if release.classes.exact:
            exact |= {*table.quasi} - release.removed
        else:
            exact |= {name for name in table.sensitive if not table.levels.get(name, 0)} - release.removed
        return [name for name in self.workload.columns if name not in exact]


class Detail(dict[str, Any]):
    """What is known of a workload's errors; what takes a while is found when it is asked for."""

    def __init__(self, given: dict[str, Any], later: dict[str, Callable[[], Any]]) -> None:
        super().__init__(given)
        self._later = later

    def __missing__(self, key: str) -> Any:
        self[key] = self._later[key]()
        return self[key]


def removed(release: Release) -> Release:
    """The same table without quasi-identifiers: everybody is in one class."""
    table = release.table
    if not table.engine.cells_fit:
        return InParts.of(table, lambda: iter([whole(table)]), frozenset(table.quasi))
    cells = table.cells()
    return Partition(table, cells, np.zeros(len(cells), np.int32), removed=frozenset(table.quasi))


def between_best_and_worst(errors: np.ndarray) -> np.ndarray:
    """Errors of methods (rows) at several strengths (columns), each strength by itself from 0, the best of its methods,
    to 1, the worst (Loukides & Shao 2008, figures 8 and 9); 0 where all are alike."""
    least, most = errors.min(axis=0), errors.max(axis=0)
    return _part(errors - least, np.broadcast_to(most - least, errors.shape))


def _part(some: np.ndarray, of: np.ndarray) -> np.ndarray:
    """A share, 0 of nothing."""
    return np.divide(some, of, out=np.zeros(np.shape(some)), where=of > 0)


def _mean(errors: np.ndarray) -> float:
    """Over the queries that have a true answer."""
    known = errors[~np.isnan(errors)]
    return float(known.mean()) if len(known) else float("nan")


def _percent(share: float) -> str:
    return f"{figures(100 * float(share), 'lower')} %"
