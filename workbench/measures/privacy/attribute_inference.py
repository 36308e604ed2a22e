"""Attribute inference: how often a sensitive value is guessed from a release, beyond what other people's tell.

The third criterion of the Article 29 Working Party's opinion 05/2014. Who knows a person's quasi-identifiers guesses
the commonest value of the records that are nearest; in a bucket, of all records of the bucket. The control guesses
the commonest value of the whole table (Q), which needs no release, where that succeeds more often.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.measures import Measure, Measured, sensitive_of, worst
from workbench.measures.privacy.attacked import Attacked, Chances, Tried, attacks, measured, tell
from workbench.measures.privacy.guesses import Guesses, chance_of_guess
from workbench.releases.base import Release


@dataclass(frozen=True)
class AttributeInference(Measure):
    attacks: int = attacks()
    name = "attribute inference"
    symbol = "R_infer"
    side = "privacy"
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return worst({name: self._one(release, name) for name in sensitive_of(release)})

    def _one(self, release: Release, name: str) -> Measured:
        what = f"The {name} of a person whose quasi-identifiers are known is guessed"
        return measured(what, self.tried(release, name), {"sensitive": name})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return tell(self, release, smallest)

    def tried(self, release: Release, name: str, seed: int = 0) -> Tried:
        """How likely the value of each person is guessed, and without the own record."""
        seen, prior = Attacked.by(release), release.table.sensitive[name].prior
        people, true = seen.drawn(self.attacks, seed), release.table.sensitive_codes(name)
        naive = chance_of_guess(prior, prior)[true[people]]
        if name in release.removed:
            return Tried(naive, naive, seen.rows_of(people))
        from_it, from_others = Guesses.of(release, seen, name)

        def attack(person: int) -> Chances:
            there, others = seen.nearest(person, seen.quasi)
            own = int(seen.own[person])
            told, told_by_others = from_it.beliefs(there), from_others.beliefs(others, own)
            return chance_of_guess(told, prior)[true[person]], chance_of_guess(told_by_others, prior)[true[person]]

        found = seen.each(people, attack)
        return found._replace(control=naive) if naive.mean() > found.control.mean() else found
