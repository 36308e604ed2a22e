"""The three criteria of the Article 29 Working Party's opinion 05/2014, each as the risk of an attack beyond chance.

Singling out: the predicate of a record is what it shows of all quasi-identifiers; it singles out if exactly one person
of the original fits (a noisy number is read as the nearest value). A predicate about a person who is not in the
original may fit exactly one of the others by chance: that is the control.

Linkability: an attacker knows every second quasi-identifier of a person from one source and the others from another
source, picks one of the records nearest to each half, and links the two if they are the same record.

Attribute inference: an attacker who knows a person's quasi-identifiers guesses the commonest value of the nearest
records; in a bucket, of all records of the bucket. The control guesses the commonest value of the whole table, which
needs no release, where that succeeds more often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.parameters import parameter
from workbench.data.cells import cell_of_record
from workbench.measures import Measure, Measured, require_sensitive, worst_column
from workbench.measures.privacy.attacked_release import (
    NOBODY,
    AttackedRelease,
    AttackResults,
    Axis,
    Chances,
    measure_risk,
)
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import Release
from workbench.releases.shown import Shown

NEARLY = 1 - 1e-9  # tolerance for ties with the commonest value


@dataclass(frozen=True)
class Attack(Measure):
    """The risk of an attack beyond chance."""

    attacks: int = parameter(1000, "number of people to attack, chosen at random; everybody if there are fewer", low=1)
    side = "privacy"
    unit = "risk beyond chance"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        """Round the risk to the change that twice the threshold of people could cause. Only people on whom the control
        fails count."""
        found = self.measure(release)
        failing = found.detail["failing"]
        if failing < 4 * smallest:
            return None, f"{self.name[:1].upper()}{self.name[1:]}: not published, since too few people count in it."
        crowd = failing / smallest if smallest > 1 else math.inf
        return min(round_average(found.value, 2 * smallest / failing, self.better, crowd), 1.0), self.description


@dataclass(frozen=True)
class SinglingOut(Attack):
    name = "singling out"
    title = "Singling out"
    summary = "how often what a release shows of a person fits nobody else in the original, beyond chance"
    symbol = "R_single"

    def measure(self, release: Release) -> Measured:
        return measure_risk(
            "What the release shows of a person fits exactly one person of the original", self.attack_results(release)
        )

    def attack_results(self, release: Release, seed: int = 0) -> AttackResults:
        """Return whether the predicate of each sampled record fits one person, and one other person."""
        seen = AttackedRelease.from_release(release)
        people = seen.sample_people(self.attacks, seed)
        own = seen.rows_of(people)
        rows = own
        if seen.of_person is None:  # it is unknown whose records the file has
            rows = np.random.default_rng([seed, 1]).choice(seen.row, len(people), replace=len(people) > len(seen.row))
        cell, weight = cell_of_record(seen.table)[people], seen.table.cells().weight
        fits = {row: seen.matching_cells(row) for row in np.union1d(own, rows).tolist()}
        people_of = {row: int(weight[held].sum()) for row, held in fits.items()}
        found = np.array([people_of[row] for row in rows.tolist()])
        others = np.array([people_of[row] - int(fits[row][c]) for row, c in zip(own.tolist(), cell, strict=True)])
        return AttackResults(found == 1, others == 1, own)


@dataclass(frozen=True)
class Linkability(Attack):
    name = "linkability"
    title = "Linkability"
    summary = (
        "how often two halves of an attacker's knowledge about a person lead to the same released record, beyond chance"
    )
    symbol = "R_link"

    def measure(self, release: Release) -> Measured:
        return measure_risk(
            "Two halves of an attacker's knowledge about a person lead to the same record", self.attack_results(release)
        )

    def attack_results(self, release: Release, seed: int = 0) -> AttackResults:
        """Return the probability that both halves of each person lead to one record, with and without their own."""
        quasi = release.table.quasi
        if len(quasi) < 2:
            raise Undefined("linkability needs at least two quasi-identifiers, and the table has one")
        seen, halves = AttackedRelease.from_release(release), (quasi[::2], quasi[1::2])

        def attack(person: int) -> Chances:
            (one, of_others), (other, other_of_others) = (seen.nearest(person, half) for half in halves)
            return _same(one, other), _same(of_others, other_of_others)

        people = seen.sample_people(self.attacks, seed)
        found = seen.attack_each(people, attack)
        return found._replace(alike=np.stack([found.alike, *(seen.groups_by(people, half) for half in halves)], axis=1))


def _same(one: np.ndarray, other: np.ndarray) -> float:
    """Return the probability that two records, one from each set, are the same."""
    drawn = float(one.sum()) * float(other.sum())
    return float(one[other > 0].sum()) / drawn if drawn else 0.0


@dataclass(frozen=True)
class AttributeInference(Attack):
    name = "attribute inference"
    title = "Attribute inference"
    summary = "how often a sensitive value is guessed from a release, beyond what other people's records show"
    symbol = "R_infer"
    needs_sensitive = True

    def measure(self, release: Release) -> Measured:
        return worst_column({name: self._one(release, name) for name in require_sensitive(release)})

    def _one(self, release: Release, name: str) -> Measured:
        what = f"The {name} of a person with known quasi-identifiers is guessed"
        return measure_risk(what, self.attack_results(release, name), {"sensitive": name})

    def attack_results(self, release: Release, name: str, seed: int = 0) -> AttackResults:
        """Return the probability of guessing each person's value, with and without their own record."""
        seen, prior = AttackedRelease.from_release(release), release.table.sensitive[name].prior
        people, true = seen.sample_people(self.attacks, seed), release.table.model_view.codes[name]
        naive = chance_of_guess(prior, prior)[true[people]]
        if name in release.unpublished_columns:
            return AttackResults(naive, naive, seen.rows_of(people))
        from_it, from_others = NeighbourGuesses.from_release(release, seen, name)

        def attack(person: int) -> Chances:
            counts, others = seen.nearest(person, seen.quasi)
            own, value = int(seen.own[person]), int(true[person])
            return from_it.chance(counts, value, prior), from_others.chance(others, value, prior, own)

        found = seen.attack_each(people, attack)
        return found._replace(control=naive) if naive.mean() > found.control.mean() else found


