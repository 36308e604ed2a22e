"""Attacks with a released file: find the records that are nearest to what an attacker knows about a person.

Each attack is run twice: on the release, and on a control in which the same person's own record is removed and
everything else is unchanged. What succeeds on the control follows from other people's records. If it is unknown which
record of a file belongs to whom, the control is the original in the form of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from workbench.base import progress as underway
from workbench.base.errors import Undefined
from workbench.base.figures import format_percent
from workbench.data.cells import distinct_rows
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.measures import Measured
from workbench.queries.exact import unpack
from workbench.releases.base import Release
from workbench.releases.shown import Shown

# The risk of an attack beyond chance: how often it succeeds on people for whom it would fail without their own record.
#
# An attack on a person succeeds with one probability, and in the control, on the same person without their own record,
# with another. risk = (attack - control) / (1 - control), as in Anonymeter (Giomi et al. 2022), is one minus a ratio of
# two shares of failures of the same people. Its interval is the score interval of that ratio (Nam & Blackwelder 2002).
# If a record never makes an attack fail, it is Wilson's, among those on whom the control fails. Probabilities between 0
# and 1 vary less than successes, and people who are shown identically succeed or fail together: the interval uses the
# effective number of people (Korn & Graubard 1998).

NORMAL = 1.959963984540054  # standard deviations on each side of a 95 % interval of a normal distribution
HALVINGS = 40
EDGE = 1e-12
FEW = 1.0  # successes that a sample may have missed


class BeyondChance(NamedTuple):
    """The share of successful attacks, with and without the person's record, and the risk with its 95 % interval."""

    attack: float
    control: float
    risk: float
    low: float
    high: float
    failing: float  # number of attacked people on whom the control fails


class _Pairs(NamedTuple):
    """Shares of people by what fails on them; `people` is their effective number."""

    people: float
    control_alone: float
    attack_alone: float
    both: float

    def score(self, ratio: float) -> float:
        """Return by how many standard deviations the failures exceed those of this ratio."""
        off = self.attack_alone + self.both - ratio * (self.control_alone + self.both)
        attack_alone, control_alone = self._allowed(ratio)
        deviation = np.sqrt(ratio * (attack_alone + control_alone) / self.people)
        return float(off / deviation) if deviation > 0 else float(np.sign(off) * np.inf) if off else 0.0

    def _allowed(self, ratio: float) -> tuple[float, float]:
        """Return the maximum likelihood shares of failures of only one of the two, given this ratio."""

        def shares(at: float) -> tuple[float, float, float]:
            parts = (
                (self.attack_alone, 1 + at),
                (self.control_alone, 1 - ratio * at),
                (self.both, 1 + at * (1 - ratio)),
            )
            one, other, both = (share / by if share else 0.0 for share, by in parts)
            return one, other, one + both * (1 - ratio) - ratio * other

        found = _falls(lambda at: shares(at)[2], -1 + EDGE, 1 / ratio - EDGE)
        attack_alone, control_alone, excess = shares(found)
        if excess > 0:  # at the boundary, where an unobserved share compensates
            return attack_alone, control_alone + excess / ratio
        return attack_alone - excess, control_alone


