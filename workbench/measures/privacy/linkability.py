"""Linkability: how often two halves of what is known of a person lead to the same released record, beyond chance.

The second criterion of the Article 29 Working Party's opinion 05/2014. Somebody has every second quasi-identifier of a
person from one source and the others from another, draws one of the records that are nearest to each half, and links
the two where it is the same record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.measures import Measure, Measured
from workbench.measures.privacy.attacked import Attacked, Chances, Tried, attacks, measured, tell
from workbench.releases.base import Release


@dataclass(frozen=True)
class Linkability(Measure):
    attacks: int = attacks()
    name = "linkability"
    symbol = "R_link"
    side = "privacy"
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return measured("Two halves of what is known of a person lead to the same record", self.tried(release))

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return tell(self, release, smallest)

    def tried(self, release: Release, seed: int = 0) -> Tried:
        """How likely both halves of each person lead to one record, and without the own."""
        quasi = release.table.quasi
        if len(quasi) < 2:
            raise Undefined("there is one quasi-identifier; what is known of a person has two halves from two on")
        seen, halves = Attacked.by(release), (quasi[::2], quasi[1::2])

        def attack(person: int) -> Chances:
            (one, of_others), (other, other_of_others) = (seen.nearest(person, half) for half in halves)
            return _same(one, other), _same(of_others, other_of_others)

        people = seen.drawn(self.attacks, seed)
        found = seen.each(people, attack)
        return found._replace(alike=np.stack([found.alike, *(seen.part_of(people, half) for half in halves)], axis=1))


def _same(one: np.ndarray, other: np.ndarray) -> float:
    """How likely a record drawn here and one drawn there are the same."""
    drawn = float(one.sum()) * float(other.sum())
    return float(one[other > 0].sum()) / drawn if drawn else 0.0
