"""Attribute inference.

The third criterion of the Article 29 Working Party's opinion 05/2014. An attacker who knows a person's
quasi-identifiers guesses the commonest value of the nearest records; in a bucket, of all records of the bucket. The
control guesses the commonest value of the whole table, which needs no release, where that succeeds more often.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.measures import Measure, Measured, require_sensitive, worst_column
from workbench.measures.privacy.attacked_release import (
    AttackedRelease,
    AttackResults,
    Chances,
    attacks_parameter,
    measure_risk,
    publish_risk,
)
from workbench.measures.privacy.neighbour_guesses import NeighbourGuesses, chance_of_guess
from workbench.releases.base import Release


@dataclass(frozen=True)
class AttributeInference(Measure):
    attacks: int = attacks_parameter()
    name = "attribute inference"
    title = "Attribute inference"
    summary = "how often a sensitive value is guessed from a release, beyond what other people's records show"
    symbol = "R_infer"
    side = "privacy"
    needs_sensitive = True
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return worst_column({name: self._one(release, name) for name in require_sensitive(release)})

    def _one(self, release: Release, name: str) -> Measured:
        what = f"The {name} of a person with known quasi-identifiers is guessed"
        return measure_risk(what, self.attack_results(release, name), {"sensitive": name})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return publish_risk(self, release, smallest)

    def attack_results(self, release: Release, name: str, seed: int = 0) -> AttackResults:
        """Return the probability of guessing each person's value, with and without their own record."""
        seen, prior = AttackedRelease.from_release(release), release.table.sensitive[name].prior
        people, true = seen.sample_people(self.attacks, seed), release.table.sensitive_codes(name)
        naive = chance_of_guess(prior, prior)[true[people]]
        if name in release.unpublished_columns:
            return AttackResults(naive, naive, seen.rows_of(people))
        from_it, from_others = NeighbourGuesses.from_release(release, seen, name)

        def attack(person: int) -> Chances:
            there, others = seen.nearest(person, seen.quasi)
            own, value = int(seen.own[person]), int(true[person])
            return from_it.chance(there, value, prior), from_others.chance(others, value, prior, own)

        found = seen.attack_each(people, attack)
        return found._replace(control=naive) if naive.mean() > found.control.mean() else found