def _falls(what: Callable[[float], float], low: float, high: float) -> float:
    """Return where a decreasing function is 0, or the nearer end if it is nowhere 0."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if what(middle) > 0 else (low, middle)
    return (low + high) / 2


def beyond_chance(attack: np.ndarray, control: np.ndarray, alike: np.ndarray | None = None) -> BeyondChance:
    """Return the risk from each person's probabilities of success with and without their own record.

    `alike` has the IDs of groups of people who are shown identically: one column, or several, of which the first is for
    everything shown and the others are for parts of it.
    """
    attack, control = attack.astype(float), control.astype(float)
    failed, without = 1 - attack, 1 - control
    gain, harm = float(np.maximum(attack - control, 0).mean()), float(np.maximum(control - attack, 0).mean())
    both = float((1 - np.maximum(attack, control)).mean())
    if without.mean() == 0:  # the control always succeeds, so a release can add nothing
        return BeyondChance(float(attack.mean()), 1.0, 0.0, 0.0, 1.0 if failed.mean() == 0 else 0.0, 0.0)
    ratio = float(failed.mean() / without.mean())
    off, at_most = failed - ratio * without, len(attack) * ratio * (gain + harm)
    spread = _spread(off, None if alike is None else alike.reshape(len(off), -1))
    people = len(attack) * (at_most + FEW) / (spread + FEW)
    low, high = _interval(_Pairs(people, gain, harm, both))
    return BeyondChance(
        float(attack.mean()), float(control.mean()), max(1 - ratio, 0.0), low, high, float(without.sum())
    )  # fmt: skip


def _spread(off: np.ndarray, alike: np.ndarray | None) -> float:
    """Return the sum of squared group sums, for people whose results are correlated within groups.

    If sharing a part is enough for correlation, add up the sums of the groups that share each part, and subtract those
    of the groups that share everything, which are counted in each (Cameron, Gelbach & Miller 2011).
    """
    if alike is None:
        return float(np.square(off).sum())
    whole, *parts = (float(np.square(np.bincount(number, off)).sum()) for number in alike.T)
    return max(whole, sum(parts) - (len(parts) - 1) * whole) if parts else whole


def _interval(pairs: _Pairs) -> tuple[float, float]:
    """Return the risks that the pairs do not reject, for ratios up to 1, since no risk is negative."""
    lowest = _falls(lambda ratio: pairs.score(ratio) - NORMAL, EDGE, 1.0)  # below, the failures are too many
    highest = _falls(lambda ratio: pairs.score(ratio) + NORMAL, EDGE, 1.0)
    return max(1 - highest, 0.0) if highest < 1 - 1e-9 else 0.0, min(1 - lowest, 1.0) if lowest > 1e-9 else 1.0


# Distances between what a release shows of a column and a value that an attacker knows about a person.

PARTS = 2**20  # unit of distances, which makes ties exact


@dataclass(frozen=True, eq=False, repr=False)
class Axis:
    """The distinct items that a column shows: runs of codes, sets of codes, or numbers."""

    column: Column
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray | None = None  # items x codes
    numbers: np.ndarray | None = None  # nan if missing

    @classmethod
    def from_shown(cls, shown: Shown) -> tuple[Axis, np.ndarray]:
        """Return the axis, and the index of the item that each published record shows."""
        if shown.numbers is not None:
            numbers, number = np.unique(shown.numbers, return_inverse=True)
            none = np.zeros(len(numbers), np.int64)
            return cls(shown.column, none, none, numbers=numbers), number
        if shown.regions is None:
            codes, number = np.unique(shown.labels, return_inverse=True)
            return cls(shown.column, codes, codes), number
        held = None if shown.regions.held is None else unpack(shown.regions.held, shown.column.size)
        return cls(shown.column, shown.regions.low, shown.regions.high, held), shown.labels

    def __len__(self) -> int:
        return len(self.low)

    def distances_from(self, code: int) -> np.ndarray:
        """Return the distance of each item from a value, in parts: 0 if it contains the value, else the gap as a share
        of the column's range; always 1 for text, which has no distances."""
        if self.numbers is not None:
            missing = code == len(self.column.values)
            gap = np.where(np.isnan(self.numbers) == missing, 0.0, np.inf)
            if not missing:
                gap = np.where(np.isnan(self.numbers), np.inf, np.abs(self.numbers - float(self.column.values[code])))
            return _parts(gap, float(self.column.values[-1]) - float(self.column.values[0]))
        if self.column.kind == "text":
            inside = (self.low <= code) & (code <= self.high) if self.held is None else self.held[:, code]
            return np.where(inside, 0, PARTS)
        at = self.column.positions
        if self.held is None:
            gap = np.maximum(np.maximum(at[self.low] - at[code], at[code] - at[self.high]), 0.0)
        else:
            gap = np.where(self.held, np.abs(at - at[code]), np.inf).min(axis=1)
        return _parts(gap, at[-1] - at[0])

    def matching_codes(self, thing: int) -> np.ndarray:
        """Return which codes match an item; for a number, the nearest value of the column."""
        codes = np.arange(self.column.size)
        if self.numbers is not None:
            return codes == self.nearest[thing]
        return (self.low[thing] <= codes) & (codes <= self.high[thing]) if self.held is None else self.held[thing]

    @cached_property
    def nearest(self) -> np.ndarray:
        """The code of the value nearest to each number; one beyond the last code if missing."""
        assert self.numbers is not None
        values = self.column.values.astype(float)
        above = np.clip(np.searchsorted(values, self.numbers), 1, max(len(values) - 1, 1))
        below = np.abs(self.numbers - values[above - 1]) <= np.abs(
            values[np.minimum(above, len(values) - 1)] - self.numbers
        )
        return np.where(np.isnan(self.numbers), len(values), above - below)

    def with_codes(self) -> Axis:
        """Return the axis extended by each single code."""
        codes = np.arange(self.column.size)
        held = None if self.held is None else np.concatenate([self.held, np.eye(self.column.size, dtype=bool)])
        return Axis(self.column, np.append(self.low, codes), np.append(self.high, codes), held)


