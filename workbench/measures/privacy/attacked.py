"""Attacks on people by a released file: the records that are nearest to what is known of a person.

Each attack is tried twice: with the release as it is, and as a control on the same people as if they were not in it:
each with the own record taken out and everything else as it is. So the control group is alike in every way but that
what the release tells of it follows from other people. Where nobody knows which record of a file is whose, the
control's release is the original as the file would show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import Undefined
from workbench.base.figures import per_cent
from workbench.base.small_counts import averaged
from workbench.base.variants import parameter
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.measures import Measure, Measured
from workbench.measures.privacy.beyond_chance import beyond_chance
from workbench.measures.privacy.shown_axes import Axis
from workbench.releases.base import Release

NOBODY = -1
TOGETHER = 2**20  # pairs of a person and a region that are looked at together
ENDS = ("low", "high")
Chances = tuple[float, float]  # that an attack succeeds with a person's own record, and without it


class Tried(NamedTuple):
    """Of people who were attacked: the chances of success, those of the control, and who is shown alike; where sharing
    a part is enough to fail together, a column of numbers for all that is shown, and one for each part."""

    attack: np.ndarray
    control: np.ndarray
    alike: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Attacked:
    """A release as attackers see it, and the original: `row` is what each published record shows, of `axes` together.

    `world` is the same of the control's release, and `own` the place in it of each person's record, or nobody's.
    """

    table: Table
    axes: dict[str, Axis]  # of the quasi-identifiers that are published
    shows: np.ndarray  # rows x axes: which thing of each
    row: np.ndarray
    world: np.ndarray
    own: np.ndarray
    of_person: np.ndarray | None  # whose record each is; None where that is not known

    @classmethod
    def by(cls, release: Release) -> Attacked:
        """The release as it is, each record whose it is; of a file read beside an original nobody knows that."""
        if release not in _seen:
            _seen[release] = cls._by(release)
        return _seen[release]

    @classmethod
    def _by(cls, release: Release) -> Attacked:
        table, axes, things = release.table, {}, []
        table.engine.require_memory("people are attacked record by record")
        if not release.original:
            raise Undefined("what is known of people is not in the file alone; give the original that it was made of")
        for name in table.quasi:
            if name not in release.removed:
                axes[name], number = Axis.of(release.shown(name))
                things.append(number)
        published = None
        try:
            published = release.published_records
        except Undefined:
            if any(axis.numbers is not None or axis.held is not None for axis in axes.values()):
                raise
        records = len(things[0]) if things else table.records - release.left_out
        shown = np.stack(things, axis=1) if things else np.zeros((records, 0), np.int64)
        if published is None:
            return cls._beside(table, axes, shown)
        first, row = distinct_rows(shown) if things else (np.zeros(1, np.int64), np.zeros(records, np.int64))
        own = np.full(table.records, NOBODY)
        own[published] = np.arange(records)
        return cls(table, axes, shown[first], row, row, own, published)

    @classmethod
    def _beside(cls, table: Table, axes: dict[str, Axis], shown: np.ndarray) -> Attacked:
        """Every person of the original as the file would show them: in the region that holds them, else unchanged."""
        first, row = distinct_rows(shown) if len(axes) else (np.zeros(1, np.int64), np.zeros(len(shown), np.int64))
        regions = shown[first]
        codes = np.stack([table.codes[name] for name in axes], axis=1) if axes else np.zeros((table.records, 0), int)
        people, person = distinct_rows(codes) if len(axes) else (np.zeros(1, np.int64), np.zeros(len(codes), np.int64))
        place = _placed(axes, regions, codes[people], np.bincount(row), np.bincount(person))
        outside = place == NOBODY
        sizes = np.array([len(axis) for axis in axes.values()], np.int64)
        place[outside] = len(regions) + np.arange(outside.sum())
        rows = np.concatenate([regions, sizes + codes[people][outside]])
        wider = {name: axis.with_codes() for name, axis in axes.items()}
        return cls(table, wider, rows, row, place[person], np.arange(table.records), None)

    @cached_property
    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """The records that show each row, and those of the control's release."""
        return np.bincount(self.row, minlength=len(self.shows)), np.bincount(self.world, minlength=len(self.shows))

    @cached_property
    def people(self) -> np.ndarray:
        """Who may be attacked: those whose records are published, all where that is not known."""
        return np.arange(self.table.records) if self.of_person is None else self.of_person

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers that are published."""
        return tuple(self.axes)

    def drawn(self, attacks: int, seed: int) -> np.ndarray:
        """Some of these people at random, or all."""
        if attacks >= len(self.people):
            return self.people
        return np.sort(np.random.default_rng(seed).choice(self.people, attacks, replace=False))

    def nearest(self, person: int, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The records that show each row, of those rows that are nearest to a person on some columns, and the same of
        the control's."""
        away = np.zeros(len(self.shows), np.int64)
        for i, (name, axis) in enumerate(self.axes.items()):
            if name in names:
                away += axis.away(int(self.table.codes[name][person]))[self.shows[:, i]]
        there, others = self.counts
        if self.own[person] != NOBODY:
            others = others.copy()
            others[self.world[self.own[person]]] -= 1
        return _nearest(away, there), _nearest(away, others)

    def rows_of(self, people: np.ndarray) -> np.ndarray:
        """What the control's release shows of some people."""
        return self.world[self.own[people]]

    def part_of(self, people: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """The same of some columns, as numbers of people who are shown alike in these."""
        columns = [i for i, name in enumerate(self.axes) if name in names]
        return distinct_rows(self.shows[self.rows_of(people)][:, columns])[1]

    def fitting(self, row: int) -> np.ndarray:
        """Which of the table's cells fit what a row shows."""
        cells = self.table.cells()
        fits = np.ones(len(cells), bool)
        for i, (name, axis) in enumerate(self.axes.items()):
            fits &= axis.holding(int(self.shows[row, i]))[cells.quasi[self.table.quasi.index(name)]]
        return fits

    def each(self, people: np.ndarray, attack: Callable[[int], Chances]) -> Tried:
        """What an attack on each of these people gives."""
        found = np.zeros((len(people), 2))
        for i, person in enumerate(people.tolist()):
            underway.step()
            found[i] = attack(person)
        return Tried(found[:, 0], found[:, 1], self.rows_of(people))


_seen = WeakKeyDictionary[Release, Attacked]()  # the attacks share what is seen


def attacks() -> Any:
    """The parameter of measures that attack."""
    return parameter(1000, "how many people are attacked, drawn at random; all where there are fewer", low=1)


def _nearest(away: np.ndarray, count: np.ndarray) -> np.ndarray:
    there = np.where(count > 0, away, np.iinfo(np.int64).max)
    return np.where(there == there.min(), count, 0)


def _placed(
    axes: dict[str, Axis], regions: np.ndarray, codes: np.ndarray, room: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """The region that each kind of person is shown in: one of these values alone, or of those that hold them the one
    with most room left."""
    low, high = (np.stack([getattr(x, end)[regions[:, a]] for a, x in enumerate(axes.values())], 1) for end in ENDS)
    alone = np.flatnonzero((low == high).all(axis=1))
    place, room = _equal(low[alone], codes, alone), room.copy()
    wide, left = np.setdiff1d(np.arange(len(regions)), alone), np.flatnonzero(place == NOBODY)
    if not len(wide) or not len(left):
        return place
    first = _narrowest(low[wide], high[wide], codes[left])
    left = left[np.argsort(codes[left, first], kind="stable")]
    for same in np.split(left, np.flatnonzero(np.diff(codes[left, first])) + 1):
        code = codes[same[0], first]
        near = wide[(low[wide, first] <= code) & (code <= high[wide, first])]
        for some in np.array_split(same, -(-len(same) * len(near) // TOGETHER) or 1):
            underway.step()
            fits = np.ones((len(some), len(near)), bool)
            for at, begin, end in zip(codes[some].T, low[near].T, high[near].T, strict=True):
                fits &= (begin <= at[:, None]) & (at[:, None] <= end)
            for i, of in zip(some.tolist(), fits, strict=True):
                found = near[of]
                if len(found):
                    place[i] = found[room[found].argmax()]
                    room[place[i]] -= people[i]
    return place


def _narrowest(low: np.ndarray, high: np.ndarray, codes: np.ndarray) -> int:
    """The column by which fewest people are in a region."""
    pairs = []
    for begin, end, at in zip(low.T, high.T, codes.T, strict=True):
        until = np.append(0, np.cumsum(np.bincount(at, minlength=int(end.max()) + 1)))
        pairs.append(int((until[end + 1] - until[begin]).sum()))
    return int(np.argmin(pairs))


def _equal(some: np.ndarray, codes: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Of each row of codes the number of the row among some that equals it, or nobody's."""
    kind = distinct_rows(np.concatenate([some, codes]))[1]
    of_kind = np.full(kind.max() + 1, NOBODY)
    of_kind[kind[: len(some)]] = number
    return of_kind[kind[len(some) :]]


def measured(what: str, tried: Tried, detail: Mapping[str, Any] | None = None) -> Measured:
    """The risk of an attack, told by `what` succeeds: of people as they are attacked, and of the control group."""
    found = beyond_chance(*tried)
    attack, control, risk, low, high = (per_cent(one, "lower") for one in found[:5])
    ends = f"at most {high}" if found.low == 0 or low == high else f"{low} to {high}"
    sentence = (
        f"{what} in {attack} of {len(tried.attack):,} attacks, and in {control} of them without the person's own "
        f"record: the risk beyond chance is {risk} ({ends} with 95 %)."
    )
    numbers = {"attacks": len(tried.attack), "attack": found.attack, "control": found.control, "failing": found.failing}
    return Measured(found.risk, sentence, {**numbers, **(detail or {})}, (found.low, found.high))


def tell(measure: Measure, release: Release, smallest: int) -> tuple[float | None, str]:
    """The risk as it may be told: in steps that twice the threshold of people can move, of those on whom the control
    fails; these alone count in it."""
    found = measure.measure(release)
    failing = found.detail["failing"]
    if failing < 4 * smallest:
        return None, f"{measure.name[:1].upper()}{measure.name[1:]}: not told, since too few people count in it."
    value = averaged(found.value, 2 * smallest / failing, measure.better, failing / smallest if smallest > 1 else inf)
    return min(value, 1.0), measure.plain
