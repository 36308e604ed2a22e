"""Certain bounds on queries: the minimum and maximum over all originals from which a release may have been made.

In a generalized release each record may have any code in the region of its class, independently in each column. In a
bucketized release the sensitive values of a bucket may belong to its records in any order, independently in each column
(Fréchet bounds). Suppressed records may be anybody. No bound is approximate: some original attains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.progress import checkpoint
from workbench.queries import kernels
from workbench.queries.evaluator import QueryEvaluator, QueryGroup, Reading, RecordLevel, Regions, require_workload
from workbench.queries.exact import AVG, COUNT, CodeLevel, Tree, blocks, numbers_of
from workbench.queries.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


# The maximum of a sum or average over people, if only the number of people selected per group is bounded.

NOTHING, PERHAPS, FOR_CERTAIN = range(3)  # whether a selected person adds a number


class SelectionBounds(NamedTuple):
    """Items of several people each; from every group at least `fewest` and at most `most` people are selected."""

    group: np.ndarray
    people: np.ndarray
    adds: np.ndarray
    fewest: np.ndarray
    most: np.ndarray

    def best(self, gains: np.ndarray) -> np.ndarray:
        """Return how many people of each item maximize the gain; people with gain 0 are selected only if required."""
        order = np.lexsort((-gains, self.group))
        group, people = self.group[order], self.people[order]
        wanted = np.bincount(group, people * (gains[order] > 0), len(self.fewest))
        count = np.clip(wanted, self.fewest, self.most)
        before = np.cumsum(people) - people
        first = np.searchsorted(group, group)  # the first item of each one's group
        taken = np.empty(len(order))
        taken[order] = np.clip(count[group] - (before - before[first]), 0, people)
        return taken

    def join(self, other: SelectionBounds) -> SelectionBounds:
        """Return these items joined with others in groups of their own."""
        group = np.append(self.group, other.group + len(self.fewest))
        return SelectionBounds(group, *(np.append(a, b) for a, b in zip(self[1:], other[1:], strict=True)))


def max_sum(picked: SelectionBounds, numbers: np.ndarray, average: bool) -> float:
    """Return the maximum sum, or average, of the selected people's numbers; an average over no records is nan."""

    def gains(least: float) -> np.ndarray:
        over = numbers - least
        return np.select([picked.adds == FOR_CERTAIN, picked.adds == PERHAPS], [over, np.maximum(over, 0)], 0.0)

    if not average:
        return float(picked.best(gains(0.0)) @ gains(0.0)) if len(numbers) else 0.0
    possible = (picked.adds != NOTHING) & (picked.people > 0) & (picked.most[picked.group] > 0)
    if not possible.any():
        return float("nan")
    found = float(numbers[possible].min())
    while True:  # Dinkelbach's method: repeat while some selection has a larger average than the last one
        over = gains(found)
        taken = picked.best(over) * ((picked.adds == FOR_CERTAIN) | (over > 0))
        people = taken.sum()
        better = float(taken @ numbers / people) if people else found
        if not better > found + 1e-12 * abs(found):
            return found
        found = better


BOTH: tuple[Reading, Reading] = (Regions.inside, Regions.meeting)  # certainly, and possibly