def _parts(gap: np.ndarray, width: float) -> np.ndarray:
    """Return distances in units of 1/PARTS of the column's range, at most the whole range."""
    return np.round(np.minimum(gap / width if width else np.sign(gap), 1.0) * PARTS).astype(np.int64)


NOBODY = -1
TOGETHER = 2**20  # pairs of a person and a region that are processed at once
ENDS = ("low", "high")
Chances = tuple[float, float]  # probabilities of success with a person's own record, and without it


class AttackResults(NamedTuple):
    """For each attacked person the probability of success, that of the control, and the ID of the group that is shown
    identically; if sharing a part is enough to fail together, one column for everything shown, and one per part.
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
    shows: np.ndarray  # rows x axes: the index of the item shown
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
        if not release.about.has_original:
            raise Undefined("the file alone does not contain what attackers know about people; pass its original")
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
        """The people sorted by their values in the table and the release."""
        table = self.table
        columns = [table.codes[name] for name in table.quasi] + [
            table.model_view.codes[name] for name in table.sensitive
        ]
        return np.lexsort([self.rows_of(self.people), *(codes[self.people] for codes in columns)])

    def nearest(self, person: int, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return how many records show each of the rows nearest to a person on some columns, in the release and in the
        control."""
        away = np.zeros(len(self.shows), np.int64)
        for i, (name, axis) in enumerate(self.axes.items()):
            if name in names:
                away += axis.distances_from(int(self.table.codes[name][person]))[self.shows[:, i]]
        counts, others = self.counts
        if self.own[person] != NOBODY:
            others = others.copy()
            others[self.world[self.own[person]]] -= 1
        return _nearest(away, counts), _nearest(away, others)

    def rows_of(self, people: np.ndarray) -> np.ndarray:
        """Return the rows of the control that show these people."""
        return self.world[self.own[people]]

    def groups_by(self, people: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return the IDs of the groups of people who are shown identically on some columns."""
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


def _nearest(away: np.ndarray, count: np.ndarray) -> np.ndarray:
    distances = np.where(count > 0, away, np.iinfo(np.int64).max)
    return np.where(distances == distances.min(), count, 0)


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
    """Return, for each row of codes, the `number` of the identical row in `some`, or NOBODY."""
    kind = distinct_rows(np.concatenate([some, codes]))[1]
    of_kind = np.full(kind.max() + 1, NOBODY)
    of_kind[kind[: len(some)]] = number
    return of_kind[kind[len(some) :]]


def measure_risk(what: str, tried: AttackResults, detail: Mapping[str, Any] | None = None) -> Measured:
    """Return the risk of an attack beyond chance from the results of the attacks and of their controls.

    `what` is a clause that states what succeeds.
    """
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
