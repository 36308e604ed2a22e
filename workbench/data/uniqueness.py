"""Which records a column, or several together, single out: those that are alone with their values.

Uniques and what follows from them: Sweeney, Simple Demographics Often Identify People Uniquely (2000).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.data.cells import row_keys
from workbench.data.column import Column
from workbench.data.table import Table

EXACT = 2_000_000  # records up to which every combination of values is counted
TOGETHER = 30  # columns that are combined
TRIPLES = 500
WORK = 500_000_000  # records looked at for triples, over all of them
NAMELIKE = 0.5  # distinct values, as a share of the records, from which a column is nearly a name
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Singled:
    """How many of the records are alone with their values of these columns; a missing value is a value."""

    names: tuple[str, ...]
    distinct: int
    unique: int
    records: int
    one_in: int = 1  # counted on one in so many of the combinations, and scaled; 1: counted on all

    @property
    def share(self) -> float:
        """The share of the records that are alone."""
        return self.unique / self.records


@dataclass(frozen=True)
class Survey:
    """What each column singles out, and which pairs and triples single out most, the worst first."""

    columns: dict[str, Singled]
    pairs: tuple[Singled, ...]
    triples: tuple[Singled, ...]
    notes: tuple[str, ...]  # what was not counted, or only estimated


def single_out(table: Table, names: Sequence[str], exact: int = EXACT) -> Singled:
    """The distinct combinations of some columns and the records that are alone with theirs.

    Of more than `exact` records, one in so many combinations is counted, chosen by a hash, with all its records: a
    sample of records would take for unique what is not.
    """
    names = tuple(names)
    if not names:
        return Singled(names, 1, int(table.records == 1), table.records)
    return table.remember(("singled out", names, exact), lambda: _counted(table, names, exact))


def _counted(table: Table, names: tuple[str, ...], exact: int) -> Singled:
    key, size = keys(table, names)
    one_in = 1
    if size <= 4 * table.records:
        counts = np.bincount(key)
        distinct, unique = np.count_nonzero(counts), np.count_nonzero(counts == 1)
    else:
        one_in = math.ceil(table.records / exact)
        if one_in > 1:
            key = key[_mixed(key) % np.uint64(one_in) == 0]
        key.sort()
        edge = np.concatenate([[True], key[1:] != key[:-1], [True]])
        distinct, unique = np.count_nonzero(edge) - 1, np.count_nonzero(edge[1:] & edge[:-1])
    return Singled(names, int(distinct) * one_in, min(int(unique) * one_in, table.records), table.records, one_in)


def keys(table: Table, names: Sequence[str]) -> tuple[np.ndarray, int]:
    """One number a record, equal where all values are, and how many there may be; a new array."""
    sizes, codes = [table.columns[name].size for name in names], [table.codes[name] for name in names]
    (key,), size = row_keys(sizes, [table.records], codes)
    return key, size


def _mixed(key: np.ndarray) -> np.ndarray:
    """A hash of each key whose last bits are as good as any (the finalizer of MurmurHash3)."""
    mixed = key.view(np.uint64).copy()
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(33))


def alone(column: Column) -> Singled:
    """What a column singles out by itself: its values and their counts are known."""
    counts = column.totals
    return Singled((column.name,), column.size, int(np.count_nonzero(counts == 1)), int(counts.sum()))


def survey(
    table: Table, leave_out: Collection[str] = (), progress: Progress | None = None, exact: int = EXACT
) -> Survey:
    """Every column by itself, and pairs and triples of those not left out, the worst first.

    Exact but for tables of many columns or records, where the notes say what was left out. `progress` is called with
    the combinations counted so far and their number, and may raise to stop.
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

    def counted(wanted: list[tuple[str, ...]], done: int = 0) -> list[Singled]:
        """All of them, the worst first."""
        found: list[Singled] = []
        for some in (wanted[i : i + 4 * workers] for i in range(0, len(wanted), 4 * workers)):
            found += threads.map(lambda names: single_out(table, names, exact), some)
            if progress:
                progress(done + len(found), total)
        return sorted(found, key=lambda one: -one.unique)

    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as threads:
        pairs = counted(every_pair)
        triples = counted(_extended(pairs, together, most), len(pairs))
    if math.comb(len(together), 3) > most:
        notes.append(
            f"Of the triples, {len(triples)} of {math.comb(len(together), 3):,} were counted: around the worst pairs."
        )
    sampled = max((one.one_in for one in (*pairs, *triples)), default=1)
    if sampled > 1:
        notes.append(f"Large numbers are estimates: counted on one in {sampled} of the combinations of values.")
    return Survey(singles, tuple(pairs), tuple(triples), tuple(notes))


def agreement(column: Column) -> float:
    """The chance that two records agree."""
    return float(np.square(column.totals / column.totals.sum()).sum())


def _extended(pairs: Sequence[Singled], names: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """Each pair with every other column, the worst pairs first, up to so many."""
    place = {name: i for i, name in enumerate(names)}
    found: dict[tuple[str, ...], None] = {}
    for pair in pairs:
        for name in names:
            if name not in pair.names and len(found) < most:
                found[tuple(sorted((*pair.names, name), key=place.__getitem__))] = None
    return list(found)


def namelike(column: Column) -> bool:
    """Whether fewer than two records share a value, on average; measured numbers do that and are no names."""
    records = int(column.totals.sum())
    return records > 1 and len(column.values) > NAMELIKE * records
