"""Linkability.

The second criterion of the Article 29 Working Party's opinion 05/2014. An attacker knows every second quasi-identifier
of a person from one source and the others from another source, picks one of the records nearest to each half, and links
the two if they are the same record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.measures import Measure, Measured
from workbench.measures.privacy.attacked_release import (
    AttackedRelease,
    AttackResults,
    Chances,
    attacks_parameter,
    measure_risk,
    publish_risk,
)
from workbench.releases.base import Release


@dataclass(frozen=True)
class Linkability(Measure):
    attacks: int = attacks_parameter()
    name = "linkability"
    title = "Linkability"
    summary = (
        "how often two halves of an attacker's knowledge about a person lead to the same released record, beyond chance"
    )
    symbol = "R_link"
    side = "privacy"
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return measure_risk(
            "Two halves of an attacker's knowledge about a person lead to the same record", self.attack_results(release)
        )

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return publish_risk(self, release, smallest)

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
