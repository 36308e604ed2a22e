"""A witness for one small count, where steps at random found none: first the count is changed, then what is told
otherwise is mended by exchanges.

An exchange gives two people of one part (of one ward, where wards are published by themselves) each other's value of
one column. So every publication keeps all that it counts of single columns, and the labels that it has. Or two people
change places, each in the other's ward: then only what is published by ward is another. No step gives the count back.
Figures that are told otherwise count more the farther they are: only rounded, they show no way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.attacks.everything import MANY, Seen, What, everything, table_of
from workbench.data.table import Table
from workbench.studies.study import Study

LUCK, PATIENCE, TWICE = 0.4, 800, 0.2
MOVES = 150  # in vain, where people change places: another beginning is soon as near


class Mending:
    """Tables in which one count is another, ever nearer to what is published of the first."""

    def __init__(self, studies: Sequence[Study], base: Table, among: int, what: What, rng: np.random.Generator) -> None:
        self.studies, self.base, self.rng, self.among, self.what = studies, base, rng, among, what
        self.first = [Seen(study, base) for study in studies]
        self.count = self.first[among].count(what)
        self.before = [everything(study, base) for study in studies]
        self.by = [next(iter(study.data.get("only", {})), "") for study in studies]  # the column whose part it is of
        self._begin()

    def _begin(self) -> None:
        self.now, self.begun, self.vain, self.nearest = self.base, False, 0, dict[str, float]()
        self.far = np.zeros(len(self.by))  # how far each publication is from the first; nan: nobody has looked yet

    def witness(self, tries: int) -> Table | None:
        """Another table that is published alike, in which the count is another; None if none was found."""
        for _ in range(tries):
            if self.vain >= (MOVES if any(self.by) else PATIENCE):
                self._begin()
            self._step()
            if self.begun and (self.far == 0).all():
                return self.now
        return None

    def _step(self) -> None:
        column = self._aim()
        other, touched = self._moved(column) if column else self._exchanged()
        if other is None or Seen(self.studies[self.among], other).count(self.what) == self.count:
            return
        mended = np.array([by == column for by in self.by])
        far = np.where(touched, np.nan, self.far)
        far[touched & mended] = [self._told(i, other) for i in np.flatnonzero(touched & mended)]
        self.vain += 1
        now, before = far[mended].sum(), self.far[mended].sum()
        if now < MANY and (not self.begun or now - before <= self.rng.exponential(LUCK)):  # nobody took a value along
            self.now, self.far, self.begun = other, far, True
        if now < self.nearest.get(column, MANY):
            self.nearest[column], self.vain = now, 0

    def _aim(self) -> str:
        """Whether people exchange values, or change places, and by which column.

        What is counted in a ward is changed by changing places: then the same is told of everybody and of all wings.
        What is told of everybody is mended first, and then each column by itself.
        """
        everybody = np.array([not by for by in self.by])
        if self.by[self.among] or not self.begun or self.far[everybody].any():
            return self.by[self.among]
        for i in np.flatnonzero(np.isnan(self.far)):
            self.far[i] = self._told(i, self.now)
        off = [by for by, far in zip(self.by, self.far, strict=True) if far]
        return str(self.rng.choice(off)) if off else ""

    def _told(self, i: int, other: Table) -> float:
        """How far a publication of another table is from that of the first: 0 if it is the same to the last byte."""
        far = self.first[i].far(Seen(self.studies[i], other))
        return far if far or everything(self.studies[i], other) == self.before[i] else 1.0

    def _moved(self, column: str) -> tuple[Table | None, np.ndarray]:
        """Another table, in which two people have changed places, and the publications that may be others then."""
        codes = {name: one.copy() for name, one in self.now.codes.items()}
        a = int(self.rng.integers(self.now.records))
        known = [codes[name] != codes[name][a] for name in (*self.studies[0].quasi, *self.studies[0].sensitive)]
        unlike = np.sum(known, axis=0) + self.rng.exponential(LUCK, self.now.records)  # such a pair changes little else
        b = int(np.where((codes[column] != codes[column][a]) & np.any(known, axis=0), unlike, np.inf).argmin())
        codes[column][a], codes[column][b] = codes[column][b], codes[column][a]
        return table_of(self.base, codes), np.array([name == column for name in self.by])

    def _exchanged(self) -> tuple[Table | None, np.ndarray]:
        """Another table, in which two people of a part have each other's value, and the publications of both."""
        rng, inside = self.rng, np.stack([_among(study, self.now) for study in self.studies])
        parts, touched = np.unique(inside, axis=1, return_inverse=True)[1].ravel(), np.zeros(len(self.by), bool)
        codes = {name: own.copy() for name, own in self.now.codes.items()}
        names = [*self.studies[0].quasi, *(list(self.studies[0].sensitive) or self.studies[0].quasi) * 2]
        for _ in range(2 if rng.random() < TWICE else 1):
            own = codes[str(rng.choice(names))]
            a, b = self._two(own, parts)
            if b is not None:
                own[a], own[b] = own[b], own[a]
                touched |= inside[:, a]
        return (table_of(self.base, codes) if touched.any() else None), touched

    def _two(self, own: np.ndarray, parts: np.ndarray) -> tuple[int, int | None]:
        """Somebody, and somebody of the same part who has another value."""
        a = int(self.rng.integers(len(own)))
        others = np.flatnonzero((own != own[a]) & (parts == parts[a]))
        return a, int(self.rng.choice(others)) if len(others) else None


def _among(study: Study, base: Table) -> np.ndarray:
    """Who is in a study of one table."""
    found = np.ones(base.records, bool)
    for name, label in study.data.get("only", {}).items():
        found &= base.codes[name] == base.columns[name].labels.index(label)
    return found
