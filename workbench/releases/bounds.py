"""What a release allows of queries: the least and the most that any original could answer that it may be made of.

In a generalized release each record may have any code in the region of its class, in each column by itself. In a
bucketized one the sensitive values of a bucket may belong to its records in any order, each column by itself (Fréchet's
bounds). Records that are left out may be anybody. No bound is approximate: there is an original that reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.base import query_kernels
from workbench.base.errors import Undefined
from workbench.base.progress import step
from workbench.releases.picked import FOR_CERTAIN, NOTHING, PERHAPS, Picked, greatest
from workbench.releases.regions import Regions
from workbench.releases.told import Branch, Level, Reading, Told, asked_of
from workbench.workloads.exact import AVG, COUNT, numbers_of
from workbench.workloads.together import Coded, blocks
from workbench.workloads.tree import Tree
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release

BOTH: tuple[Reading, Reading] = (Regions.inside, Regions.meeting)  # for certain, and perhaps


def certain(release: Release, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most that each query can have as its true answer; an average of nobody is not a number."""
    told = Told(release, asked_of(release, workload))
    if told.dealt and told.table.weight is not None:
        raise Undefined(
            "which record of a bucket has which sensitive value is not known, so neither is how many people it stands "
            "for; ask without conditions on sensitive columns"
        )
    least, most = np.zeros((2, len(workload)))
    counts = np.flatnonzero(told.workload.aggregate == COUNT)
    least[counts], most[counts] = _counts(told, counts)
    for _, branch in told.branches(np.flatnonzero(told.workload.aggregate != COUNT)):
        for q in branch.which.tolist():
            step()
            least[q], most[q] = _Amounts(told, branch, q).bounds()
    return least, most


