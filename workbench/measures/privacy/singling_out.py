"""Singling out: how often what a release says of a person fits nobody else in the original, beyond chance.

The first criterion of the Article 29 Working Party's opinion 05/2014. A record's predicate is what it shows of every
quasi-identifier; it singles out where exactly one person of the original fits (a noisy number is read as the nearest
value there). A predicate about a person who is not in the original may fit exactly one of the others, by chance: that
is the control.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.measures import Measure, Measured
from workbench.measures.privacy.attacked import Attacked, Tried, attacks, measured, tell
from workbench.releases.base import Release


@dataclass(frozen=True)
class SinglingOut(Measure):
    attacks: int = attacks()
    name = "singling out"
    symbol = "R_single"
    side = "privacy"
    unit = "risk beyond chance"

    def measure(self, release: Release) -> Measured:
        return measured(
            "What the release says of a person fits exactly one person of the original", self.tried(release)
        )

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        return tell(self, release, smallest)

    def tried(self, release: Release, seed: int = 0) -> Tried:
        """Whether the predicate of each record that is drawn fits one person, and one other person."""
        seen = Attacked.by(release)
        people = seen.drawn(self.attacks, seed)
        own = seen.rows_of(people)
        rows = own
        if seen.of_person is None:  # the records of the file are other people's, as far as anybody knows
            rows = np.random.default_rng([seed, 1]).choice(seen.row, len(people), replace=len(people) > len(seen.row))
        cell, weight = seen.table.cell_of_record()[people], seen.table.cells().weight
        fits = {row: seen.fitting(row) for row in np.union1d(own, rows).tolist()}
        people_of = {row: int(weight[held].sum()) for row, held in fits.items()}
        found = np.array([people_of[row] for row in rows.tolist()])
        others = np.array([people_of[row] - int(fits[row][c]) for row, c in zip(own.tolist(), cell, strict=True)])
        return Tried(found == 1, others == 1, own)
