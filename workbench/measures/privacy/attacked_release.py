"""Attacks with a released file: find the records that are nearest to what an attacker knows about a person.

Each attack is run twice: on the release, and on a control in which the same person's own record is removed and
everything else is unchanged. What succeeds on the control follows from other people's records. If it is unknown which
record of a file belongs to whom, the control is the original in the form of the file.
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
from workbench.base.figures import format_percent
from workbench.base.parameters import parameter
from workbench.base.small_counts import round_average
from workbench.data.cells import distinct_rows
from workbench.data.table import Table
from workbench.measures import Measure, Measured
from workbench.measures.privacy.beyond_chance import beyond_chance
from workbench.measures.privacy.shown_axes import Axis
from workbench.releases.base import Release

NOBODY = -1
TOGETHER = 2**20  # pairs of a person and a region that are processed at once
ENDS = ("low", "high")
Chances = tuple[float, float]  # probabilities of success with a person's own record, and without it


class AttackResults(NamedTuple):
    """For each attacked person the probability of success, that of the control, and the number of the group that is
    shown identically; if sharing a part is enough to fail together, one column for everything shown, and one per part.
    """

    attack: np.ndarray
    control: np.ndarray
    alike: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class AttackedRelease:
    """A release as attackers see it, and the original: `row` is what each published record shows of all `axes`.

    `world` is the same for the control, and `own` the place in `world` of each person's record, or NOBODY.
    """

    table: Table
    axes: dict[str, Axis]  # of the published quasi-identifiers
    shows: np.ndarray  # rows x axes: the number of the thing shown
    row: np.ndarray
    world: np.ndarray
    own: np.ndarray
    of_person: np.ndarray | None  # the person of each record; None if unknown

    @classmethod
    def from_release(cls, release: Release) -> AttackedRelease:
        """Return the release as attackers see it, cached; for a file read with an original, persons are unknown."""
        if release not in _attacked_releases:
            _attacked_releases[release] = cls._from_release(release)
        return _attacked_releases[release]

    @classmethod
    def _from_release(cls, release: Release) -> AttackedRelease:
        table, axes, things = release.table, {}, []
        table.engine.require_memory("people are attacked record by record")
        if not release.has_original:
            raise Undefined("the file alone does not contain what attackers know of people; give its original")
        for name in table.quasi:
            if name not in release.unpublished_columns:
                axes[name], number = Axis.from_shown(release.shown(name))
                things.append(number)
        published = None
        try:
            published = release.published_records
        except Undefined:
            if any(axis.numbers is not None for axis in axes.values()):
                raise
        records = len(things[0]) if things else table.records - release.suppressed
        shown = np.stack(things, axis=1) if things else np.zeros((records, 0), np.int64)
        if published is None:
            return cls._from_file(table, axes, shown)
        first, row = distinct_rows(shown) if things else (np.zeros(1, np.int64), np.zeros(records, np.int64))
        own = np.full(table.records, NOBODY)
        own[published] = np.arange(records)
        return cls(table, axes, shown[first], row, row, own, published)

    @classmethod
    def _from_file(cls, table: Table, axes: dict[str, Axis], shown: np.ndarray) -> AttackedRelease:
        """Show every person of the original as the file would: in a region that contains the person, else unchanged."""
        first, row = distinct_rows(shown) if len(axes) else (np.zeros(1, np.int64), np.zeros(len(shown), np.int64))
        regions = shown[first]
        codes = np.stack([table.codes[name] for name in axes], axis=1) if axes else np.zeros((table.records, 0), int)
        people, person = distinct_rows(codes) if len(axes) else (np.zeros(1, np.int64), np.zeros(len(codes), np.int64))
        place = _assign_regions(axes, regions, codes[people], np.bincount(row), np.bincount(person))
        outside = place == NOBODY
        sizes = np.array([len(axis) for axis in axes.values()], np.int64)
        place[outside] = len(regions) + np.arange(outside.sum())
        rows = np.concatenate([regions, sizes + codes[people][outside]])
        wider = {name: axis.with_codes() for name, axis in axes.items()}
        return cls(table, wider, rows, row, place[person], np.arange(table.records), None)

    @cached_property
    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of records that show each row, in the release and in the control."""
        return np.bincount(self.row, minlength=len(self.shows)), np.bincount(self.world, minlength=len(self.shows))

    @cached_property
    def people(self) -> np.ndarray:
        """The people who may be attacked: those with published records, or everybody if that is unknown."""
        return np.arange(self.table.records) if self.of_person is None else self.of_person

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers that are published."""
        return tuple(self.axes)

    def sample_people(self, attacks: int, seed: int) -> np.ndarray:
        """Return a random sample of these people, or all; independent of the order of the records."""
        if attacks >= len(self.people):
            return self.people
        chosen = np.random.default_rng(seed).choice(len(self.people), attacks, replace=False)
        return np.sort(self.people[self._order[chosen]])

    @cached_property
    def _order(self) -> np.ndarray:
        """An order of the people by their values in the table and the release."""
        table = self.table
        columns = [table.codes[name] for name in table.quasi] + [
            table.sensitive_codes(name) for name in table.sensitive
        ]
        return np.lexsort([self.rows_of(self.people), *(codes[self.people] for codes in columns)])

    def nearest(self, person: int, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return how many records show each of the rows nearest to a person on some columns, in the release and in the
        control."""
        away = np.zeros(len(self.shows), np.int64)
        for i, (name, axis) in enumerate(self.axes.items()):
            if name in names:
                away += axis.distances_from(int(self.table.codes[name][person]))[self.shows[:, i]]
        there, others = self.counts
        if self.own[person] != NOBODY:
            others = others.copy()
            others[self.world[self.own[person]]] -= 1
        return _nearest(away, there), _nearest(away, others)

    def rows_of(self, people: np.ndarray) -> np.ndarray:
        """Return the rows of the control that show these people."""
        return self.world[self.own[people]]

    def groups_by(self, people: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return numbers of the groups of people who are shown identically on some columns."""
        columns = [i for i, name in enumerate(self.axes) if name in names]
        return distinct_rows(self.shows[self.rows_of(people)][:, columns])[1]

    def matching_cells(self, row: int) -> np.ndarray:
        """Return which cells of the table fit a row."""
        cells = self.table.cells()
        fits = np.ones(len(cells), bool)
        for i, (name, axis) in enumerate(self.axes.items()):
            fits &= axis.matching_codes(int(self.shows[row, i]))[cells.quasi[self.table.quasi.index(name)]]
        return fits

    def attack_each(self, people: np.ndarray, attack: Callable[[int], Chances]) -> AttackResults:
        """Return the result of an attack on each of these people."""
        found = np.zeros((len(people), 2))
        for i, person in enumerate(people.tolist()):
            underway.checkpoint()
            found[i] = attack(person)
        return AttackResults(found[:, 0], found[:, 1], self.rows_of(people))


_attacked_releases = WeakKeyDictionary[Release, AttackedRelease]()  # shared by the attacks


def attacks_parameter() -> Any:
    """Declare the parameter of measures that run attacks."""
    return parameter(1000, "number of people to attack, chosen at random; everybody if there are fewer", low=1)


def _nearest(away: np.ndarray, count: np.ndarray) -> np.ndarray:
    there = np.where(count > 0, away, np.iinfo(np.int64).max)
    return np.where(there == there.min(), count, 0)


def _assign_regions(
    axes: dict[str, Axis], regions: np.ndarray, codes: np.ndarray, room: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """Return the region in which each kind of person is shown: one with exactly these values, or the containing region
    with the most unused records."""
    low, high = (np.stack([getattr(x, end)[regions[:, a]] for a, x in enumerate(axes.values())], 1) for end in ENDS)
    alone = np.flatnonzero((low == high).all(axis=1))
    place, room = _match_rows(low[alone], codes, alone), room.copy()
    wide, left = np.setdiff1d(np.arange(len(regions)), alone), np.flatnonzero(place == NOBODY)
    if not len(wide) or not len(left):
        return place
    first = _narrowest(low[wide], high[wide], codes[left])
    left = left[np.argsort(codes[left, first], kind="stable")]
    for same in np.split(left, np.flatnonzero(np.diff(codes[left, first])) + 1):
        code = codes[same[0], first]
        near = wide[(low[wide, first] <= code) & (code <= high[wide, first])]
        for some in np.array_split(same, -(-len(same) * len(near) // TOGETHER) or 1):
            underway.checkpoint()
            fits = np.ones((len(some), len(near)), bool)
            for at, begin, end in zip(codes[some].T, low[near].T, high[near].T, strict=True):
                fits &= (begin <= at[:, None]) & (at[:, None] <= end)
            for a, axis in enumerate(axes.values()):
                if axis.held is not None:
                    fits &= axis.held[regions[near, a]][:, codes[some, a]].T
            for i, of in zip(some.tolist(), fits, strict=True):
                found = near[of]
                if len(found):
                    place[i] = found[room[found].argmax()]
                    room[place[i]] -= people[i]
    return place


def _narrowest(low: np.ndarray, high: np.ndarray, codes: np.ndarray) -> int:
    """Return the column whose regions contain the fewest people."""
    pairs = []
    for begin, end, at in zip(low.T, high.T, codes.T, strict=True):
        until = np.append(0, np.cumsum(np.bincount(at, minlength=int(end.max()) + 1)))
        pairs.append(int((until[end + 1] - until[begin]).sum()))
    return int(np.argmin(pairs))


def _match_rows(some: np.ndarray, codes: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Return for each row of codes the number of the equal row among some, or NOBODY."""
    kind = distinct_rows(np.concatenate([some, codes]))[1]
    of_kind = np.full(kind.max() + 1, NOBODY)
    of_kind[kind[: len(some)]] = number
    return of_kind[kind[len(some) :]]


def measure_risk(what: str, tried: AttackResults, detail: Mapping[str, Any] | None = None) -> Measured:
    """Return the risk of an attack, described by `what` succeeds, from its attacks and their control."""
    found = beyond_chance(*tried)
    attack, control, risk = (format_percent(one) for one in found[:3])
    low, high = format_percent(found.low, "higher"), format_percent(found.high, "lower")
    ends = f"at most {high}" if found.low == 0 or low == high else f"{low} to {high}"
    sentence = (
        f"{what} in {attack} of {len(tried.attack):,} attacks, and in {control} of them without the person's own "
        f"record: the risk beyond chance is {risk} ({ends}, 95 % confidence)."
    )
    numbers = {"attacks": len(tried.attack), "attack": found.attack, "control": found.control, "failing": found.failing}
    return Measured(found.risk, sentence, {**numbers, **(detail or {})}, (found.low, found.high))


def publish_risk(measure: Measure, release: Release, smallest: int) -> tuple[float | None, str]:
    """Return the risk for publication, rounded to what twice the threshold of people can change among those on whom the
    control fails, since only these count."""
    found = measure.measure(release)
    failing = found.detail["failing"]
    if failing < 4 * smallest:
        return None, f"{measure.name[:1].upper()}{measure.name[1:]}: not published, since too few people count in it."
    value = round_average(
        found.value, 2 * smallest / failing, measure.better, failing / smallest if smallest > 1 else inf
    )
    return min(value, 1.0), measure.description
