"""Find a witness for one small count where random steps found none: change the count, then repair the other figures.

An exchange swaps the values of two people of one part (one ward, if wards are published separately) in one column, so
the counts of single columns and the labels of every publication stay the same. Or two people swap wards, so only the
publications of wards change. No step restores the count. Figures that differ are weighted by their exact difference,
because rounded figures give the search no direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.attacks.witness_walk import INCOMPARABLE, CountKey, PublishedTable, published_text, table_from_codes
from workbench.data.table import Table
from workbench.studies.study import Study

TOLERANCE, PATIENCE, TWICE = 0.4, 800, 0.2
MOVES = 150  # patience if people swap wards: a restart soon gets as close


class Repair:
    """Tables in which one count differs, with published figures ever closer to the first table's."""

    def __init__(
        self, studies: Sequence[Study], base: Table, study_index: int, key: CountKey, rng: np.random.Generator
    ) -> None:
        self.studies, self.base, self.rng, self.study_index, self.key = studies, base, rng, study_index, key
        self.first = [PublishedTable(study, base) for study in studies]
        self.count = self.first[study_index].count(key)
        self.before = [published_text(study, base) for study in studies]
        self.by = [next(iter(study.data.get("only", {})), "") for study in studies]  # the column that selects the part
        self._restart()

    def _restart(self) -> None:
        self.now, self.started, self.steps_in_vain, self.nearest = self.base, False, 0, dict[str, float]()
        self.distances = np.zeros(len(self.by))  # distance of each publication from the first; nan: not computed yet

    def witness(self, tries: int) -> Table | None:
        """Return a table with identical publications in which the count differs; None if none was found."""
        for _ in range(tries):
            if self.steps_in_vain >= (MOVES if any(self.by) else PATIENCE):
                self._restart()
            self._step()
            if self.started and (self.distances == 0).all():
                return self.now
        return None

    def _step(self) -> None:
        column = self._choose_column()
        other, touched = self._swap_wards(column) if column else self._exchange_values()
        if other is None or PublishedTable(self.studies[self.study_index], other).count(self.key) == self.count:
            return
        affected = np.array([by == column for by in self.by])
        distances = np.where(touched, np.nan, self.distances)
        distances[touched & affected] = [self._distance(i, other) for i in np.flatnonzero(touched & affected)]
        self.steps_in_vain += 1
        now, before = distances[affected].sum(), self.distances[affected].sum()
        # below INCOMPARABLE, labels and totals are unchanged
        if now < INCOMPARABLE and (not self.started or now - before <= self.rng.exponential(TOLERANCE)):
            self.now, self.distances, self.started = other, distances, True
        if now < self.nearest.get(column, INCOMPARABLE):
            self.nearest[column], self.steps_in_vain = now, 0

    def _choose_column(self) -> str:
        """Return the column by which people swap parts; empty if they exchange values.

        A count in a ward changes if people swap wards, which leaves the publications of the whole and of all wings
        unchanged. The publication of the whole is repaired first, then those by each column.
        """
        is_whole = np.array([not by for by in self.by])
        if self.by[self.study_index] or not self.started or self.distances[is_whole].any():
            return self.by[self.study_index]
        for i in np.flatnonzero(np.isnan(self.distances)):
            self.distances[i] = self._distance(i, self.now)
        off = [by for by, distance in zip(self.by, self.distances, strict=True) if distance]
        return str(self.rng.choice(off)) if off else ""

    def _distance(self, i: int, other: Table) -> float:
        """Return the distance of another table's publication from the first table's: 0 if they are identical."""
        distance = self.first[i].distance(PublishedTable(self.studies[i], other))
        return distance if distance or published_text(self.studies[i], other) == self.before[i] else 1.0

    def _swap_wards(self, column: str) -> tuple[Table | None, np.ndarray]:
        """Return a table in which two people have swapped parts, and which publications this may change."""
        codes = {name: one.copy() for name, one in self.now.codes.items()}
        a = int(self.rng.integers(self.now.records))
        known = [codes[name] != codes[name][a] for name in (*self.studies[0].quasi, *self.studies[0].sensitive)]
        # a similar pair changes little else
        difference = np.sum(known, axis=0) + self.rng.exponential(TOLERANCE, self.now.records)
        b = int(np.where((codes[column] != codes[column][a]) & np.any(known, axis=0), difference, np.inf).argmin())
        codes[column][a], codes[column][b] = codes[column][b], codes[column][a]
        return table_from_codes(self.base, codes), np.array([name == column for name in self.by])

    def _exchange_values(self) -> tuple[Table | None, np.ndarray]:
        """Return a table in which two people of a part have exchanged a value, and which publications cover them."""
        rng, inside = self.rng, np.stack([_records_in(study, self.now) for study in self.studies])
        parts, touched = np.unique(inside, axis=1, return_inverse=True)[1].ravel(), np.zeros(len(self.by), bool)
        codes = {name: own.copy() for name, own in self.now.codes.items()}
        names = [*self.studies[0].quasi, *(list(self.studies[0].sensitive) or self.studies[0].quasi) * 2]
        for _ in range(2 if rng.random() < TWICE else 1):
            own = codes[str(rng.choice(names))]
            a, b = self._choose_pair(own, parts)
            if b is not None:
                own[a], own[b] = own[b], own[a]
                touched |= inside[:, a]
        return (table_from_codes(self.base, codes) if touched.any() else None), touched

    def _choose_pair(self, own: np.ndarray, parts: np.ndarray) -> tuple[int, int | None]:
        """Return a random record, and one of the same part with another value."""
        a = int(self.rng.integers(len(own)))
        others = np.flatnonzero((own != own[a]) & (parts == parts[a]))
        return a, int(self.rng.choice(others)) if len(others) else None


def _records_in(study: Study, base: Table) -> np.ndarray:
    """Return which records of the table a study covers."""
    found = np.ones(base.records, bool)
    for name, label in study.data.get("only", {}).items():
        found &= base.codes[name] == base.columns[name].labels.index(label)
    return found
