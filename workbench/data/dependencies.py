"""What quasi-identifiers tell about each other: a zip its state, an employer partly so.

Goodman & Kruskal, Measures of Association for Cross Classifications (1954): lambda is the share of wrong guesses of one
column that knowing another saves. Each record is guessed from the others here, since a value that only one record has
would be right about that record whatever it says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from workbench.base import progress as underway
from workbench.base.errors import TooMany
from workbench.base.figures import about_per_cent
from workbench.data.cells import Cells
from workbench.data.table import Table

NEARLY, PARTLY = 0.8, 0.2  # strengths from which words say so
SEEN = 0.1  # the least share of the records that are not alone: of fewer nothing is said
COLUMNS = [
    "determining", "verdict", "determined", "share", "commonest", "strength", "settled", "exceptions", "alone",
]  # fmt: skip
UNSEEN = "What the quasi-identifiers tell about each other is not looked at: their combinations do not fit into memory."
DENSE = 1 << 22  # combinations of values that are counted without sorting


@dataclass(frozen=True)
class Dependency:
    """How well one column is guessed from another: as the commonest value among the other records that agree on it."""

    determining: str
    determined: str
    records: int
    alone: int  # records whose value of the determining column nobody else has: nothing is seen of them
    exceptions: int  # records without the commonest value of their group
    settled: float  # of the values of the determining column that several records have, those that go with one value
    share: float  # guessed right, of the records that are not alone; nan where all are
    commonest: float  # guessed right if the determining column is not known

    @property
    def strength(self) -> float:
        """The share of wrong guesses that it saves. 0: it tells nothing, or too few records share a value; 1: all."""
        if not self.seen or self.commonest == 1:
            return 0.0
        return max(0.0, (self.share - self.commonest) / (1 - self.commonest))

    @property
    def seen(self) -> bool:
        """Whether enough records share their value of the determining column to say what it tells."""
        return self.records - self.alone >= SEEN * self.records

    @property
    def verdict(self) -> str:
        """In a word."""
        if not self.exceptions and self.strength:
            return "determines"
        if self.strength >= NEARLY:
            return "nearly determines"
        return "partly determines" if self.strength >= PARTLY else "says little about"

    @property
    def gives_away(self) -> bool:
        """Whether who knows the one column as good as knows the other."""
        return self.verdict in ("determines", "nearly determines")

    @property
    def words(self) -> str:
        """zip nearly determines state: 92 %"""
        told = f"{self.determining} {self.verdict} {self.determined}"
        return told if self.verdict == "determines" or not self.seen else f"{told}: {self.per_cent}"

    @property
    def per_cent(self) -> str:
        """The share, in whole per cent."""
        return about_per_cent(self.share) if self.seen else ""

    @property
    def sentence(self) -> str:
        """The figures behind the words."""
        a, b = self.determining, self.determined
        if not self.seen:
            return f"Nearly every record has a value of {a} of its own: too few to see what {a} tells about {b}."
        told = (
            f"Guessed as the commonest among the other records with the same {a}, {b} is right for {self.per_cent} of "
            f"the records; as the commonest of all, for {about_per_cent(self.commonest)}. {self._excepted}."
        )
        if self.settled > self.share:
            told += (
                f" Of the values of {a} that several records have, {about_per_cent(self.settled)} have one {b} each."
            )
        return told

    @property
    def _excepted(self) -> str:
        found = f"{_records(self.exceptions)} {'an exception' if self.exceptions == 1 else 'exceptions'}"
        return f"{found}, and {_records(self.alone)} alone with their {self.determining}" if self.alone else found

    @property
    def meaning(self) -> str:
        """What follows for a release; nothing where the dependency is weak."""
        if not self.gives_away:
            return ""
        return f"Generalizing {self.determined} hides nothing while {self.determining} stays as fine as it is."


def _records(number: int) -> str:
    return f"{number:,} {'record is' if number == 1 else 'records are'}"


def dependencies(table: Table) -> pd.DataFrame:
    """What each quasi-identifier tells about each other one, the strongest first."""
    rows = [[getattr(one, name) for name in COLUMNS] for one in between(table)]
    return pd.DataFrame(rows, columns=COLUMNS)


def given_away(table: Table) -> list[str]:
    """The strong dependencies, each with what follows, for those who choose roles; or that nobody has looked."""
    try:
        return [f"{one.words}. {one.meaning}" for one in between(table) if one.gives_away]
    except TooMany:
        return [UNSEEN]


def between(table: Table) -> tuple[Dependency, ...]:
    """The dependencies between quasi-identifiers, the strongest first; counted from the cells, whatever the engine."""
    return table.remember("dependencies", lambda: _between(table))


def _between(table: Table) -> tuple[Dependency, ...]:
    if len(table.quasi) < 2:
        return ()
    cells, found = table.cells(), []
    for i, j in combinations(range(len(table.quasi)), 2):
        underway.step()
        a, b, counts = _combined(table, cells, i, j)
        found += [_counted(table, i, j, a, b, counts), _counted(table, j, i, b, a, counts)]
    return tuple(sorted(found, key=lambda one: -one.strength))


def _combined(table: Table, cells: Cells, i: int, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The combinations of values of two quasi-identifiers, and the records of each."""
    width, height = (table.columns[table.quasi[k]].size for k in (i, j))
    key = cells.quasi[i].astype(np.int64) * height + cells.quasi[j]
    if width * height <= max(DENSE, 4 * len(cells)):
        counts = np.bincount(key, cells.weight, width * height)
        there = np.flatnonzero(counts)
        counts = counts[there]
    else:
        there, place = np.unique(key, return_inverse=True)
        counts = np.bincount(place, cells.weight)
    return there // height, there % height, counts


def _counted(table: Table, i: int, j: int, group: np.ndarray, value: np.ndarray, counts: np.ndarray) -> Dependency:
    order = np.argsort(group, kind="stable")
    total, most, right = _guessed(group[order], counts[order])
    totals = np.bincount(value, counts)
    records, several = counts.sum(), total > 1
    seen = total[several].sum()
    return Dependency(
        table.quasi[i],
        table.quasi[j],
        records=int(records),
        alone=int(records - seen),
        exceptions=int((total - most).sum()),
        settled=float((most == total)[several].mean()) if seen else math.nan,
        share=float(right.sum() / seen) if seen else math.nan,
        commonest=float(_guessed(np.zeros(np.count_nonzero(totals)), totals[totals > 0])[2].sum() / records),
    )


def _guessed(group: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of records in sorted groups, by value: each group's records, those of its commonest value, those guessed right.

    The others of the group guess the commonest value among them, or one of the commonest by chance. They are right
    about records of the commonest value alone: always where it stays so without the record, by chance where it draws
    level.
    """
    first = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    size = np.diff(np.append(first, len(group)))
    total, most = np.add.reduceat(counts, first), np.maximum.reduceat(counts, first)
    commonest = counts == np.repeat(most, size)
    rest = np.where(commonest, 0, counts)
    second = np.maximum.reduceat(rest, first)
    level = 1 + np.add.reduceat((rest == np.repeat(second, size)) & ~commonest, first, dtype=int)
    right = np.where(most - 1 > second, most, most / level)
    right[(np.add.reduceat(commonest, first, dtype=int) > 1) | (total == 1)] = 0
    return total, most, right
