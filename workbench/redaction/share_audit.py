"""Audit of shares: what the tables of groups of several releases jointly disclose about small counts of one value.

Each published share bounds how many people of a group have the value. Groups of different releases overlap, so a small
group's count, or the difference between a group and one inside it, may have fewer possible values than the threshold
although no single share implies that. The audit solves for these counts (`linear_audit`) and drops shares until none
has too few values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.redaction.linear_audit import (
    NEAR,
    Question,
    Statements,
    possible_ranges,
    values_between,
    values_by_moves,
)


@dataclass(frozen=True)
class Share:
    """A published share: between `low` and `high` people of a group have the value, and exactly `count` do."""

    release: int
    group: int
    low: float
    high: float
    count: int


def shares_to_drop(groups: np.ndarray, records: np.ndarray, shares: Sequence[Share], threshold: int) -> set[int]:
    """Return the indices of shares to drop, so that no small count has too few possible values.

    `groups` contains the group of each cell of people with the value (releases x cells), and `records` their numbers.
    """
    stated, questions = _Stated(groups, records, shares), dict[bytes, Question]()
    places: dict[bytes, list[int]] = defaultdict(list)  # groups with the same question
    by_moves = values_by_moves(stated.statements(range(len(stated.cells)), np.arange(len(records))), records)
    for number, around in stated.small(threshold):
        target = stated.target(number, around)
        if by_moves[target].max(initial=0) >= threshold:
            continue
        places[target.tobytes()].append(number)
        if target.tobytes() not in questions:
            questions[target.tobytes()] = stated.question(around, target)
    ends = possible_ranges([*questions.values()])
    narrow = [key for key, (low, high) in zip(questions, ends, strict=True) if values_between(low, high) < threshold]
    return {share for key in narrow for number in places[key] for share in stated.shares[number]}


class _Stated:
    """The groups with published shares, their cells, and the possible numbers of people with the value.

    Groups of the same people in several releases are merged.
    """

    def __init__(self, groups: np.ndarray, records: np.ndarray, shares: Sequence[Share]) -> None:
        self.groups, self.records = groups, records
        self.at: dict[tuple[int, int], int] = {}  # index by release and group
        self.cells: list[np.ndarray] = []
        self.shares: list[list[int]] = []
        self.counts: list[int] = []
        self.ends: list[tuple[float, float]] = []
        order = np.argsort(groups, axis=1, kind="stable")
        ordered, known = np.take_along_axis(groups, order, axis=1), dict[bytes, int]()
        for i, one in enumerate(shares):
            first, last = np.searchsorted(ordered[one.release], [one.group, one.group + 1])
            cells = order[one.release, first:last]  # in ascending order, because the sort is stable
            number = known.setdefault(cells.tobytes(), len(self.cells))
            self.at[one.release, one.group] = number
            # include the exact count: the share is rounded from it, but the range follows from a rounded size
            low, high = min(np.ceil(one.low - NEAR), one.count), max(np.floor(one.high + NEAR), one.count)
            if number == len(self.cells):
                self.cells.append(cells)
                self.shares.append([i])
                self.counts.append(one.count)
                self.ends.append((low, high))
            else:
                self.shares[number].append(i)
                self.ends[number] = max(low, self.ends[number][0]), min(high, self.ends[number][1])

    def small(self, threshold: int) -> Iterator[tuple[int, int]]:
        """Yield each group with a small count, and each group that is only slightly smaller than one around it.

        The second item is the surrounding group, or the group itself.
        """
        for i, count in enumerate(self.counts):
            if 0 < count < threshold:
                yield i, i
        for i, (cells, count) in enumerate(zip(self.cells, self.counts, strict=True)):
            first = self.groups[:, cells[0]].tolist() if len(cells) else []
            for around in {self.at.get(one, i) for one in enumerate(first)} - {i}:
                if 0 < self.counts[around] - count < threshold and np.isin(cells, self.cells[around], True).all():
                    yield i, around

    def overlapping(self, number: int) -> list[int]:
        """Return the groups that have people in common with a group."""
        reached = {(r, g) for r, row in enumerate(self.groups) for g in row[self.cells[number]].tolist()}
        return sorted(self.at[one] for one in reached if one in self.at)

    def target(self, number: int, around: int) -> np.ndarray:
        """Return the cells of a small group, or of its difference to the surrounding group."""
        return self.cells[around] if number == around else np.setdiff1d(self.cells[around], self.cells[number], True)

    def question(self, around: int, target: np.ndarray) -> Question:
        """Return the statements about a small count, and the unknowns to sum."""
        near = self.overlapping(around)
        inside = np.zeros((len(near), len(self.records)), bool)
        for row, i in enumerate(near):
            inside[row, self.cells[i]] = True
        cells = np.flatnonzero(inside.any(axis=0))
        place = np.full(len(self.records), -1)  # cells in the same groups form one unknown
        patterns = np.ascontiguousarray(np.packbits(inside[:, cells], axis=0).T)
        place[cells] = np.unique(patterns.view(f"V{patterns.shape[1]}").ravel(), return_inverse=True)[1]
        return Question(self.statements(near, place), np.unique(place[target]))

    def statements(self, chosen: Iterable[int], place: np.ndarray) -> Statements:
        """Return the statements about the chosen groups; `place` contains the unknown of each cell."""
        found = Statements(int(place.max(initial=-1)) + 1)
        for i in chosen:
            found.sum_of(np.unique(place[self.cells[i]]).tolist(), *self.ends[i])
        return found
