"""Records that are unique on one or several columns.

Uniques and their consequences: Sweeney, Simple Demographics Often Identify People Uniquely (2000).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.base.compiled import compiled
from workbench.data.cells import row_keys
from workbench.data.column import Column
from workbench.data.table import Table

BLOCK = 1 << 20  # records hashed at a time
EXACT = 2_000_000  # up to so many records, every combination of values is counted
TOGETHER = 30  # maximum number of columns to combine
TRIPLES = 500
WORK = 500_000_000  # maximum number of records read for all triples
NAMELIKE = 0.5  # minimum number of distinct values of a name-like column, as a share of the records
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Uniqueness:
    """The number of records that are unique on some columns; a missing value counts as a value."""

    names: tuple[str, ...]
    distinct: int
    unique: int
    records: int
    one_in: int = 1  # counts are scaled from one in so many combinations; 1: exact

    @property
    def share(self) -> float:
        """The share of unique records."""
        return self.unique / self.records


@dataclass(frozen=True)
class Survey:
    """Unique records by column, and for pairs and triples of columns, the worst first."""

    columns: dict[str, Uniqueness]
    pairs: tuple[Uniqueness, ...]
    triples: tuple[Uniqueness, ...]
    notes: tuple[str, ...]  # on combinations that were not counted, or estimated


def count_unique(table: Table, names: Sequence[str], exact: int = EXACT) -> Uniqueness:
    """Count the distinct combinations of some columns and the unique records.

    Beyond `exact` records, only a random share of the combinations is counted, chosen by a hash, with all their
    records. In a sample of records, others would appear to be unique.
    """
    names = tuple(names)
    if not names:
        return Uniqueness(names, 1, int(table.records == 1), table.records)
    return table.remember(("singled out", names, exact), lambda: _counted(table, names, exact))


def _counted(table: Table, names: tuple[str, ...], exact: int) -> Uniqueness:
    if not table.engine.in_memory:
        return Uniqueness(names, *table.engine.combinations_of(names), table.records)
    key, size = keys(table, names)
    one_in = 1
    if size <= 4 * table.records:
        seen = np.zeros(size, np.uint8)
        _count_to_two(key, seen)
        distinct, unique = np.count_nonzero(seen), np.count_nonzero(seen == 1)
    else:
        one_in = math.ceil(table.records / exact)
        if one_in > 1:
            blocks = np.array_split(key, len(key) // BLOCK + 1)
            key = np.concatenate([block[_mixed(block) % np.uint64(one_in) == 0] for block in blocks])
        key.sort()
        edge = np.concatenate([[True], key[1:] != key[:-1], [True]])
        distinct, unique = np.count_nonzero(edge) - 1, np.count_nonzero(edge[1:] & edge[:-1])
    return Uniqueness(names, int(distinct) * one_in, min(int(unique) * one_in, table.records), table.records, one_in)


@compiled
def _count_to_two(key: np.ndarray, seen: np.ndarray) -> None:
    """Count the occurrences of each key up to 2; this takes one byte per key, `bincount` eight."""
    for one in key:
        if seen[one] < 2:
            seen[one] += 1


def keys(table: Table, names: Sequence[str]) -> tuple[np.ndarray, int]:
    """Return a number for each record, equal for equal values, and the range of these numbers."""
    sizes, codes = [table.columns[name].size for name in names], [table.codes[name] for name in names]
    (key,), size = row_keys(sizes, [table.records], codes)
    return key, size


def _mixed(key: np.ndarray) -> np.ndarray:
    """Hash each key so that its last bits are random (the finalizer of MurmurHash3)."""
    mixed = key.view(np.uint64).copy()
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(33))


def alone(column: Column) -> Uniqueness:
    """Return the number of unique records of a single column from its counts."""
    counts = column.totals
    return Uniqueness((column.name,), column.size, int(np.count_nonzero(counts == 1)), int(counts.sum()))


def survey(
    table: Table, leave_out: Collection[str] = (), progress: Progress | None = None, exact: int = EXACT
) -> Survey:
    """Count unique records for every column, and for pairs and triples of the columns that are not excluded.

    The result is exact except for tables with many columns or records, as its notes report. `progress` is called with
    the number of counted combinations and their total, and may raise to stop.
    """
    singles = {name: alone(column) for name, column in table.columns.items()}
    usable = [name for name in table.names if name not in leave_out and singles[name].distinct > 1]
    usable.sort(key=lambda name: agreement(table.columns[name]))
    notes = []
    if len(usable) > TOGETHER:
        notes.append(
            f"Combinations were counted for the {TOGETHER} of {len(usable)} columns that distinguish records best."
        )
    chosen = set(usable[:TOGETHER])
    together = [name for name in table.names if name in chosen]
    every_pair: list[tuple[str, ...]] = list(combinations(together, 2))
    most = max(2 * TOGETHER, min(TRIPLES, WORK // table.records))
    every_triple = min(math.comb(len(together), 3), most)
    total = len(every_pair) + every_triple

    def counted(wanted: list[tuple[str, ...]], done: int = 0) -> list[Uniqueness]:
        """Count all of these, the worst first."""
        found: list[Uniqueness] = []
        for some in (wanted[i : i + 4 * workers] for i in range(0, len(wanted), 4 * workers)):
            found += threads.map(lambda names: count_unique(table, names, exact), some)
            if progress:
                progress(done + len(found), total)
        return sorted(found, key=lambda one: -one.unique)

    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as threads:
        pairs = counted(every_pair)
        triples = counted(_extended(pairs, together, most), len(pairs))
    if math.comb(len(together), 3) > most:
        notes.append(f"{len(triples)} of {math.comb(len(together), 3):,} triples were counted, around the worst pairs.")
    sampled = max((one.one_in for one in (*pairs, *triples)), default=1)
    if sampled > 1:
        notes.append(f"Large numbers are estimates from one in {sampled} combinations of values.")
    return Survey(singles, tuple(pairs), tuple(triples), tuple(notes))


def agreement(column: Column) -> float:
    """Return the probability that two random records agree."""
    return float(np.square(column.totals / column.totals.sum()).sum())


def _extended(pairs: Sequence[Uniqueness], names: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """Extend each pair by every other column, the worst pairs first, up to a maximum number."""
    place = {name: i for i, name in enumerate(names)}
    found: dict[tuple[str, ...], None] = {}
    for pair in pairs:
        for name in names:
            if name not in pair.names and len(found) < most:
                found[tuple(sorted((*pair.names, name), key=place.__getitem__))] = None
    return list(found)


def is_nearly_unique(column: Column) -> bool:
    """Return whether fewer than two records share a value on average; this also holds for measurements."""
    records = int(column.totals.sum())
    return records > 1 and len(column.values) > NAMELIKE * records
