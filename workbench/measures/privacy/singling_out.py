"""Singling out.

The first criterion of the Article 29 Working Party's opinion 05/2014. The predicate of a record is what it shows of all
quasi-identifiers; it singles out if exactly one person of the original fits (a noisy number is read as the nearest
value). A predicate about a person who is not in the original may fit exactly one of the others by chance: that is the
control.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.measures import Measure, Measured
from workbench.measures.privacy.attacked_release import (
    AttackedRelease,
    AttackResults,
    attacks_parameter,
    measure_risk,
    publish_risk,
)
from workbench.releases.base import Release


@dataclass(frozen=True)
class SinglingOut(Measure):
    attacks: int = attacks_parameter()
    name = "singling out"
    title = "Singling out"
    summary = "how often what a release shows of a person fits nobody else in the original, beyond chance"
    symbol = "R_single"
    side = "privacy"
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return measure_risk(
            "What the release shows of a person fits exactly one person of the original", self.attack_results(release)
        )

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return publish_risk(self, release, smallest)

    def attack_results(self, release: Release, seed: int = 0) -> AttackResults:
        """Return whether the predicate of each sampled record fits one person, and one other person."""
        seen = AttackedRelease.from_release(release)
        people = seen.sample_people(self.attacks, seed)
        own = seen.rows_of(people)
        rows = own
        if seen.of_person is None:  # it is unknown whose records the file has
            rows = np.random.default_rng([seed, 1]).choice(seen.row, len(people), replace=len(people) > len(seen.row))
        cell, weight = seen.table.cell_of_record()[people], seen.table.cells().weight
        fits = {row: seen.matching_cells(row) for row in np.union1d(own, rows).tolist()}
        people_of = {row: int(weight[held].sum()) for row, held in fits.items()}
        found = np.array([people_of[row] for row in rows.tolist()])
        others = np.array([people_of[row] - int(fits[row][c]) for row, c in zip(own.tolist(), cell, strict=True)])
        return AttackResults(found == 1, others == 1, own)
