"""A witness for one small count, where steps at random found none: first the count is changed, then what is told
otherwise is mended by exchanges.

An exchange gives two people of one part (of one ward, where wards are published by themselves) each other's value of
one column. So every publication keeps all that it counts of single columns, and the labels that it has. No step gives
the count back. Figures that are told otherwise count more the farther they are: only rounded, they show no way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.attacks.everything import Seen, What, everything, table_of
from workbench.data.table import Table
from workbench.studies.study import Study

LUCK, PATIENCE, TWICE = 0.4, 800, 0.2

Found = list[tuple[Seen, float]]  # each publication, and how far it is from the first


class Mending:
    """Tables in which one count is another, ever nearer to what is published of the first."""

    def __init__(self, studies: Sequence[Study], base: Table, among: int, what: What, rng: np.random.Generator) -> None:
        self.studies, self.base, self.rng, self.among, self.what = studies, base, rng, among, what
        self.first = [Seen(study, base) for study in studies]
        self.count = self.first[among].count(what)
        self.parts = _parts(studies, base)
        self.now, self.found, self.far, self.nearest, self.vain = base, list[tuple[Seen, float]](), 0.0, 0.0, 0

    def witness(self, tries: int) -> Table | None:
        """Another table that is published alike, in which the count is another; None if none was found."""
        for _ in range(tries):
            if self.vain >= PATIENCE:
                self.now, self.found, self.vain = self.base, [], 0
            self._step()
            if self.found and not self.far and self._alike():
                return self.now
        return None

    def _step(self) -> None:
        other, touched = self._exchanged()
        if other is None or Seen(self.studies[self.among], other).count(self.what) == self.count:
            return
        found = self._seen(other, touched)
        far, self.vain = sum(one for _, one in found), self.vain + 1
        if not self.found:
            self.nearest = far
        if not self.found or far - self.far <= self.rng.exponential(LUCK):
            self.now, self.found, self.far = other, found, far
        if far < self.nearest:
            self.nearest, self.vain = far, 0

    def _exchanged(self) -> tuple[Table | None, set[int]]:
        """Another table, and the parts in which it is another."""
        rng, touched = self.rng, set[int]()
        codes = {name: own.copy() for name, own in self.now.codes.items()}
        names = [*self.studies[0].quasi, *(list(self.studies[0].sensitive) or self.studies[0].quasi) * 2]
        for _ in range(2 if rng.random() < TWICE else 1):
            own, a = codes[str(rng.choice(names))], int(rng.integers(self.now.records))
            others = np.flatnonzero((own != own[a]) & (self.parts == self.parts[a]))
            if len(others):
                b = int(rng.choice(others))
                own[a], own[b] = own[b], own[a]
                touched.add(int(self.parts[a]))
        return (table_of(self.base, codes) if touched else None), touched

    def _seen(self, other: Table, touched: set[int]) -> Found:
        """The publications of another table; of parts in which it is the same those there are."""
        people, found = np.isin(self.parts, list(touched)), []
        for i, (study, first) in enumerate(zip(self.studies, self.first, strict=True)):
            if self.found and not (people & _among(study, self.base)).any():
                found.append(self.found[i])
            else:
                seen = Seen(study, other)
                found.append((seen, first.far(seen)))
        return found

    def _alike(self) -> bool:
        """Whether all that is published is the same to the last byte; if not, the search begins again."""
        alike = all(everything(study, self.base) == everything(study, self.now) for study in self.studies)
        self.vain = 0 if alike else PATIENCE
        return alike


def _among(study: Study, base: Table) -> np.ndarray:
    """Who is in a study of one table."""
    found = np.ones(base.records, bool)
    for name, label in study.data.get("only", {}).items():
        found &= base.codes[name] == base.columns[name].labels.index(label)
    return found


def _parts(studies: Sequence[Study], base: Table) -> np.ndarray:
    """Number of the part of each record: those of one part are in the same studies."""
    inside = np.stack([_among(study, base) for study in studies], axis=1)
    return np.unique(inside, axis=0, return_inverse=True)[1].ravel()
