"""Dependencies between quasi-identifiers: a zip determines its state, an employer partly.

Goodman & Kruskal, Measures of Association for Cross Classifications (1954): lambda is the share of wrong guesses of one
column that knowledge of another saves. Here each record is guessed from the other records only: a value of a single
record would otherwise always be guessed correctly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from workbench.base import progress as underway
from workbench.base.errors import TooMany
from workbench.base.figures import format_whole_percent
from workbench.data.cells import Cells
from workbench.data.table import Table

NEARLY, PARTLY = 0.8, 0.2  # minimum strengths of "nearly determines" and "partly determines"
SEEN = 0.1  # minimum share of records that share their value with others; with fewer there is no statement
COLUMNS = [
    "determining", "verdict", "determined", "share", "commonest", "strength", "settled", "exceptions", "alone",
]  # fmt: skip
UNSEEN = "Dependencies between quasi-identifiers are not measured: their combinations do not fit into memory."
MANY = 2_000_000  # beyond, the engine counts each pair of columns, and the cells are not used
DENSE = 1 << 22  # up to here, combinations are counted in an array instead of by sorting


@dataclass(frozen=True)
class Dependency:
    """The accuracy of guessing one column as the commonest value among the other records that agree on another."""

    determining: str
    determined: str
    records: int
    alone: int  # records whose value of the determining column is unique; they are not guessed
    exceptions: int  # records without the commonest value of their group
    settled: float  # share of the repeated values of the determining column that occur with a single value
    share: float  # guessed correctly among the records that are not alone; nan if all are alone
    commonest: float  # guessed correctly without the determining column

    @property
    def strength(self) -> float:
        """The share of wrong guesses that are saved, 0 to 1; also 0 if too few records share a value."""
        if not self.has_enough_records or self.commonest == 1:
            return 0.0
        return max(0.0, (self.share - self.commonest) / (1 - self.commonest))

    @property
    def has_enough_records(self) -> bool:
        """True if enough records share their value of the determining column for a statement."""
        return self.records - self.alone >= SEEN * self.records

    @property
    def verdict(self) -> str:
        """The strength in words, as a verb."""
        if not self.exceptions and self.strength:
            return "determines"
        if self.strength >= NEARLY:
            return "nearly determines"
        return "partly determines" if self.strength >= PARTLY else "hardly predicts"

    @property
    def is_strong(self) -> bool:
        """True if the determining column reveals the other one (nearly) with certainty."""
        return self.verdict in ("determines", "nearly determines")

    @property
    def words(self) -> str:
        """A short statement, such as `zip nearly determines state: 92 %`."""
        statement = f"{self.determining} {self.verdict} {self.determined}"
        return (
            statement
            if self.verdict == "determines" or not self.has_enough_records
            else f"{statement}: {self.per_cent}"
        )

    @property
    def per_cent(self) -> str:
        """The share of correct guesses, in whole per cent."""
        return format_whole_percent(self.share) if self.has_enough_records else ""

    @property
    def sentence(self) -> str:
        """The figures behind the statement."""
        a, b = self.determining, self.determined
        if not self.has_enough_records:
            return f"Nearly every record has its own value of {a}: too few share one to see how well {a} predicts {b}."
        sentence = (
            f"Guessing the commonest {b} among the other records with the same {a} is correct for {self.per_cent} "
            f"of the records; guessing the commonest {b} of all, for {format_whole_percent(self.commonest)}. "
            f"{self._excepted}."
        )
        if self.settled > self.share:
            sentence += (
                f" {format_whole_percent(self.settled)} of the values of {a} with several records have a single {b}."
            )
        return sentence

    @property
    def _excepted(self) -> str:
        found = f"{_records(self.exceptions)} {'an exception' if self.exceptions == 1 else 'exceptions'}"
        return f"{found}, and {_records(self.alone)} alone with their {self.determining}" if self.alone else found

    @property
    def meaning(self) -> str:
        """The consequence for a release; empty if the dependency is weak."""
        if not self.is_strong:
            return ""
        return f"Generalizing {self.determined} hides nothing unless {self.determining} is generalized too."


def _records(number: int) -> str:
    return f"{number:,} {'record is' if number == 1 else 'records are'}"


def dependencies(table: Table) -> pd.DataFrame:
    """Measure how well each quasi-identifier predicts each other one.

    Parameters
    ----------
    table
        A table with at least two quasi-identifiers.

    Returns
    -------
    A row per ordered pair, the strongest first. `share` is the share of correct guesses with the determining column,
    `commonest` without it; `strength` is Goodman and Kruskal's lambda, leaving out the record that is guessed.
    """
    rows = [[getattr(one, name) for name in COLUMNS] for one in between(table)]
    return pd.DataFrame(rows, columns=COLUMNS)


def describe_dependencies(table: Table) -> list[str]:
    """Describe the strong dependencies and their consequences, or report that none could be measured."""
    try:
        return [f"{one.words}. {one.meaning}" for one in between(table) if one.is_strong]
    except TooMany:
        return [UNSEEN]


def between(table: Table) -> tuple[Dependency, ...]:
    """Return the dependencies between quasi-identifiers, the strongest first."""
    return table.remember("dependencies", lambda: _between(table))


def _between(table: Table) -> tuple[Dependency, ...]:
    if len(table.quasi) < 2:
        return ()
    table.engine.require_combinations_fit(table.quasi, table.columns)
    cells, found = table.cells() if table.records <= MANY else None, []
    for i, j in combinations(range(len(table.quasi)), 2):
        underway.checkpoint()
        a, b, counts = _combined(table, cells, i, j) if cells else _pairs(table, i, j)
        found += [_counted(table, i, j, a, b, counts), _counted(table, j, i, b, a, counts)]
    return tuple(sorted(found, key=lambda one: -one.strength))


def _combined(table: Table, cells: Cells, i: int, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count the combinations of values of two quasi-identifiers from the cells."""
    width, height = (table.columns[table.quasi[k]].size for k in (i, j))
    key = cells.quasi[i].astype(np.int64) * height + cells.quasi[j]
    if width * height <= max(DENSE, 4 * len(cells)):
        counts = np.bincount(key, cells.weight, width * height)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, place = np.unique(key, return_inverse=True)
        counts = np.bincount(place, cells.weight)
    return keys // height, keys % height, counts


def _pairs(table: Table, i: int, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count the combinations of values of two quasi-identifiers in the engine: all cells would take gigabytes."""
    pairs = table.engine.collapse([table.quasi[i], table.quasi[j]], [])
    return pairs.quasi[0], pairs.quasi[1], pairs.weight


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
    """Return, for each group: its records, those of its commonest value, and those that are guessed correctly.

    Records come in sorted groups, by value. A record's value is guessed as the commonest among the others of its group,
    or as one of the commonest at random. Only records of the commonest value are guessed correctly: always if it is
    still the commonest without the record, sometimes if it then draws level with others.
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