def certain_bounds(release: Release, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return the minimum and maximum of each query's true answer; an average over no records is nan."""
    evaluator = QueryEvaluator(release, require_workload(release, workload))
    if evaluator.dealt and evaluator.table.weight is not None:
        raise Undefined(
            "which record of a bucket has which sensitive value is unknown, and so is the number of people it "
            "represents; use queries without conditions on sensitive columns"
        )
    least, most = np.zeros((2, len(workload)))
    counts = np.flatnonzero(evaluator.workload.aggregate == COUNT)
    least[counts], most[counts] = _counts(evaluator, counts)
    for _, branch in evaluator.branches(np.flatnonzero(evaluator.workload.aggregate != COUNT)):
        for q in branch.which.tolist():
            checkpoint()
            least[q], most[q] = _Amounts(evaluator, branch, q).bounds()
    return least, most


def _counts(evaluator: QueryEvaluator, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the records that certainly meet each query, and those that may."""
    none = np.full(len(which), -1)
    if not evaluator.dealt:
        return evaluator.sums(which, none, Regions.inside), evaluator.sums(which, none, Regions.meeting)
    least, most = np.zeros((2, len(which)))
    for places, branch in evaluator.branches(which):
        least[places], most[places] = _dealt(evaluator, branch)
    for found, reading in zip((least, most), BOTH, strict=True):
        found *= evaluator.of_anybody(evaluator.hidden, which, none, reading)
        found += evaluator.suppressed_people * evaluator.of_anybody(evaluator.workload.columns, which, none, reading)
    return least, most


def _dealt(evaluator: QueryEvaluator, branch: QueryGroup) -> tuple[np.ndarray, np.ndarray]:
    """Return these counts for the published records of buckets."""
    none = np.full(len(branch.which), -1)
    buckets = CodeLevel(len(evaluator.classes), none, evaluator.conditions.bits)
    named = [level for level in branch.levels if level.name]
    levels = [buckets, *(evaluator.prepare_level(level, branch.which, none, Regions.inside) for level in named)]
    tree = Tree.from_columns([branch.group, *(level.codes for level in named)], branch.people)
    least, most = np.zeros((2, len(none)))
    for block in blocks(levels, len(none)):
        met = kernels.in_groups(tuple(tree), *block[1:5], len(evaluator.classes))
        fewest, room = count_bounds(evaluator, branch.which[block.some])
        met = met[:, : fewest.shape[1]]
        least[block.some], most[block.some] = np.maximum(met + fewest, 0).sum(axis=0), np.minimum(met, room).sum(axis=0)
    return least, most


def count_bounds(evaluator: QueryEvaluator, which: np.ndarray, but: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays (buckets x queries) that bound how many records also meet the sensitive conditions.

    If n records meet all other conditions, at least n plus the first number and at most n or the second number also
    meet those on sensitive columns, except on `but`.
    """
    fewest, room = np.zeros((len(evaluator.classes), len(which))), np.full((len(evaluator.classes), len(which)), np.inf)
    none = np.full(len(which), -1)
    for name in evaluator.dealt:
        conditioned = (evaluator.condition_offsets(name, which) >= 0) & (name != but)
        if conditioned.any():
            inside, meeting = (evaluator.of_values(name, which, none, one) for one in BOTH)
            fewest += np.where(conditioned, inside - evaluator.classes.sizes[:, None], 0)
            room = np.minimum(room, np.where(conditioned, meeting, np.inf))
    return fewest, room


@dataclass(frozen=True)
class _Amounts:
    """A sum or an average of one query: the people who may be included, and the numbers that they may have."""

    evaluator: QueryEvaluator
    branch: QueryGroup
    q: int

    def bounds(self) -> tuple[float, float]:
        """Return the minimum and the maximum."""
        picked, least, most = self._published()
        if self.evaluator.release.suppressed:
            others, *numbers = self._suppressed()
            picked, least, most = picked.join(others), np.append(least, numbers[0]), np.append(most, numbers[1])
        average = bool(self.evaluator.workload.aggregate[self.q] == AVG)
        return 0.0 - max_sum(picked, -least, average), max_sum(picked, most, average)

    @property
    def _which(self) -> np.ndarray:
        return np.array([self.q])

    @property
    def _summed(self) -> str:
        return self.evaluator.workload.columns[self.evaluator.workload.summed[self.q]]

    def _published(self) -> tuple[SelectionBounds, np.ndarray, np.ndarray]:
        """Return the published records that may be included: individually, or by bucket."""
        evaluator, group, people = self.evaluator, self.branch.group, self.branch.people
        met, surely = self._met()
        hidden = [self._hidden(evaluator.hidden, one) for one in BOTH]
        group, people, surely = group[met], people[met].astype(float), surely[met]
        if self._summed in evaluator.dealt:
            return self._of_values(group, people, *hidden)
        least, most = (side[met] for side in self._numbers())
        adds = np.full(len(people), FOR_CERTAIN)
        if not evaluator.dealt or evaluator.at_any(evaluator.dealt, self._which)[0] < 0:
            each = np.arange(len(people))
            return SelectionBounds(each, people, adds, people * surely * hidden[0], people * hidden[1]), least, most
        fewest, room = self._of_buckets(group, people)
        return SelectionBounds(group, people, adds, fewest * hidden[0], room * hidden[1]), least, most

    def _of_values(
        self, group: np.ndarray, people: np.ndarray, surely: float, perhaps: float
    ) -> tuple[SelectionBounds, np.ndarray, np.ndarray]:
        """Return the sensitive values of buckets; those of records that meet the other conditions are selected."""
        evaluator, counts = self.evaluator, self.evaluator.release.people_of_classes(self._summed)
        fewest, room = self._of_buckets(group, people, self._summed)
        bucket, value = np.nonzero(counts)
        nodes = evaluator.nodes(self._summed)
        inside, meeting = (self._row(self._summed, nodes, one)[value] for one in BOTH)
        adds = np.select([inside * surely > 0, meeting > 0], [FOR_CERTAIN, PERHAPS], NOTHING)
        least, most = (side[value] for side in self._extremes(nodes))
        people = counts[bucket, value].astype(float)
        return SelectionBounds(bucket, people, adds, fewest * perhaps, room * perhaps), least, most

    def _of_buckets(self, group: np.ndarray, people: np.ndarray, but: str = "") -> tuple[np.ndarray, np.ndarray]:
        """Return the minimum and maximum number of records of each bucket that meet the conditions, except on the
        column `but`."""
        counts = np.bincount(group, people, len(self.evaluator.classes))
        fewest, room = (one[:, 0] for one in count_bounds(self.evaluator, self._which, but))
        return np.maximum(counts + fewest, 0), np.minimum(counts, room)

    def _suppressed(self) -> tuple[SelectionBounds, float, float]:
        """Return the suppressed records, who may be anybody."""
        evaluator, one = self.evaluator, np.zeros(1, np.int64)
        surely, perhaps = (self._hidden(evaluator.workload.columns, way) for way in BOTH)
        people = np.array([evaluator.suppressed_people])
        least, most = (side[0] for side in self._extremes(Regions.whole(evaluator.table.columns[self._summed])))
        return SelectionBounds(one, people, one + FOR_CERTAIN, people * surely, people * perhaps), least, most

    def _met(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which records may meet the conditions given what is published of each, and which certainly do."""
        met, surely = (np.ones(len(self.branch.people), bool) for _ in range(2))
        for level in self.branch.levels:
            if not level.name or self.evaluator.condition_offsets(level.name, self._which)[0] < 0:
                continue
            met &= self._level(level, Regions.meeting) > 0
            surely &= self._level(level, Regions.inside) > 0
        return met, surely

    def _level(self, level: RecordLevel, reading: Reading) -> np.ndarray:
        """Return whether each record meets the condition on a level."""
        regions = level.regions or Regions.nodes(self.evaluator.table.columns[level.name], 0)
        return self._row(level.name, regions, reading)[level.codes]

    def _row(self, name: str, regions: Regions, reading: Reading) -> np.ndarray:
        return reading(regions, self.evaluator.conditions.bits, self.evaluator.condition_offsets(name, self._which))[
            :, 0
        ]

    def _hidden(self, names: Sequence[str], reading: Reading) -> float:
        return float(self.evaluator.of_anybody(names, self._which, np.array([-1]), reading)[0])

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest number that each record may have, if it meets the condition on the column."""
        for level in self.branch.levels:
            if level.name == self._summed:
                regions = level.regions or Regions.nodes(self.evaluator.table.columns[level.name], 0)
                least, most = (side[level.codes] for side in self._extremes(regions))
                return least, most
        least, most = self._extremes(Regions.whole(self.evaluator.table.columns[self._summed]))
        return np.full(len(self.branch.people), least[0]), np.full(len(self.branch.people), most[0])

    def _extremes(self, regions: Regions) -> tuple[np.ndarray, np.ndarray]:
        column = self.evaluator.table.columns[self._summed]
        least, most = regions.extremes(
            self.evaluator.conditions.bits,
            self.evaluator.condition_offsets(self._summed, self._which),
            numbers_of(column),
        )
        finite = np.isfinite(least[:, 0])
        return np.where(finite, least[:, 0], 0.0), np.where(finite, most[:, 0], 0.0)


# The classes that a query matches only in part, so that its answer has to be estimated.


class PartialMatches(NamedTuple):
    """The indices of the partially matched classes, and how many records each column's condition splits."""

    classes: np.ndarray
    by: dict[str, int]

    @property
    def main_column(self) -> str:
        """The column whose condition splits most records; empty if none does."""
        return max(self.by, key=lambda name: self.by[name]) if any(self.by.values()) else ""


def find_partial_matches(release: Release, workload: Workload, q: int) -> PartialMatches:
    """Return the classes that a query matches in part.

    For buckets, whose quasi-identifiers are published unchanged, these are the buckets with a record that meets the
    other conditions, of whose sensitive values only some meet theirs.
    """
    conditions = {name: met for name in workload.columns if (met := workload.condition(q, name)) is not None}
    parts = _of_buckets(release, conditions) if release.classes.exact else _of_regions(release, conditions)
    touched = np.logical_and.reduce([part > 0 for part in parts.values()], initial=True)
    touched = np.broadcast_to(touched, len(release.classes))
    if release.classes.exact:
        touched = touched & _holding(release, conditions)
    cut = {name: touched & (part > 0) & (part < 1) for name, part in parts.items()}
    either = np.logical_or.reduce([*cut.values(), np.zeros(len(release.classes), bool)])
    return PartialMatches(
        np.flatnonzero(either), {name: int(release.classes.sizes[one].sum()) for name, one in cut.items()}
    )


def _of_regions(release: Release, conditions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the share of the codes of each class's region that meets each condition on a quasi-identifier."""
    classes, found = release.classes, dict[str, np.ndarray]()
    assert classes.low is not None and classes.high is not None
    for a, name in enumerate(release.table.quasi):
        if name not in conditions or name in release.unpublished_columns:
            continue
        if a in classes.sets:
            found[name] = classes.sets[a] @ conditions[name].astype(float) / classes.sets[a].sum(axis=1)
            continue
        below = np.append(0, np.cumsum(conditions[name]))
        low, high = classes.low[:, a], classes.high[:, a]
        found[name] = (below[high + 1] - below[low]) / (high + 1 - low)
    return found


def _of_buckets(release: Release, conditions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the share of each bucket's records whose sensitive value meets each condition."""
    classes, found = release.classes, dict[str, np.ndarray]()
    for name, histogram in classes.histograms.items():
        if name in conditions and histogram.shape[1] == len(
            conditions[name]
        ):  # not if nodes of a hierarchy are published
            found[name] = histogram @ conditions[name].astype(float) / classes.sizes
    return found


def _holding(release: Release, conditions: dict[str, np.ndarray]) -> np.ndarray:
    """Return the buckets with a record that meets the conditions on quasi-identifiers."""
    names = [name for name in release.table.quasi if name in conditions]
    group, codes, _ = release.class_counts(names)
    met = np.logical_and.reduce([conditions[name][codes[name]] for name in names], initial=True)
    found = np.zeros(len(release.classes), bool)
    found[group[np.broadcast_to(met, len(group))]] = True
    return found
