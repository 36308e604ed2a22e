"""Audit of shares: what the tables of groups of several releases jointly disclose about small counts of one value.

Each published share bounds how many people of a group have the value. Groups of different releases overlap, so a small
group's count, or the difference between a group and one inside it, may have fewer possible values than the threshold
although no single share implies that. The audit solves for these counts (`share_audit`) and drops shares until none
has too few values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array, csr_array, vstack

# Audit by linear programs: the possible values of unknown counts, given everything that is published.
#
# Published numbers are linear statements about unknown counts, which are nonnegative integers: a sum lies in an
# interval, or a count between two shares of another. An attacker who solves them learns the smallest and the largest
# possible value of each count. The audit finds these values by mixed-integer programs (HiGHS).
#
# Most counts need no program. From one point that satisfies all statements, a count that can be raised or lowered by
# itself has at least as many possible values as there are such points.

NEAR = 1e-6
TOGETHER = 5000  # maximum number of unknowns when several programs are solved as one


@dataclass(eq=False)
class Statements:
    """Published statements about `unknowns` counts: each row is a weighted sum and the interval that contains it."""

    unknowns: int
    rows: list[dict[int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # rows can be dropped by name

    def sum_of(self, cells: Iterable[int], low: float, high: float, name: str = "") -> None:
        """Add the statement that the sum of some counts is between two numbers."""
        self.weighted({int(cell): 1.0 for cell in cells}, low, high, name)

    def share_of(self, part: Iterable[int], whole: Iterable[int], low: float, high: float, name: str = "") -> None:
        """Add the statement that the sum of `part` is between two shares of the sum of `whole`, which contains it."""
        inside, every = set(map(int, part)), list(map(int, whole))
        if low > 0:
            self.weighted({cell: (cell in inside) - low for cell in every}, 0, np.inf, name)
        if high < 1:
            self.weighted({cell: (cell in inside) - high for cell in every}, -np.inf, 0, name)

    def rounded(self, cells: Iterable[int], published: int, threshold: int, name: str = "") -> None:
        """Add a sum that was rounded to the multiple of the threshold below it or above it."""
        self.sum_of(cells, max(published - threshold + 1, 0), published + threshold, name)

    def weighted(self, row: Mapping[int, float], low: float, high: float, name: str = "") -> None:
        """Add the statement that a weighted sum is between two numbers."""
        self.rows.append(dict(row))
        self.low.append(low)
        self.high.append(high)
        self.names.append(name)

    def without(self, name: str) -> Statements:
        """Return the statements except those of one name."""
        kept = [i for i, one in enumerate(self.names) if one != name]
        return Statements(
            self.unknowns,
            [self.rows[i] for i in kept],
            [self.low[i] for i in kept],
            [self.high[i] for i in kept],
            [self.names[i] for i in kept],
        )

    @property
    def matrix(self) -> csr_array:
        """The statements as a matrix, rows x unknowns."""
        at = np.repeat(np.arange(len(self.rows)), [len(row) for row in self.rows])
        cells = np.fromiter((cell for row in self.rows for cell in row), np.int64, len(at))
        weights = np.fromiter((weight for row in self.rows for weight in row.values()), float, len(at))
        return csr_array((weights, (at, cells)), shape=(len(self.rows), self.unknowns))


def possible_range(statements: Statements, target: Mapping[int, float], relaxed: bool = False) -> tuple[float, float]:
    """Return the minimum and maximum of a weighted sum of counts under all statements.

    With `relaxed`, counts need not be integers, so the range is at least as wide as the exact one.
    """
    weights = np.zeros(statements.unknowns)
    weights[list(target)] = list(target.values())
    rows = LinearConstraint(statements.matrix, statements.low, statements.high)
    whole = np.zeros(statements.unknowns) if relaxed else np.ones(statements.unknowns)
    ends = []
    for sign in (1, -1):
        found = milp(sign * weights, integrality=whole, bounds=Bounds(0, np.inf), constraints=rows)
        if found.status == 2:
            raise ValueError("no counts fit these statements")
        if found.status == 3:
            ends.append(-sign * np.inf)
        elif found.x is None:
            raise RuntimeError(f"the linear program of the audit failed: {found.message}")
        else:
            ends.append(float(weights @ found.x))
    return ends[0], ends[1]


class Question(NamedTuple):
    """A sum of counts to solve for."""

    statements: Statements
    target: np.ndarray


def possible_ranges(questions: Sequence[Question]) -> list[tuple[float, float]]:
    """Return the minimum and maximum of each sum, for counts that need not be integers.

    The programs have no unknowns in common, so many are solved as one: most are so small that separate calls would take
    longer.
    """
    found, begin = [], 0
    while begin < len(questions):
        sizes = np.cumsum([one.statements.unknowns for one in questions[begin:]])
        end = begin + max(int(np.searchsorted(sizes, TOGETHER)), 1)
        found += _solve_jointly(questions[begin:end])
        begin = end
    return found


def _solve_jointly(questions: Sequence[Question]) -> list[tuple[float, float]]:
    first = np.cumsum([0, *(one.statements.unknowns for one in questions)])
    goal, every = np.zeros(first[-1]), Statements(int(first[-1]))
    for start, (statements, target) in zip(first.tolist(), questions, strict=False):
        goal[start + target] = 1
        for row, low, high in zip(statements.rows, statements.low, statements.high, strict=True):
            every.weighted({start + cell: weight for cell, weight in row.items()}, low, high)
    rows = every.matrix
    sides, ends = vstack([rows, -rows], format="csr"), np.concatenate([every.high, np.negative(every.low)])
    kept = np.isfinite(ends)
    ends_of = []
    for sign in (1, -1):
        found = linprog(sign * goal, A_ub=sides[kept], b_ub=ends[kept], bounds=(0, None), method="highs")
        if not found.success:
            raise RuntimeError(f"the linear program of the audit failed: {found.message}")
        ends_of.append(np.add.reduceat(goal * found.x, first[:-1]))
    return list(zip(ends_of[0].tolist(), ends_of[1].tolist(), strict=True))


def values_between(low: float, high: float) -> float:
    """Return the number of integers between two ends."""
    return float(np.floor(high + NEAR) - np.ceil(low - NEAR) + 1)


def values_by_moves(statements: Statements, point: np.ndarray) -> np.ndarray:
    """Return a lower bound on the number of values of each count: those reached by changing it alone.

    The point must satisfy all statements; otherwise each bound is 1.
    """
    matrix = csc_array(statements.matrix)
    at = matrix @ point
    low, high = np.asarray(statements.low), np.asarray(statements.high)
    if (at < low - NEAR).any() or (at > high + NEAR).any() or (point < -NEAR).any():
        return np.ones(statements.unknowns)
    weight, row = matrix.data, matrix.indices
    cell = np.repeat(np.arange(statements.unknowns), np.diff(matrix.indptr))
    raised, lowered = np.full(statements.unknowns, np.inf), np.asarray(point, float).copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = np.where(weight > 0, (high - at)[row] / weight, (low - at)[row] / weight)
        back = np.where(weight > 0, (at - low)[row] / weight, (at - high)[row] / weight)
    np.minimum.at(raised, cell[weight != 0], ahead[weight != 0])
    np.minimum.at(lowered, cell[weight != 0], back[weight != 0])
    return np.floor(raised + NEAR) + np.floor(lowered + NEAR) + 1


@dataclass(frozen=True)
class Finding:
    """A count with too few possible values, and their range."""

    target: tuple[int, ...]
    low: float
    high: float


def too_certain(
    statements: Statements,
    targets: Sequence[Sequence[int]],
    threshold: int,
    point: np.ndarray | None = None,
    relaxed: bool = False,
) -> list[Finding]:
    """Return the target sums that have fewer possible values than the threshold.

    `point` is any point that satisfies the statements, such as the exact counts; it saves most programs.
    """
    sure = np.ones(statements.unknowns) if point is None else values_by_moves(statements, point)
    found = []
    for target in targets:
        cells = tuple(int(cell) for cell in target)
        if cells and max(sure[list(cells)]) >= threshold:
            continue
        low, high = possible_range(statements, dict.fromkeys(cells, 1.0), relaxed)
        if values_between(low, high) < threshold:
            found.append(Finding(cells, low, high))
    return found


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