def _counts(told: Told, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The records that meet each query for certain, and those that may."""
    none = np.full(len(which), -1)
    if not told.dealt:
        return told.sums(which, none, Regions.inside), told.sums(which, none, Regions.meeting)
    least, most = np.zeros((2, len(which)))
    for places, branch in told.branches(which):
        least[places], most[places] = _dealt(told, branch)
    for found, reading in zip((least, most), BOTH, strict=True):
        found *= told.of_anybody(told.hidden, which, none, reading)
        found += told.people_left_out * told.of_anybody(told.workload.columns, which, none, reading)
    return least, most


def _dealt(told: Told, branch: Branch) -> tuple[np.ndarray, np.ndarray]:
    """The same in buckets, of the published records."""
    none = np.full(len(branch.which), -1)
    buckets = Coded(len(told.classes), none, told.conditions.bits)
    named = [level for level in branch.levels if level.name]
    levels = [buckets, *(told.asked(level, branch.which, none, Regions.inside) for level in named)]
    tree = Tree.of([branch.group, *(level.codes for level in named)], branch.people)
    least, most = np.zeros((2, len(none)))
    for block in blocks(levels, len(none)):
        met = query_kernels.in_groups(tuple(tree), *block[1:5], len(told.classes))
        fewest, room = rooms(told, branch.which[block.some])
        met = met[:, : fewest.shape[1]]
        least[block.some], most[block.some] = np.maximum(met + fewest, 0).sum(axis=0), np.minimum(met, room).sum(axis=0)
    return least, most


def rooms(told: Told, which: np.ndarray, but: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Buckets x queries: where n records meet all other conditions, at least n and the first of these numbers meet
    those on sensitive columns too (`but` one of them), and at most n or the second."""
    fewest, room = np.zeros((len(told.classes), len(which))), np.full((len(told.classes), len(which)), np.inf)
    none = np.full(len(which), -1)
    for name in told.dealt:
        asked = (told.at(name, which) >= 0) & (name != but)
        if asked.any():
            inside, meeting = (told.of_values(name, which, none, one) for one in BOTH)
            fewest += np.where(asked, inside - told.classes.sizes[:, None], 0)
            room = np.minimum(room, np.where(asked, meeting, np.inf))
    return fewest, room


@dataclass(frozen=True)
class _Amounts:
    """A sum or an average, of one query: who may be in it, and the numbers that they may have."""

    told: Told
    branch: Branch
    q: int

    def bounds(self) -> tuple[float, float]:
        """The least and the most."""
        picked, least, most = self._published()
        if self.told.release.left_out:
            others, *numbers = self._left_out()
            picked, least, most = picked.together(others), np.append(least, numbers[0]), np.append(most, numbers[1])
        average = bool(self.told.workload.aggregate[self.q] == AVG)
        return 0.0 - greatest(picked, -least, average), greatest(picked, most, average)

    @property
    def _which(self) -> np.ndarray:
        return np.array([self.q])

    @property
    def _of(self) -> str:
        return self.told.workload.columns[self.told.workload.summed[self.q]]

    def _published(self) -> tuple[Picked, np.ndarray, np.ndarray]:
        """The published records that may be in it: by themselves, or by bucket."""
        told, group, people = self.told, self.branch.group, self.branch.people
        met, surely = self._met()
        hidden = [self._hidden(told.hidden, one) for one in BOTH]
        group, people, surely = group[met], people[met].astype(float), surely[met]
        if self._of in told.dealt:
            return self._of_values(group, people, *hidden)
        least, most = (side[met] for side in self._numbers())
        adds = np.full(len(people), FOR_CERTAIN)
        if not told.dealt or told.at_any(told.dealt, self._which)[0] < 0:
            each = np.arange(len(people))
            return Picked(each, people, adds, people * surely * hidden[0], people * hidden[1]), least, most
        fewest, room = self._of_buckets(group, people)
        return Picked(group, people, adds, fewest * hidden[0], room * hidden[1]), least, most

    def _of_values(
        self, group: np.ndarray, people: np.ndarray, surely: float, perhaps: float
    ) -> tuple[Picked, np.ndarray, np.ndarray]:
        """The sensitive values that buckets have: picked are those of the records that meet the other conditions."""
        told, counts = self.told, self.told.release.people_of_classes(self._of)
        fewest, room = self._of_buckets(group, people, self._of)
        bucket, value = np.nonzero(counts)
        nodes = told.nodes(self._of)
        inside, meeting = (self._row(self._of, nodes, one)[value] for one in BOTH)
        adds = np.select([inside * surely > 0, meeting > 0], [FOR_CERTAIN, PERHAPS], NOTHING)
        least, most = (side[value] for side in self._extremes(nodes))
        people = counts[bucket, value].astype(float)
        return Picked(bucket, people, adds, fewest * perhaps, room * perhaps), least, most

    def _of_buckets(self, group: np.ndarray, people: np.ndarray, but: str = "") -> tuple[np.ndarray, np.ndarray]:
        """The fewest and the most of each bucket that meet the conditions, `but` for that on one sensitive column."""
        there = np.bincount(group, people, len(self.told.classes))
        fewest, room = (one[:, 0] for one in rooms(self.told, self._which, but))
        return np.maximum(there + fewest, 0), np.minimum(there, room)

    def _left_out(self) -> tuple[Picked, float, float]:
        """Who is left out, and may be anybody."""
        told, one = self.told, np.zeros(1, np.int64)
        surely, perhaps = (self._hidden(told.workload.columns, way) for way in BOTH)
        people = np.array([told.people_left_out])
        least, most = (side[0] for side in self._extremes(Regions.whole(told.table.columns[self._of])))
        return Picked(one, people, one + FOR_CERTAIN, people * surely, people * perhaps), least, most

    def _met(self) -> tuple[np.ndarray, np.ndarray]:
        """Which records may meet the conditions on what is told of each, and which do for certain."""
        met, surely = (np.ones(len(self.branch.people), bool) for _ in range(2))
        for level in self.branch.levels:
            if not level.name or self.told.at(level.name, self._which)[0] < 0:
                continue
            met &= self._level(level, Regions.meeting) > 0
            surely &= self._level(level, Regions.inside) > 0
        return met, surely

    def _level(self, level: Level, reading: Reading) -> np.ndarray:
        """How each record meets the condition on a level."""
        regions = level.regions or Regions.nodes(self.told.table.columns[level.name], 0)
        return self._row(level.name, regions, reading)[level.codes]

    def _row(self, name: str, regions: Regions, reading: Reading) -> np.ndarray:
        return reading(regions, self.told.conditions.bits, self.told.at(name, self._which))[:, 0]

    def _hidden(self, names: Sequence[str], reading: Reading) -> float:
        return float(self.told.of_anybody(names, self._which, np.array([-1]), reading)[0])

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest number that each record may have, where it meets the condition on the column."""
        for level in self.branch.levels:
            if level.name == self._of:
                regions = level.regions or Regions.nodes(self.told.table.columns[level.name], 0)
                least, most = (side[level.codes] for side in self._extremes(regions))
                return least, most
        least, most = self._extremes(Regions.whole(self.told.table.columns[self._of]))
        return np.full(len(self.branch.people), least[0]), np.full(len(self.branch.people), most[0])

    def _extremes(self, regions: Regions) -> tuple[np.ndarray, np.ndarray]:
        column = self.told.table.columns[self._of]
        least, most = regions.extremes(
            self.told.conditions.bits, self.told.at(self._of, self._which), numbers_of(column)
        )
        there = np.isfinite(least[:, 0])
        return np.where(there, least[:, 0], 0.0), np.where(there, most[:, 0], 0.0)