@dataclass(frozen=True, eq=False, repr=False)
class NeighbourGuesses:
    """Records by the row they show, with sensitive values that are published per bag of records."""

    row: np.ndarray
    bag: np.ndarray
    value: np.ndarray
    values: int
    dealt: bool = False  # the values of a bag were assigned to its records at random

    @classmethod
    def from_release(
        cls, release: Release, seen: AttackedRelease, name: str
    ) -> tuple[NeighbourGuesses, NeighbourGuesses]:
        """Return the guesses from a release, and from the control."""
        table, values = release.table, len(release.table.sensitive[name])
        true = table.model_view.codes[name]
        if seen.of_person is None:
            file = cls(seen.row, seen.row, _values(release, release.shown(name), name), values)
            return file, cls(seen.world, seen.world, true, values)
        if _bucketized(release):  # the values of a bucket, however they were assigned
            bag = release.group_of_record[seen.of_person]
            held = true[seen.of_person] if release.about.is_truthful else _values(release, release.shown(name), name)
            found = cls(seen.row, bag, held, values, not release.about.is_truthful)
        else:
            found = cls(seen.row, seen.row, _values(release, release.shown(name), name), values)
        return found, found

    @cached_property
    def _by_row(self) -> tuple[np.ndarray, np.ndarray]:
        return _grouped(self.row)

    @cached_property
    def _by_bag(self) -> tuple[np.ndarray, np.ndarray]:
        return self._by_row if self.bag is self.row else _grouped(self.bag)

    def chance(self, rows: np.ndarray, true: int, prior: np.ndarray, without: int = NOBODY) -> float:
        """Return the probability that a value is guessed from some rows, optionally without one record.

        If values were assigned at random, the removed record has each value of its bag with equal probability: the
        result is the mean over these, and does not depend on the order of the records.
        """
        if not self.dealt or without == NOBODY:
            return float(chance_of_guess(self.beliefs(rows, without), prior)[true])
        held = _members(self._by_bag, self.bag[[without]])
        _, first, count = np.unique(self.value[held], return_index=True, return_counts=True)
        chances = [chance_of_guess(self.beliefs(rows, without, taken), prior)[true] for taken in held[first].tolist()]
        return float(np.average(chances, weights=count))

    def beliefs(self, rows: np.ndarray, without: int = NOBODY, taken: int | None = None) -> np.ndarray:
        """Return the expected number of records of some rows with each value, optionally without one record, which
        removes its own value or that of another record of its bag."""
        taken = without if taken is None else taken
        found = _members(self._by_row, np.flatnonzero(rows))
        beliefs = np.zeros(self.values)
        bags, drawn = np.unique(self.bag[found[found != without]], return_counts=True)
        for bag, count in zip(bags.tolist(), drawn.tolist(), strict=True):
            held = _members(self._by_bag, np.array([bag]))
            held = held[held != taken]
            beliefs += np.bincount(self.value[held], minlength=self.values) * (count / len(held))
        return beliefs


def chance_of_guess(beliefs: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the probability that each value is guessed: ties share it; without counts, the prior's."""
    beliefs = beliefs if beliefs.any() else prior
    best = beliefs >= beliefs.max() * NEARLY
    return best / best.sum()


def _bucketized(release: Release) -> bool:
    try:
        return release.classes.exact
    except Undefined:
        return False


def _values(release: Release, shown: Shown, name: str) -> np.ndarray:
    """Return the sensitive value of each record at the model level; for a number, the nearest."""
    column, level = release.table.columns[name], release.table.levels.get(name, 0)
    if shown.numbers is None:
        return shown.labels
    axis, number = Axis.from_shown(shown)
    code = np.minimum(axis.nearest, column.size - 1)[number]
    return column.node(level - 1)[code] if level else code


def _grouped(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions sorted by group, and the start of each group."""
    order = np.argsort(number, kind="stable")
    return order, np.append(0, np.cumsum(np.bincount(number)))


def _members(groups: tuple[np.ndarray, np.ndarray], chosen: np.ndarray) -> np.ndarray:
    order, begin = groups
    parts = [order[begin[one] : begin[one + 1]] for one in chosen.tolist()]
    return np.concatenate(parts) if parts else order[:0]
